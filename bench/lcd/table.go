package lcd

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"quell/measure/detect"
)

// WriteText prints a table for every level: a row for each filter and insert.
func (r Result) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "inserts in %s, contrast and noise in %s, %d images of each kind, seed %d, engine %s; intervals of 95 %%\n", r.Task.Object, r.Task.Unit, r.Images, r.Seed, r.Engine)
	for _, n := range r.SD {
		fmt.Fprintf(w, "\n%s %g, noise %.3g\n", r.Task.Level, n.Level, n.SD)
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprint(tw, "filter\tinsert\tnoise left\tkept")
		for _, o := range Observers {
			fmt.Fprintf(tw, "\t%s AUC\td'", o)
		}
		fmt.Fprintln(tw)
		for _, c := range r.of(n.Level) {
			fmt.Fprintf(tw, "%s\t%g, %g mm\t%.2f\t%.3f", c.name(), c.Insert.Contrast, c.Insert.Diameter, c.Noise, c.Kept.Value)
			for _, o := range Observers {
				f := c.Observers[o]
				fmt.Fprintf(tw, "\t%s\t%s", around(f.AUC), around(f.SNR))
			}
			fmt.Fprintln(tw)
		}
		if err := tw.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// WriteMarkdown prints the figures that docs/benchmarks/quality.md shows: a table for every level, a row for
// each filter with its four inserts.
func (r Result) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	for _, n := range r.SD {
		fmt.Fprintf(&b, "### %s %g, noise %.3g\n\n| filter | noise left | kept | d' LG-CHO | d' NPWE |\n| --- | ---: | --- | --- | --- |\n", r.Task.Level, n.Level, n.SD)
		row := len(r.Task.Inserts)
		for cells := r.of(n.Level); len(cells) >= row; cells = cells[row:] {
			var kept, lg, eye []string
			for _, c := range cells[:row] {
				kept = append(kept, fmt.Sprintf("%.2f", c.Kept.Value))
				lg, eye = append(lg, fmt.Sprintf("%.2f", c.Observers["LG_CHO"].SNR.Value)), append(eye, fmt.Sprintf("%.2f", c.Observers["NPWE"].SNR.Value))
			}
			fmt.Fprintf(&b, "| %s | %.2f | %s | %s | %s |\n", cells[0].name(), cells[0].Noise, strings.Join(kept, ", "), strings.Join(lg, ", "), strings.Join(eye, ", "))
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// of returns the cells of a level.
func (r Result) of(level float64) (cells []Cell) {
	for _, c := range r.Cells {
		if c.Level == level {
			cells = append(cells, c)
		}
	}
	return cells
}

// name is the filter of a cell in tables.
func (c Cell) name() string { return cmp.Or(c.Filter, "as it is") }

// around returns a value with half the width of its interval.
func around(i detect.Interval) string { return fmt.Sprintf("%.2f±%.2f", i.Value, (i.Hi-i.Lo)/2) }
