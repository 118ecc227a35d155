package judging

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"quell/app/files"
	"quell/app/job"
	"quell/cmd/command"
	"quell/denoise/noise"
	"quell/measure"
	"quell/measure/detect"
	"quell/measure/physics"
	"quell/report"
	"quell/report/chart"
	"quell/series"
	"quell/volume"
)

// foregroundOf returns which pixels of the first slice that is measured are foreground.
func foregroundOf(ctx context.Context, v *volume.Volume, part job.SliceRange) (func(i int) bool, error) {
	foreground, err := noise.Foreground(ctx, v)
	if err != nil || foreground == nil {
		return nil, err
	}
	first := orMiddle(part, v).From * v.Dims[0] * v.Dims[1]
	return func(i int) bool { return foreground(first + i) }, nil
}

// measureFound measures what is found by itself.
func measureFound(cmd *cobra.Command, q physics.Request, unit, chartPath string, overwrite bool, of *series.Series) error {
	f, err := physics.Measure(cmd.Context(), q)
	if err != nil {
		return err
	}
	if chartPath != "" {
		m, _, _, err := chart.Draw(chart.Light, 480, 360, 96, f.Charts(unit, physics.English)...)
		if err != nil {
			return err
		}
		data, err := report.PNG(m, "")
		if err != nil {
			return err
		}
		if err := files.Write(files.PictureOutput, chartPath, data, overwrite, of); err != nil {
			return err
		}
	}
	return command.Print(cmd, struct {
		Unit string `json:"unit,omitempty"`
		physics.Figures
	}{unit, f}, func(w io.Writer) { printFound(w, f, unit) })
}

// printFound writes tables; JSON has the full precision and the curves.
func printFound(tw io.Writer, f physics.Figures, unit string) {
	if unit == "" {
		unit = "value"
	}
	if f.Spectra == nil {
		fmt.Fprintf(tw, "nps  none: %s\n", f.Why)
	} else {
		lo, hi := f.Regions[0].Bounds()
		spectra := []*measure.NPS{&f.Spectra.Original, f.Spectra.Result, f.Spectra.Residual}
		fmt.Fprintf(tw, "nps of %d regions of %.0f x %.0f pixels\toriginal%s\n", len(f.Regions), hi[0]-lo[0]+1, hi[1]-lo[1]+1, heads(f.Spectra.Result != nil, "\tresult\tresidual"))
		spectrumRows(tw, unit, spectra)
	}
	for k, r := range f.Rods {
		lo, hi := r.Outline.Bounds()
		fmt.Fprintf(tw, "rod %d of %.4g %s, radius %.3g mm, at column %.0f, row %.0f\toriginal%s\n", k+1, r.Contrast, unit, r.Radius, (lo[0]+hi[0])/2+1, (lo[1]+hi[1])/2+1, heads(r.Result != nil, "\tresult"))
		curves := []*measure.MTF{&r.Original, r.Result}
		fallRows(tw, curves)
		if !r.Why.IsZero() {
			fmt.Fprintf(tw, "result  none: %s\n", r.Why)
		}
	}
	if !f.NoTask.IsZero() {
		fmt.Fprintf(tw, "d'  none: %s\n", f.NoTask)
	}
	for _, t := range f.Tasks {
		of := []*physics.Index{&t.Before, t.After}
		fmt.Fprintf(tw, "d' of a disc of %.3g mm, %.3g %s, by rod %d\toriginal%s\n", t.Diameter, t.Contrast, unit, t.Rod+1, heads(t.After != nil, "\tresult"))
		rows(tw, "without the eye", of, func(i *physics.Index) string { return indexText(i.NPW) })
		rows(tw, "with the eye", of, func(i *physics.Index) string { return indexText(i.Eye) })
		if !t.Why.IsZero() {
			fmt.Fprintf(tw, "none: %s\n", t.Why)
		}
	}
}

// spectrumRows writes what all noise power spectra have.
func spectrumRows(w io.Writer, unit string, of []*measure.NPS) {
	rows(w, "sigma, "+unit, of, func(s *measure.NPS) string { return fmt.Sprintf("%.4g", math.Sqrt(s.Variance)) })
	rows(w, "mean frequency, 1/mm", of, func(s *measure.NPS) string { return fmt.Sprintf("%.3g", float64(s.Mean)) })
	rows(w, "peak frequency, 1/mm", of, peakText)
}

// fallRows writes the frequencies at which transfer functions fall to a half and to a tenth.
func fallRows(w io.Writer, of []*measure.MTF) {
	rows(w, "f50, 1/mm", of, func(c *measure.MTF) string { return fallOf(c.F50) })
	rows(w, "f10, 1/mm", of, func(c *measure.MTF) string { return fallOf(c.F10) })
}

func indexText(i detect.TaskIndex) string {
	if !i.Value.Finite() {
		return "none"
	}
	return fmt.Sprintf("%.3g ± %.1g", float64(i.Value), float64(i.Error))
}

func peakText(s *measure.NPS) string {
	if !s.Peak.Finite() {
		return "none stands out"
	}
	return fmt.Sprintf("%.3g", float64(s.Peak))
}

func fallOf(f measure.Fall) string {
	if !f.Why.IsZero() {
		return "none: " + f.Why.String()
	}
	return fmt.Sprintf("%.3f ± %.3f", float64(f.At), float64(f.Error))
}
