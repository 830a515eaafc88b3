package main

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Tests that differ for a reason that is known, and that is no mistake in what
// the program does, are neither passed nor failed: they are counted and named
// apart. docs/limits.md has the reasons.

// known.txt has a line for each: intervals, a regular expression that matches the
// test's package, a dot and its name as a whole, and why.
//
//go:embed known.txt
var knownText string

type knownDifference struct {
	intervals []string
	test      *regexp.Regexp
	why       string
}

type knownDifferences []knownDifference

func readKnown(text string) (knownDifferences, error) {
	var all knownDifferences
	for line := range strings.Lines(text) {
		fields := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if fields[0] == "" || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) < 3 {
			return nil, fmt.Errorf("known.txt: %q gives no reason", strings.TrimSpace(line))
		}
		test, err := regexp.Compile("^(?:" + fields[1] + ")$")
		if err != nil {
			return nil, fmt.Errorf("known.txt: %w", err)
		}
		all = append(all, knownDifference{strings.Split(fields[0], ","), test, fields[2]})
	}
	return all, nil
}

// find returns what is known of a test at an interval, or nil.
func (k knownDifferences) find(interval, test string) *knownDifference {
	for i := range k {
		if slices.Contains(k[i].intervals, interval) && k[i].test.MatchString(test) {
			return &k[i]
		}
	}
	return nil
}
