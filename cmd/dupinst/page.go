package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dupinst/dupinst/instrumentations/fieldaccess"
	"github.com/dupinst/dupinst/layout"
	"github.com/dupinst/dupinst/load"
	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/report/web"
)

// pageOptions say what is on a page, and where it is to be.
type pageOptions struct {
	dirs          []string
	interval      int64
	names         []string // of instrumentations
	against       string   // a directory
	layout        string   // patterns of packages
	file, address string
}

// page shows the profiles of directories in a browser: as a file or, until it is
// interrupted, at an address.
func (in *invocation) page(o pageOptions) (int, error) {
	var host, port string
	if o.file == "" {
		var err error
		if host, port, err = net.SplitHostPort(o.address); err != nil {
			return misuse, usagef("report: -http: %v", err)
		}
	}
	profiles, err := single(o.interval, o.dirs...)
	if err != nil {
		return failed, err
	}
	p := &web.Page{Title: "dupinst: " + base(o.dirs), Profiles: onlyOf(profiles, o.names)}
	if len(p.Profiles) == 0 {
		return failed, fmt.Errorf("cannot show %s: it has no profile of %s", strings.Join(o.dirs, " "), strings.Join(o.names, ", "))
	}
	if o.against != "" {
		if p.Against, err = single(anyInterval, o.against); err != nil {
			return failed, err
		}
	}
	if o.layout != "" {
		if p.Structs, err = in.structs(strings.Split(o.layout, ","), p.Profiles); err != nil {
			return failed, err
		}
	}
	if o.file != "" {
		return 0, profile.WriteFile(o.file, p.Write)
	}
	var text bytes.Buffer
	if err := p.Write(&text); err != nil {
		return failed, err
	}
	if err := serve(in.ctx, host, port, text.Bytes(), in.stdout); err != nil {
		return failed, err
	}
	return 0, nil
}

// structs are those that the packages declare, as the profile of field accesses has
// them.
func (in *invocation) structs(patterns []string, profiles []*profile.Profile) ([]*layout.Struct, error) {
	i := slices.IndexFunc(profiles, func(p *profile.Profile) bool { return p.Instrumentation == fieldaccess.Instrumentation.Format.Name })
	if i < 0 {
		return nil, errors.New("cannot propose a layout: there is no profile of field accesses")
	}
	packages, err := load.Patterns(in.ctx, "", patterns)
	if err != nil {
		return nil, err
	}
	var out []*layout.Struct
	for _, pkg := range packages {
		out = append(out, layout.Structs(pkg.Files, pkg.Info, targetSizes(), layout.Count(profiles[i]))...)
	}
	return out, nil
}

// base names directories for a title.
func base(dirs []string) string {
	var out []string
	for _, dir := range dirs {
		if abs, err := filepath.Abs(dir); err == nil {
			dir = abs
		}
		out = append(out, filepath.Base(dir))
	}
	return strings.Join(out, ", ")
}

// serve serves a page until ctx is done. No host is this machine's own.
func serve(ctx context.Context, host, port string, text []byte, stdout io.Writer) error {
	if host == "" {
		host = "localhost"
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return fmt.Errorf("cannot serve the report: %w", err)
	}
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
	})}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	_, port, _ = net.SplitHostPort(l.Addr().String())
	fmt.Fprintf(stdout, "dupinst: the report is at http://%s; interrupt to end\n", net.JoinHostPort(host, port))
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("cannot serve the report: %w", err)
	}
	return nil
}
