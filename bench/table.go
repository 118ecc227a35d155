package bench

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"quell/internal/clean"
)

// column is a figure of an experiment that at least one row has.
type column struct {
	key                 string
	title               string
	paper, here, ratios bool // which of the three some row has
}

// columns returns the columns that are not empty, in order.
func (x ExperimentReport) columns() []column {
	var all []column
	for _, key := range x.Keys {
		c := column{key: key, title: figures[key].title}
		if unit := x.unit(key); unit != "" {
			c.title += " [" + unit + "]"
		}
		for _, r := range x.Rows {
			c.paper = c.paper || has(r.Paper, key)
			c.here = c.here || has(r.Result.Figures, key)
			c.ratios = c.ratios || has(r.Ratio, key)
		}
		if c.paper || c.here {
			all = append(all, c)
		}
	}
	return all
}

func has(m map[string]float64, key string) bool {
	_, ok := m[key]
	return ok
}

// unit returns the unit that figures of a key are printed in.
func (x ExperimentReport) unit(key string) string {
	if figures[key].quantity == duration {
		return x.Unit
	}
	return figures[key].unit
}

// text returns a figure for a table, or "-".
func (x ExperimentReport) text(m map[string]float64, key string) string {
	v, ok := m[key]
	if !ok {
		return "-"
	}
	switch {
	case figures[key].quantity == duration && x.Unit == "ms":
		return significant(v * 1e3)
	case figures[key].quantity == duration:
		return significant(v)
	case key == SSIM:
		return strconv.FormatFloat(v, 'f', 4, 64)
	case figures[key].quantity == level || key == MSE:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return significant(v)
}

// ratio returns a ratio for a table: "x 25", or a difference "+0.3".
func (x ExperimentReport) ratio(r RowReport, key string) string {
	v, ok := r.Ratio[key]
	switch {
	case !ok:
		return "-"
	case figures[key].quantity == level:
		return fmt.Sprintf("%+.2f", v)
	}
	return "x" + significant(v)
}

// significant prints three digits, more only before the point.
func significant(v float64) string {
	if v == 0 || math.Abs(v) >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	digits := 2 - int(math.Floor(math.Log10(math.Abs(v))))
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// cells returns the table of an experiment: the header first.
func (x ExperimentReport) cells() [][]string {
	columns := x.columns()
	header := []string{"row"}
	for _, c := range columns {
		if c.paper {
			header = append(header, "paper: "+c.title)
		}
		header = append(header, c.title)
		if c.ratios {
			header = append(header, map[bool]string{true: "difference", false: "ratio"}[figures[c.key].quantity == level])
		}
	}
	header = append(header, "note")
	table := [][]string{header}
	for _, r := range x.Rows {
		line := []string{r.Name}
		for _, c := range columns {
			if c.paper {
				line = append(line, x.text(r.Paper, c.key))
			}
			line = append(line, x.text(r.Result.Figures, c.key))
			if c.ratios {
				line = append(line, x.ratio(r, c.key))
			}
		}
		table = append(table, append(line, r.note()))
	}
	return table
}

// note says why a row has no figures, or a remark on them.
func (r RowReport) note() string {
	switch r.Status {
	case Missing:
		return r.Why
	case Failed:
		return "failed: " + r.Why
	}
	var notes []string
	if part := r.Result.part(); part != "" {
		notes = append(notes, part)
	}
	if r.Result.Found != "" {
		notes = append(notes, r.Result.Found)
	}
	if r.Earlier {
		notes = append(notes, "from the unfinished run")
	}
	return strings.Join(notes, "; ")
}

// summary says how to read the ratios.
const summary = "Ratios of times are those of the speed for each voxel: x2 is twice as fast as the paper. Every row agreed with the float64 reference before it was timed."

// transferNote says what the times of transfers are.
const transferNote = "Transfers: to the device is a run on a new volume less one on a volume that is there, from the device a run on a volume that is there less its kernels; both include the copies to and from the worker's memory. Times with transfers are of whole runs."

// timesTransfers reports whether some row has a time with transfers.
func (r Report) timesTransfers() bool {
	for _, x := range r.Experiments {
		for _, row := range x.Rows {
			if has(row.Result.Figures, EndToEnd) || has(row.Result.Figures, Upload) {
				return true
			}
		}
	}
	return false
}

// notes name the omissions of a quick run, and of one that was cancelled.
func (r Report) notes() (notes []string) {
	if r.Quick {
		notes = append(notes, "Quick run: times are of few runs, long ones of a single run, and rows with slices in their note filtered the middle ones alone.")
	}
	if r.Missing > 0 {
		notes = append(notes, fmt.Sprintf("The run was cancelled: %d rows were not measured.", r.Missing))
	}
	return notes
}

// WriteText writes tables for a terminal.
func (r Report) WriteText(w io.Writer) error {
	for _, e := range r.Engines {
		fmt.Fprintln(w, e.sentence())
	}
	fmt.Fprintln(w, summary)
	if r.timesTransfers() {
		fmt.Fprintln(w, transferNote)
	}
	for _, note := range r.notes() {
		fmt.Fprintln(w, note)
	}
	for _, x := range r.Experiments {
		fmt.Fprintf(w, "\n%s: %s (%s, %s)\n", x.Name, x.Title, x.Paper.Authors, x.Source)
		for _, in := range x.Inputs {
			fmt.Fprintf(w, "input: %s\n", in)
		}
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, line := range x.cells() {
			fmt.Fprintln(tw, strings.Join(line, "\t"))
		}
		if err := tw.Flush(); err != nil {
			return err
		}
		for _, c := range x.Claims {
			fmt.Fprintln(w, c.Sentence())
		}
	}
	return nil
}

// Sentence returns the finding and what became of it.
func (c ClaimReport) Sentence() string {
	if c.Why != "" {
		return fmt.Sprintf("%s Not judged, as %s: %s.", c.Text, c.Why, c.Detail)
	}
	if c.Known {
		return fmt.Sprintf("%s %s: %s.", c.Text, capital(c.Verdict()), c.Detail)
	}
	return fmt.Sprintf("%s %s.", c.Text, capital(c.Verdict()))
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func (e EngineReport) sentence() string {
	if e.Why != "" {
		return fmt.Sprintf("%s: no CUDA device: %s", e.Name, e.Why)
	}
	unit := "cores"
	if e.Driver != "" {
		unit = "multiprocessors"
	}
	s := fmt.Sprintf("%s: %s, %d %s", e.Name, e.Device, e.Cores, unit)
	if e.Memory > 0 {
		s += fmt.Sprintf(", %.0f GiB", float64(e.Memory)/(1<<30))
	}
	if e.Driver != "" {
		s += ", driver " + e.Driver
	}
	if e.Kernels != "" {
		s += ", kernels " + e.Kernels
	}
	if len(e.Shapes) > 0 {
		s += fmt.Sprintf(", %d launch shapes of quell bench --tune", len(e.Shapes))
	}
	return s
}

// WriteCSV writes one line for each figure of each row; times are in seconds.
func (r Report) WriteCSV(w io.Writer) error {
	out := clean.NewCSV(w)
	number := func(m map[string]float64, key string) string {
		if !has(m, key) {
			return ""
		}
		return strconv.FormatFloat(m[key], 'g', 9, 64)
	}
	out.Row("experiment", "row", "engine", "device", "status", "figure", "unit", "paper", "here", "ratio", "slices", "of", "repeats", "recipe", "input", "note")
	for _, x := range r.Experiments {
		for _, row := range x.Rows {
			device, recipe := "", ""
			if i := slices.IndexFunc(r.Engines, func(e EngineReport) bool { return e.Name == row.Engine }); i >= 0 {
				device = r.Engines[i].Device
			}
			if row.Result.Recipe != nil {
				recipe = row.Result.Recipe.String()
			}
			for _, c := range x.columns() {
				if !has(row.Paper, c.key) && !has(row.Result.Figures, c.key) {
					continue
				}
				unit := figures[c.key].unit
				if figures[c.key].quantity == duration {
					unit = "s"
				}
				out.Row(x.Name, row.Name, row.Engine, device, string(row.Status), c.key, unit,
					number(row.Paper, c.key), number(row.Result.Figures, c.key), number(row.Ratio, c.key),
					strconv.Itoa(row.Result.Slices), strconv.Itoa(row.Result.Of), strconv.Itoa(row.Result.Repeats), recipe, row.Result.Input, row.note())
			}
		}
	}
	return out.Flush()
}
