package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dupinst/dupinst/layout"
	"github.com/dupinst/dupinst/load"
	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/report/web"
)

// pageOptions say what is on a page, and where it is to be.
type pageOptions struct {
	dirs          []string
	from          *source
	only          string // of instrumentations, with commas; "" for all
	against       string // a directory
	layout        string // patterns of packages
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
	if o.file != "" {
		p, err := in.compose(o)
		if err != nil {
			return failed, err
		}
		return 0, profile.WriteFile(o.file, p.Write)
	}
	f := &following{in: in, options: o}
	if err := f.follow(); err != nil {
		return failed, err
	}
	if err := serve(in.ctx, host, port, f, in.stdout); err != nil {
		return failed, err
	}
	return 0, nil
}

// compose makes the page of what is in the directories now.
func (in *invocation) compose(o pageOptions) (*web.Page, error) {
	profiles, err := o.from.single(o.dirs...)
	if err == nil {
		err = in.located(profiles)
	}
	if err != nil {
		return nil, err
	}
	if profiles, err = onlyOf(profiles, o.only); err != nil {
		return nil, fmt.Errorf("cannot show %s: %w", strings.Join(o.dirs, " "), err)
	}
	p := &web.Page{Title: "dupinst: " + base(o.dirs), Profiles: profiles}
	if o.against != "" {
		if p.Against, err = against(*o.from, o.against); err != nil {
			return nil, err
		}
	}
	if o.layout != "" {
		if p.Structs, err = in.structs(strings.Split(o.layout, ","), p.Profiles); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// A following is a page that follows its directories: it is made anew when they have changed, and
// asks whether they have.
type following struct {
	in      *invocation
	options pageOptions
	lock    sync.Mutex
	stamp   string // of what text shows
	text    []byte
	said    string // why it is not newer
}

// follow makes the page of what is there now, unless it shows that. What cannot be read leaves
// the page as it was.
func (f *following) follow() error {
	f.lock.Lock()
	defer f.lock.Unlock()
	stamp := stampOf(append(slices.Clone(f.options.dirs), f.options.against))
	if f.text != nil && stamp == f.stamp {
		return nil
	}
	p, err := f.in.compose(f.options)
	if err != nil {
		return err
	}
	p.Stamp = stamp
	var text bytes.Buffer
	if err := p.Write(&text); err != nil {
		return err
	}
	f.stamp, f.text = stamp, text.Bytes()
	return nil
}

func (f *following) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/" && r.URL.Path != "/stamp" {
		http.NotFound(w, r)
		return
	}
	err := f.follow()
	f.lock.Lock()
	stamp, text := f.stamp, f.text
	if err == nil {
		f.said = ""
	} else if f.said != err.Error() {
		f.said = err.Error()
		fmt.Fprintf(f.in.stderr, "dupinst: the page stays as it was: %v\n", err)
	}
	f.lock.Unlock()
	w.Header().Set("Cache-Control", "no-store")
	if r.URL.Path == "/stamp" {
		fmt.Fprint(w, stamp)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
}

// stampOf tells one state of directories from another.
func stampOf(dirs []string) string {
	h := fnv.New64a()
	for _, dir := range dirs {
		list, err := os.ReadDir(dir)
		fmt.Fprintf(h, "%q %v\n", dir, err)
		for _, f := range list {
			if info, err := f.Info(); err == nil && filepath.Ext(f.Name()) == profile.Extension {
				fmt.Fprintf(h, "%q %d %d\n", f.Name(), info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	return fmt.Sprintf("%x", h.Sum64())
}

// against are the profiles of a directory to compare with, of any interval.
func against(from source, dir string) ([]*profile.Profile, error) {
	from.interval = new(int64(anyInterval))
	return from.single(dir)
}

// structs are those that the packages declare, as the profile of field accesses has
// them.
func (in *invocation) structs(patterns []string, profiles []*profile.Profile) ([]*layout.Struct, error) {
	chosen := layout.Choose(profiles)
	if len(chosen) == 0 {
		return nil, errors.New("cannot propose a layout: there is no profile of field accesses, or references")
	}
	uses, err := layout.Of(chosen[0])
	if err != nil {
		return nil, err
	}
	packages, err := load.Patterns(in.ctx, "", patterns)
	if err != nil {
		return nil, err
	}
	var out []*layout.Struct
	for _, pkg := range packages {
		out = append(out, layout.Structs(pkg.Files, pkg.Info, targetSizes(), uses)...)
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
func serve(ctx context.Context, host, port string, page http.Handler, stdout io.Writer) error {
	if host == "" {
		host = "localhost"
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return fmt.Errorf("cannot serve the report: %w", err)
	}
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: page}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	_, port, _ = net.SplitHostPort(l.Addr().String())
	fmt.Fprintf(stdout, "dupinst: the report is at http://%s; interrupt to end\n", net.JoinHostPort(host, port))
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("cannot serve the report: %w", err)
	}
	return nil
}
