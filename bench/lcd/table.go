package lcd

import (
	"fmt"
	"io"
	"text/tabwriter"

	"quell/measure/detect"
)

// WriteText prints a table for every dose: a row for each filter and insert.
func (r Result) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%d images of each kind, seed %d, engine %s; intervals of 95 %%\n", r.Images, r.Seed, r.Engine)
	for _, n := range r.SD {
		fmt.Fprintf(w, "\ndose %g %%, noise %.3g HU\n", n.Dose, n.SD)
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprint(tw, "filter\tinsert\tnoise left\tkept")
		for _, o := range Observers {
			fmt.Fprintf(tw, "\t%s AUC\td'", o)
		}
		fmt.Fprintln(tw)
		for _, c := range r.Cells {
			if c.Dose != n.Dose {
				continue
			}
			name := c.Filter
			if name == "" {
				name = "as it is"
			}
			fmt.Fprintf(tw, "%s\t%g HU, %g mm\t%.2f\t%.3f", name, c.Insert.HU, c.Insert.Diameter, c.Noise, c.Kept.Value)
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

// around returns a value with half the width of its interval.
func around(i detect.Interval) string { return fmt.Sprintf("%.2f±%.2f", i.Value, (i.Hi-i.Lo)/2) }
