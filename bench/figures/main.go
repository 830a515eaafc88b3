// Figures draws what papers.sh has measured: figures PAPER OUT reads OUT/PAPER.csv, and writes a file of SVG for each figure.
package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: figures PAPER OUT")
		os.Exit(2)
	}
	if err := draw(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

// draw draws a paper's figures in a directory.
func draw(paper, dir string) error {
	f, err := os.Open(filepath.Join(dir, paper+".csv"))
	if err != nil {
		return err
	}
	defer f.Close()
	tables, err := read(f)
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", f.Name(), err)
	}
	drawn := 0
	for i, t := range tables {
		figure := t.figure(paper)
		if figure == nil {
			continue
		}
		p, err := figure.plot()
		if err != nil {
			return fmt.Errorf("%s, table %d: %w", f.Name(), i+1, err)
		}
		if err := p.Save(8*vg.Inch, 4*vg.Inch, filepath.Join(dir, fmt.Sprintf("%s-%d.svg", paper, i+1))); err != nil {
			return err
		}
		drawn++
	}
	if drawn == 0 {
		return fmt.Errorf("%s has no table that is drawn", f.Name())
	}
	return nil
}

// A table has a title, where it stands beneath a line that ends with a colon, the names of its columns, and its rows.
type table struct {
	title string
	head  []string
	rows  [][]string
}

// read reads tables: a title, or names of columns that are no numbers, begins one.
func read(r io.Reader) (tables []table, err error) {
	rows := csv.NewReader(r)
	rows.FieldsPerRecord = -1
	title := ""
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return tables, nil
		}
		if err != nil {
			return nil, err
		}
		if last := row[len(row)-1]; strings.HasSuffix(last, ":") {
			title = strings.TrimSuffix(strings.Join(row, ","), ":")
			continue
		}
		_, numeric := number(row[len(row)-1])
		switch {
		case !numeric && row[len(row)-1] != "-":
			tables = append(tables, table{title: title, head: row})
			title = ""
		case len(tables) == 0:
			return nil, fmt.Errorf("%q stands in no table", strings.Join(row, ","))
		default:
			t := &tables[len(tables)-1]
			if len(row) > len(t.head) {
				return nil, fmt.Errorf("%q has more columns than %q", strings.Join(row, ","), strings.Join(t.head, ","))
			}
			t.rows = append(t.rows, row)
		}
	}
}

// number is what a cell has, with or without a unit.
func number(cell string) (float64, bool) {
	n, err := strconv.ParseFloat(strings.TrimRight(cell, "%Gms"), 64)
	return n, err == nil
}

// at is a row's number in a column; a row that lacks some has the last ones.
func (t *table) at(row []string, column string) (float64, bool) {
	i := slices.Index(t.head, column) - len(t.head) + len(row)
	if !slices.Contains(t.head, column) || i < 0 {
		return 0, false
	}
	return number(row[i])
}

// A figure has a line or a row of bars for each of its series.
type figure struct {
	title, x, y string
	labels      []string // of the bars' groups; nil: of lines
	series      []series
}

type series struct {
	name   string
	points plotter.XYs
}

// figure is what is drawn of a table, or nil.
func (t *table) figure(paper string) *figure {
	switch {
	case paper == "arnold-ryder" && strings.HasPrefix(t.title, "Tables 1"):
		return t.bars(t.title, "more instructions, %", t.head[2:]...)
	case paper == "arnold-ryder" && slices.Contains(t.head, "interval"):
		return t.byInterval()
	case paper == "hps" && strings.HasPrefix(t.title, "Figure 8"):
		return t.bars("HPS, "+t.title, "more instructions, %", t.head[2:]...)
	case paper == "hps":
		return t.byShare()
	case paper == "instant":
		return t.bySetting()
	case paper == "shadow" && slices.Contains(t.head, "overlap"):
		what := t.rows[0][2]
		return t.bars("Shadow Profiling: "+what, "%", "overlap", "top-5%")
	}
	return nil
}

// bars are a group for each row, and in it one for each of the columns.
func (t *table) bars(title, y string, columns ...string) *figure {
	f := &figure{title: title, y: y}
	for _, column := range columns {
		s := series{name: column}
		f.labels = nil
		for _, row := range t.rows {
			if n, ok := t.at(row, column); ok {
				s.points = append(s.points, plotter.XY{X: float64(len(f.labels)), Y: n})
				f.labels = append(f.labels, row[0])
			}
		}
		f.series = append(f.series, s)
	}
	return f
}

// byInterval is Table 4 of Arnold and Ryder (PLDI 2001), whose overlaps are beside ours: of the mean.
func (t *table) byInterval() *figure {
	f := &figure{title: "Arnold and Ryder, Table 4", x: "interval", y: "overlap, %"}
	for _, column := range []string{"calls", "fields"} {
		s := series{name: column}
		for _, row := range t.rows {
			interval, _ := t.at(row, "interval")
			if n, ok := t.at(row, column); ok && row[0] == "mean" {
				s.points = append(s.points, plotter.XY{X: interval, Y: n})
			}
		}
		f.series = append(f.series, s)
	}
	theirs := map[string][]float64{"calls, theirs": {99, 98, 94, 82, 71}, "fields, theirs": {100, 99, 97, 94, 83}}
	for _, name := range []string{"calls, theirs", "fields, theirs"} {
		s := series{name: name}
		for i, n := range theirs[name] {
			s.points = append(s.points, plotter.XY{X: math.Pow10(i + 1), Y: n})
		}
		f.series = append(f.series, s)
	}
	return f
}

// byShare has a line for each length of a burst.
func (t *table) byShare() *figure {
	f := &figure{title: "HPS, Figure 10: " + t.title, x: "one check in so many is in a burst", y: "overlap, %"}
	for _, row := range t.rows {
		s := series{name: row[0] + " checks"}
		for _, column := range t.head[1:] {
			_, of, _ := strings.Cut(column, "/")
			x, whole := number(of)
			if n, ok := t.at(row, column); ok && whole {
				s.points = append(s.points, plotter.XY{X: x, Y: n})
			}
		}
		f.series = append(f.series, s)
	}
	return f
}

// bySetting is of edges: a group for each workload, and in it a bar for each setting.
func (t *table) bySetting() *figure {
	f := &figure{title: "Instant Profiling: edges", y: "overlap, %"}
	for _, row := range t.rows {
		setting, workload := row[0], row[1]
		if !slices.Contains(f.labels, workload) {
			f.labels = append(f.labels, workload)
		}
		i := slices.IndexFunc(f.series, func(s series) bool { return s.name == setting })
		if i < 0 {
			i = len(f.series)
			f.series = append(f.series, series{name: setting})
		}
		if n, ok := t.at(row, "edges"); ok {
			f.series[i].points = append(f.series[i].points, plotter.XY{X: float64(slices.Index(f.labels, workload)), Y: n})
		}
	}
	return f
}

// plot is the figure, drawn.
func (f *figure) plot() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = f.title, f.x, f.y
	p.Legend.Left = true
	for i, s := range f.series {
		if len(s.points) == 0 {
			return nil, fmt.Errorf("%s: there is nothing of %s", f.title, s.name)
		}
		if f.labels == nil {
			line, points, err := plotter.NewLinePoints(s.points)
			if err != nil {
				return nil, err
			}
			line.Color, points.Color, points.Shape = plotutil.Color(i), plotutil.Color(i), plotutil.Shape(i)
			p.Add(line, points)
			p.Legend.Add(s.name, line, points)
			continue
		}
		wide := 7 * vg.Inch / vg.Length(len(f.labels)) * 0.7 / vg.Length(len(f.series))
		values := make(plotter.Values, len(f.labels))
		for _, point := range s.points {
			values[int(point.X)] = point.Y
		}
		bars, err := plotter.NewBarChart(values, wide)
		if err != nil {
			return nil, err
		}
		bars.Color, bars.LineStyle.Width = plotutil.Color(i), 0
		bars.Offset = wide * vg.Length(float64(i)-float64(len(f.series)-1)/2)
		p.Add(bars)
		p.Legend.Add(s.name, bars)
	}
	if f.labels == nil {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
		p.X.Max *= 1.3 // the last number is as wide as that
		return p, nil
	}
	p.NominalX(f.labels...)
	p.Legend.Top = true
	p.Y.Max *= 1.1 + 0.05*float64(len(f.series)) // room for the legend
	return p, nil
}
