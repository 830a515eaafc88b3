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
	"strings"
	"time"

	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/report/web"
)

// page shows the profiles of directories in a browser: as a file or, until it is
// interrupted, at an address.
func (in *invocation) page(dirs []string, interval int64, names []string, against, file, address string) (int, error) {
	var host, port string
	if file == "" {
		var err error
		if host, port, err = net.SplitHostPort(address); err != nil {
			return misuse, usagef("report: -http: %v", err)
		}
	}
	profiles, err := single(interval, dirs...)
	if err != nil {
		return failed, err
	}
	p := &web.Page{Title: "dupinst: " + base(dirs), Profiles: onlyOf(profiles, names)}
	if len(p.Profiles) == 0 {
		return failed, fmt.Errorf("cannot show %s: it has no profile of %s", strings.Join(dirs, " "), strings.Join(names, ", "))
	}
	if against != "" {
		if p.Against, err = single(anyInterval, against); err != nil {
			return failed, err
		}
	}
	if file != "" {
		return 0, profile.WriteFile(file, p.Write)
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
