package format

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// TraceMagic begins every trace. A trace is
//
//	magic     "dupinst\x00trace\x01", the last byte being the version
//	build     string: what the program was instrumented with (see Build)
//	lost      number of events for which there was no room
//	packages  each 1, meta string (see Meta); then 0
//	events    each package ordinal plus 1, site, goroutine, frame; then 0
//	crc       as in a profile
const TraceMagic = "dupinst\x00trace\x01"

// A Trace is all that happened in one run of an audit build, in order for each
// goroutine.
type Trace struct {
	Build  Build
	Lost   uint64
	Metas  []string // of the packages, encoded
	Events []Event
}

// An Event is one event at one site.
type Event struct {
	Package   int // index in Trace.Metas
	Site      int
	Goroutine uint64 // its place in the tree of go statements, the same in every run
	Frame     uint64 // distinguishes the activations on a goroutine's stack
}

// DecodeTrace reads a whole trace.
func DecodeTrace(data []byte) (*Trace, error) {
	body := len(data) - 4
	switch {
	case body < len(TraceMagic) || string(data[:len(TraceMagic)]) != TraceMagic:
		return nil, errors.New("not a dupinst trace of a version that this dupinst reads")
	case crc32.ChecksumIEEE(data[:body]) != binary.LittleEndian.Uint32(data[body:]):
		return nil, errors.New("trace is truncated or damaged: its checksum does not match")
	}
	d := decoder{rest: data[len(TraceMagic):body]}
	t := &Trace{}
	build, err := DecodeBuild(d.string())
	if err != nil {
		d.fail(err.Error())
	}
	t.Build, t.Lost = build, d.uvarint()
	for d.byte() == 1 && d.err == nil {
		t.Metas = append(t.Metas, d.string())
	}
	for n := d.int(); n != 0 && d.err == nil; n = d.int() {
		if n > len(t.Metas) {
			d.fail("an event of no package")
		}
		t.Events = append(t.Events, Event{n - 1, d.int(), d.uvarint(), d.uvarint()})
	}
	if d.err == nil && len(d.rest) > 0 {
		d.fail("bytes after the end")
	}
	if d.err != nil {
		return nil, fmt.Errorf("trace is damaged: %w", d.err)
	}
	return t, nil
}
