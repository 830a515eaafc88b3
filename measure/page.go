package measure

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// Size of a chart's plot, in SVG units.
const (
	plotWidth  = 560.0
	plotHeight = 220.0
)

// A chart is lines over the sample interval.
type chart struct {
	Title  string
	Width  float64
	Height float64
	X      []tick
	Y      []tick
	Lines  []line
}

type tick struct {
	At   float64
	Text string
}

type line struct {
	Name, Path string
	Class      int
	Points     []point
}

type point struct {
	X, Y float64
	Text string
}

// A bar is one call edge of the figure: a bar for its true share, and a circle at
// the height of its sampled one (Figure 7 of the paper).
type bar struct {
	X, Y, Width, Height, Circle float64
	Text                        string
}

// HTML writes r as a page that needs nothing else.
func (r *Result) HTML(w io.Writer) error {
	return pageTemplate.Execute(w, map[string]any{
		"Result": r, "Tables": r.Tables(), "Charts": r.charts(), "Bars": r.bars(), "Width": plotWidth, "Height": plotHeight,
		"Warm": warm, "Noisy": map[bool]string{true: noisy}[r.noisy()],
	})
}

// charts draws overhead and overlap against the interval.
func (r *Result) charts() []chart {
	values := map[string]func(*Series) (float64, bool){
		"Overhead, %": func(s *Series) (float64, bool) { return 100 * (s.Ratio.Median - 1), true },
	}
	titles := []string{"Overhead, %"}
	for _, name := range r.Instrumentations {
		title := "Overlap of " + name + ", %"
		titles = append(titles, title)
		values[title] = func(s *Series) (float64, bool) {
			i := slices.IndexFunc(s.Overlaps, func(o Overlap) bool { return o.Instrumentation == name })
			if i < 0 {
				return 0, false
			}
			return s.Overlaps[i].Overlap, true
		}
	}
	var charts []chart
	for _, title := range titles {
		if c := r.chart(title, values[title]); len(c.Lines) > 0 {
			charts = append(charts, c)
		}
	}
	return charts
}

func (r *Result) chart(title string, value func(*Series) (float64, bool)) chart {
	c := chart{Title: title, Width: plotWidth, Height: plotHeight}
	type sample struct {
		interval int64
		value    float64
	}
	lines := map[string][]sample{}
	var names []string
	var intervals []int64
	low, high := 0.0, 1.0
	if title != "Overhead, %" {
		low, high = 100, 100
	}
	for _, s := range r.Series {
		v, ok := value(s)
		if s.Interval == 0 || !ok {
			continue
		}
		if lines[s.Build] == nil {
			names = append(names, s.Build)
		}
		lines[s.Build] = append(lines[s.Build], sample{s.Interval, v})
		if !slices.Contains(intervals, s.Interval) {
			intervals = append(intervals, s.Interval)
		}
		low, high = min(low, v), max(high, v)
	}
	if len(intervals) == 0 {
		return c
	}
	slices.Sort(intervals)
	first, last := math.Log10(float64(intervals[0])), math.Log10(float64(intervals[len(intervals)-1]))
	x := func(i int64) float64 {
		if first == last {
			return plotWidth / 2
		}
		return plotWidth * (math.Log10(float64(i)) - first) / (last - first)
	}
	y := func(v float64) float64 { return plotHeight * (high - v) / max(high-low, 1e-9) }
	for _, i := range intervals {
		c.X = append(c.X, tick{x(i), fmt.Sprint(i)})
	}
	for k := range 5 {
		v := low + (high-low)*float64(k)/4
		c.Y = append(c.Y, tick{y(v), strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)})
	}
	for n, name := range names {
		l := line{Name: name, Class: n % 6}
		for _, s := range lines[name] {
			l.Points = append(l.Points, point{x(s.interval), y(s.value), fmt.Sprintf("%s at %d: %.2f", name, s.interval, s.value)})
		}
		slices.SortFunc(l.Points, func(a, b point) int { return int(a.X - b.X) })
		for i, p := range l.Points {
			command := "L"
			if i == 0 {
				command = "M"
			}
			l.Path += fmt.Sprintf("%s%.1f %.1f ", command, p.X, p.Y)
		}
		c.Lines = append(c.Lines, l)
	}
	return c
}

// bars draws the hottest call edges.
func (r *Result) bars() (bars []bar) {
	most := 0.0
	for _, e := range r.Hottest {
		most = max(most, e.True, e.Sampled)
	}
	width := plotWidth / figureEdges
	for i, e := range r.Hottest {
		h := plotHeight * e.True / max(most, 1e-9)
		bars = append(bars, bar{
			float64(i) * width, plotHeight - h, width * 0.8, h, plotHeight - plotHeight*e.Sampled/max(most, 1e-9),
			fmt.Sprintf("%s: true %.2f %%, sampled %.2f %%", e.Key, e.True, e.Sampled),
		})
	}
	return bars
}
