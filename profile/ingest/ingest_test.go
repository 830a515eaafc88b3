package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	pprof "github.com/google/pprof/profile"

	"github.com/dupinst/dupinst/profile/format"
)

// counted is a process that has counted a and b so often, every event of them.
func counted(a, b uint64) *format.Process {
	build := format.Build{Variant: "exhaustive", Instrumentations: []format.Instrumentation{{
		Name: "calledge", Key: "{caller} {line} {callee}", Parts: []string{"caller", "line#", "callee"}, Dynamic: -1,
	}}}
	meta := format.Meta{Package: "p", Sites: []format.Site{{Parts: []string{"main", "1", "a"}}, {Parts: []string{"main", "2", "b"}}}}
	return &format.Process{
		Build: build, Origin: format.Origin{Program: "/bin/prog", Module: "path\tx/prog\nmod\tx\tv1.2.3\t\n", Host: "here", Labels: "env=a b", Begun: 100e9, Ended: (100 + a + b) * 1e9},
		Packages: []format.Package{{Meta: meta.Encode(), Counts: []format.Count{{Site: 0, N: a}, {Site: 1, N: b}}}},
	}
}

// A receiver is a server that adds up calls by callee, as Pyroscope does, but for what it refuses.
type receiver struct {
	t      *testing.T
	status atomic.Int64 // that it answers with, if not 0
	calls  map[string]int64
	forms  []url.Values
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if code := int(r.status.Load()); code != 0 {
		http.Error(w, "not now", code)
		return
	}
	file, _, err := req.FormFile("profile")
	if err != nil {
		r.t.Error(err)
		return
	}
	p, err := pprof.Parse(file)
	if err != nil {
		r.t.Error(err)
		return
	}
	for _, s := range p.Sample {
		r.calls[s.Location[0].Line[0].Function.Name] += s.Value[0]
	}
	config, _, err := req.FormFile("sample_type_config")
	if err != nil {
		r.t.Error(err)
		return
	}
	text, _ := io.ReadAll(config)
	var types map[string]map[string]any
	if err := json.Unmarshal(text, &types); err != nil || types["calls"]["aggregation"] != "sum" || types["sampled_calls"]["units"] != "count" {
		r.t.Errorf("sample types %s: %v", text, err)
	}
	if req.Method != "POST" || req.URL.Path != "/mounted/ingest" || req.Header.Get("X-Scope-OrgID") != "us" {
		r.t.Errorf("%s %s with %v", req.Method, req.URL, req.Header)
	}
	if user, password, _ := req.BasicAuth(); user != "me" || password != "secret" {
		r.t.Errorf("user %q, password %q", user, password)
	}
	r.forms = append(r.forms, req.URL.Query())
}

// What a server does not take is sent with the next, nothing twice, and what is wrong shows no
// password.
func TestSend(t *testing.T) {
	t.Parallel()
	r := &receiver{t: t, calls: map[string]int64{}}
	server := httptest.NewServer(r)
	defer server.Close()
	target, err := Parse(strings.Replace(server.URL, "http://", "http://me:secret@", 1) + "/mounted?tenant=us")
	if err != nil {
		t.Fatal(err)
	}
	s := &Sender{Target: target}
	send := func(p *format.Process) error { return s.Send(t.Context(), p) }
	if err := send(counted(1, 2)); err != nil {
		t.Fatal(err)
	}
	r.status.Store(503)
	for range 3 {
		if err := send(counted(5, 2)); err == nil || errors.Is(err, ErrRefused) || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "503") {
			t.Errorf("a server that is away: %v", err)
		}
	}
	r.status.Store(0)
	for _, p := range []*format.Process{counted(6, 3), counted(6, 3), counted(7, 9)} {
		if err := send(p); err != nil {
			t.Fatal(err)
		}
	}
	if r.calls["a"] != 7 || r.calls["b"] != 9 {
		t.Errorf("the server has %v", r.calls)
	}
	if err := send(counted(2, 0)); err != nil || r.calls["a"] != 9 {
		t.Errorf("begun anew: %v, %v", err, r.calls)
	}
	if f := r.forms[1]; len(r.forms) != 4 || f.Get("name") != "prog{host=here,version=v1.2.3,env=a_b}" || f.Get("format") != "pprof" || f.Get("from") != "103" || f.Get("until") != "109" {
		t.Errorf("%d requests, the second %v", len(r.forms), f)
	}
	r.status.Store(422)
	if err := send(counted(3, 0)); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "not now") {
		t.Errorf("a server that refuses: %v", err)
	}
	server.Close()
	if err := send(counted(3, 0)); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("no server: %v", err)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "localhost:4040", "ftp://x", "http://", "http://x?nmae=y", "http://%zz"} {
		if target, err := Parse(bad); err == nil {
			t.Errorf("%q: %v", bad, target)
		}
	}
	target, err := Parse("https://me:secret@x/y?name=app")
	if err != nil || target.String() != "https://me:xxxxx@x/y?name=app" || target.application(&format.Origin{}) != "app{}" {
		t.Errorf("%v, %v", target, err)
	}
}

// Pauses grow while a server is away, the first failure of each row is said, and a refusal ends it.
func TestEvery(t *testing.T) {
	t.Parallel()
	away, refused := errors.New("away"), ErrRefused
	results := []error{nil, away, away, nil, away, nil, refused}
	var said []error
	done := make(chan bool)
	go func() {
		defer close(done)
		Every(t.Context(), time.Millisecond, func(context.Context) error {
			err := results[0]
			results = results[1:]
			return err
		}, func(err error) { said = append(said, err) })
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("it goes on")
	}
	if !slices.Equal(said, []error{away, away, refused}) {
		t.Errorf("said: %v", said)
	}
}

// Parca gets the same profile in a request of its own.
func TestParca(t *testing.T) {
	t.Parallel()
	var got struct {
		Tenant string
		Series []struct {
			Labels struct {
				Labels []struct{ Name, Value string }
			}
			Samples []struct{ RawProfile []byte }
		}
		Normalized bool
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		decoder := json.NewDecoder(r.Body)
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&got); err != nil || r.Method != "POST" || r.URL.Path != "/api/profiles/writeraw" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s: %v", r.Method, r.URL, err)
		}
		w.Write([]byte("{}"))
	}))
	defer server.Close()
	target, err := Parse("parca+" + server.URL + "/api")
	if err != nil {
		t.Fatal(err)
	}
	if err := (&Sender{Target: target}).Send(t.Context(), counted(1, 2)); err != nil {
		t.Fatal(err)
	}
	if len(got.Series) != 1 || len(got.Series[0].Samples) != 1 || !got.Normalized {
		t.Fatalf("it has %+v", got)
	}
	labels := ""
	for _, l := range got.Series[0].Labels.Labels {
		labels += l.Name + "=" + l.Value + ";"
	}
	if labels != "__name__=dupinst;job=prog;host=here;version=v1.2.3;env=a b;" {
		t.Errorf("labels %s", labels)
	}
	p, err := pprof.ParseData(got.Series[0].Samples[0].RawProfile)
	if err != nil || p.TimeNanos != 100e9 || p.DurationNanos != 3e9 || len(p.Sample) != 2 {
		t.Errorf("%v, %v", err, p)
	}
	if target.String() != "parca+"+server.URL+"/api" {
		t.Errorf("it is called %s", target)
	}
}
