// Package ingest sends profiles to servers that keep them: to Grafana Pyroscope, by its HTTP
// interface (POST /ingest, format pprof), and to Parca, by the one that its gRPC service
// ProfileStoreService.WriteRaw has beside (POST /profiles/writeraw). Both get pprof's format.
//
// A server adds up what it gets, while a process's profile grows: a Sender sends what was counted
// since the last time that the server took it. What it does not take is sent with the next, however
// long it is away, and no more is kept than one profile. Two things are not made good: where the
// server takes something and its answer is lost, that is sent again; and where a profile is begun
// anew between two sends, what was counted between the last send and that is in its file alone.
package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/dupinst/dupinst/profile"
	"github.com/dupinst/dupinst/profile/format"
	"github.com/dupinst/dupinst/profile/pprof"
)

// A Target is a server.
type Target struct {
	address string // as it was given, without a password
	parca   bool
	url     url.URL
	name    string // of the application, "" for the program's
	tenant  string
}

// Parse reads the address of a server: http or https for Pyroscope, parca+http or parca+https for
// Parca, with the path that it is mounted at, if any, a user and a password, if it asks for those, and
// ?name=APPLICATION&tenant=TENANT, if they are not the program's name and none.
func Parse(address string) (*Target, error) {
	rest, parca := strings.CutPrefix(address, "parca+")
	u, err := url.Parse(rest)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%q is no address of a server: %w", address, err)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("%q is no address of a server, as http://localhost:4040 or parca+http://localhost:7070", u.Redacted())
	}
	q := u.Query()
	for name := range q {
		if name != "name" && name != "tenant" {
			return nil, fmt.Errorf("%q: there is no parameter %q; there are name and tenant", u.Redacted(), name)
		}
	}
	t := &Target{address: strings.TrimSuffix(address, rest) + u.Redacted(), parca: parca, url: *u, name: q.Get("name"), tenant: q.Get("tenant")}
	t.url.RawQuery, t.url.Fragment = "", ""
	return t, nil
}

// String is the address as it was given, without a password: what tells one target from another.
func (t *Target) String() string { return t.address }

// ErrRefused wraps the error of a server that will not take what it is sent another time, either.
var ErrRefused = errors.New("the server refuses it")

// A Sender sends the profiles of one process.
type Sender struct {
	*Target
	Sent *format.Process // what the server has; nil: nothing
}

// Send sends what p has beyond what was sent. With an error, the server has not taken it.
func (s *Sender) Send(ctx context.Context, p *format.Process) error {
	fresh, from := p, p.Origin.Begun
	if s.Sent != nil {
		switch since, err := profile.Since(s.Sent, p); {
		case err == nil:
			fresh, from = since, s.Sent.Origin.Ended
		case !errors.Is(err, profile.ErrChanged): // it was begun anew: all of it is fresh
			return err
		}
	}
	profiles, err := profile.Build([]*format.Process{fresh})
	if err != nil {
		return err
	}
	profiles = slices.DeleteFunc(profiles, func(p *profile.Profile) bool { return p.Total == 0 || p.Instrumentation == "audit" })
	if len(profiles) > 0 {
		if err := s.post(ctx, &p.Origin, profiles, from); err != nil {
			return err
		}
	}
	s.Sent = p
	return nil
}

// post sends profiles of the time from when, in nanoseconds since 1970, to when p's file was written.
func (t *Target) post(ctx context.Context, o *format.Origin, profiles []*profile.Profile, from uint64) error {
	until := o.Ended
	if until == 0 { // the system does not say
		until = uint64(time.Now().UnixNano())
	}
	if from == 0 || from > until {
		from = until
	}
	var text bytes.Buffer
	if err := pprof.WriteTimed(&text, profiles, time.Unix(0, int64(from)), time.Duration(until-from)); err != nil {
		return err
	}
	ask := t.ingest
	if t.parca {
		ask = t.writeRaw
	}
	req, err := ask(o, profiles, text.Bytes(), from, until)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	res, err := http.DefaultClient.Do(req.WithContext(ctx))
	if err != nil {
		return fmt.Errorf("cannot send to %s: %w", t, errors.Unwrap(err)) // which has the password in it
	}
	defer res.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(res.Body, 1000)) // for the error
	switch code := res.StatusCode; {
	case code/100 == 2:
		return nil
	case code/100 == 4 && code != http.StatusTooManyRequests && code != http.StatusRequestTimeout:
		return fmt.Errorf("cannot send to %s: %w: %s: %s", t, ErrRefused, res.Status, bytes.TrimSpace(said))
	}
	return fmt.Errorf("cannot send to %s: %s: %s", t, res.Status, bytes.TrimSpace(said))
}

// request is a POST to a path of the server's.
func (t *Target) request(to string, query url.Values, kind string, body *bytes.Buffer) (*http.Request, error) {
	u := t.url
	u.Path = path.Join("/", u.Path, to)
	u.RawQuery = query.Encode()
	req, err := http.NewRequest(http.MethodPost, u.String(), body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", kind)
	return req, nil
}

// ingest is Pyroscope's request.
func (t *Target) ingest(o *format.Origin, profiles []*profile.Profile, text []byte, from, until uint64) (*http.Request, error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("profile", "profile.pprof")
	if err == nil {
		_, err = part.Write(text)
	}
	if err == nil {
		part, err = form.CreateFormFile("sample_type_config", "sample_type_config.json")
	}
	if err == nil {
		err = json.NewEncoder(part).Encode(sampleTypes(profiles))
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		return nil, err
	}
	req, err := t.request("ingest", url.Values{
		"name": {t.application(o)}, "format": {"pprof"}, "spyName": {"dupinst"},
		"from": {strconv.FormatUint(from/1e9, 10)}, "until": {strconv.FormatUint(until/1e9, 10)},
	}, form.FormDataContentType(), &body)
	if err == nil && t.tenant != "" {
		req.Header.Set("X-Scope-OrgID", t.tenant)
	}
	return req, err
}

// writeRaw is Parca's request: parca.profilestore.v1alpha1.WriteRawRequest as JSON.
func (t *Target) writeRaw(o *format.Origin, _ []*profile.Profile, text []byte, _, _ uint64) (*http.Request, error) {
	type label struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	type sample struct {
		Profile []byte `json:"rawProfile"`
	}
	type series struct {
		Labels struct {
			Labels []label `json:"labels"`
		} `json:"labels"`
		Samples []sample `json:"samples"`
	}
	var one series
	one.Labels.Labels = []label{{"__name__", "dupinst"}, {"job", t.named(o)}}
	for _, tag := range tags(o) {
		one.Labels.Labels = append(one.Labels.Labels, label{tag[0], tag[1]})
	}
	one.Samples = []sample{{text}}
	var body bytes.Buffer
	if err := json.NewEncoder(&body).Encode(map[string]any{"tenant": t.tenant, "series": []series{one}, "normalized": true}); err != nil {
		return nil, err
	}
	return t.request("profiles/writeraw", nil, "application/json", &body)
}

// A sampleType says what to make of one of pprof's sample types.
type sampleType struct {
	Units       string `json:"units"`
	Aggregation string `json:"aggregation"`
	DisplayName string `json:"display-name"`
	Sampled     bool   `json:"sampled"`
}

func sampleTypes(profiles []*profile.Profile) map[string]sampleType {
	out := map[string]sampleType{}
	for _, p := range profiles {
		for _, unit := range pprof.Units(p.Instrumentation) {
			out[unit] = sampleType{Units: "count", Aggregation: "sum", DisplayName: unit}
		}
	}
	return out
}

// named is the application's name.
func (t *Target) named(o *format.Origin) string {
	if t.name != "" {
		return t.name
	}
	return path.Base(o.Name())
}

// tags are what o says beside: its host, version and labels.
func tags(o *format.Origin) (out [][2]string) {
	add := func(name, value string) {
		if name != "" && value != "" {
			out = append(out, [2]string{name, value})
		}
	}
	add("host", o.Host)
	add("version", o.Version())
	for _, l := range strings.Split(o.Labels, ",") {
		name, value, _ := strings.Cut(l, "=")
		add(name, value)
	}
	return out
}

// application names a series of Pyroscope's, with its tags.
func (t *Target) application(o *format.Origin) string {
	var list []string
	for _, each := range tags(o) {
		list = append(list, tag(each[0])+"="+tag(each[1]))
	}
	return tag(t.named(o)) + "{" + strings.Join(list, ",") + "}"
}

// tag is a text without what separates tags.
func tag(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("{},=\"\\ \t\n", r) {
			return '_'
		}
		return r
	}, s)
}

const (
	timeout = 30 * time.Second // of one request
	patient = 5 * time.Minute  // the longest pause while a server is away
)

// Every sends again and again until ctx is done or the server refuses what it gets: each period or, while that
// fails, after longer and longer pauses. The first of a row of failures is said.
func Every(ctx context.Context, period time.Duration, send func(context.Context) error, say func(error)) {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = period, max(period, patient)
	failing := false
	for pause := period; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		err := send(ctx)
		switch {
		case err == nil:
			failing, pause = false, period
			pauses.Reset()
			continue
		case ctx.Err() != nil:
			return
		case !failing:
			say(err)
		}
		if errors.Is(err, ErrRefused) {
			return
		}
		failing, pause = true, pauses.NextBackOff()
	}
}
