package judging

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"quell/app/files"
	"quell/app/job"
	"quell/cmd/command"
	"quell/cmd/option"
	"quell/internal/message"
	"quell/measure"
	"quell/measure/physics"
	"quell/volume"
)

// Measure is quell measure.
func Measure() command.Command {
	nps, disc, edge, of, sizes, contrast := new([]string), new([]string), new([]string), new(string), new([]string), new(float64)
	var chartPath string
	overwrite := new(bool)
	var pick option.Choice
	c := command.Command{
		Name:  "measure IN [RESULT] [--nps BOX] [--disc BOX] [--edge BOX]",
		Short: "Measure noise power spectrum, resolution and d' of a series and its result",
		Long: `Measure the noise power spectrum in homogeneous regions and the modulation transfer
function across edges, of IN, of RESULT in the same places, and of what was removed.

Without a BOX homogeneous regions of the foreground and discs, the cross sections of rods, are
found by themselves, and d' of discs is computed (AAPM TG-233), by a non-prewhitening
observer without and with the eye. It takes the disc with the contrast next to theirs for
the resolution. --size and --contrast choose these discs. docs/DETECT.md has the definitions.

A BOX is X0:X1,Y0:Y1 on the slices as they are stored: the columns X0 to X1 and the
rows Y0 to Y1, counted from 1, both ends included. In the JSON they count from 0.

--nps averages the spectra of all its boxes on all slices, each less the surface of
second order that fits it best, in the square of the unit times mm2 over cycles/mm
(IEC 62220-1, AAPM TG-233). Its integral over the plane of frequencies is the variance.
--disc measures across the rim of the disc in an ellipse that fills the BOX, --edge across
a straight, slanted edge (the task transfer function of AAPM TG-233): edge and line spread
function of the mean of all slices, f50 and f10 with standard errors. RESULT is measured across the
edge that IN shows. Where a figure cannot be given, its reason is.`,
		Example: `  quell measure phantom/ denoised/ --slices 11:30 --size 3,5 --contrast 20
  quell measure phantom/ denoised/ --nps 101:164,201:264 --nps 301:364,201:264 --slices 11:30
  quell measure phantom/ denoised/ --disc 211:260,181:230 --slices 11:30 --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				return nil
			}
			return command.Exactly(1, "IN, and RESULT")(cmd, args)
		},
		Inputs: command.Every,
		Pipes:  true,
	}
	c.Flags = func(cmd *cobra.Command) {
		flags := cmd.Flags()
		flags.SortFlags = false
		flags.StringArrayVar(nps, "nps", nil, "a `BOX` whose noise power spectrum is measured; may be given several times")
		flags.StringArrayVar(disc, "disc", nil, "a `BOX` around a disc; may be given several times")
		flags.StringArrayVar(edge, "edge", nil, "a `BOX` across a straight edge; may be given several times")
		flags.StringVar(of, "slices", "", "measure the slices `A:B`, counted from 1, both included; the middle one if not given")
		flags.StringSliceVar(sizes, "size", nil, "`MM,...`: diameters of the discs of d' in mm; if not given, of 3, 5 and 8 pixels")
		flags.Float64Var(contrast, "contrast", 0, "contrast `C` of these discs in the unit of the series; if not given, the SD of the noise")
		option.AddOutput(flags, &chartPath, "chart", files.PictureOutput, "write a PNG of the spectra and transfer functions that were found to this `file`")
		flags.BoolVar(overwrite, "overwrite", false, "replace the chart although Quell did not write it")
		pick.AddTo(cmd)
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		found := len(*nps)+len(*disc)+len(*edge) == 0
		for _, name := range []string{"size", "contrast", "chart"} {
			if !found && cmd.Flags().Changed(name) {
				return job.Usagef("--%s is for what is found by itself: give no BOX", name)
			}
		}
		diameters, err := sizesOf(*sizes)
		if err != nil {
			return err
		}
		part, err := option.ParseSlices(*of)
		if err != nil {
			return err
		}
		in, err := command.OpenInput(cmd, pick.Input(args[0]))
		if err != nil {
			return err
		}
		defer in.Close()
		w := regions{unit: in.Volume.Unit}
		if w.before, err = slicesOf(in.Volume, part); err != nil {
			return err
		}
		if len(args) == 2 {
			after, err := command.OpenSame(cmd, args[1], in.Volume)
			if err != nil {
				return err
			}
			if w.after, err = slicesOf(after, part); err != nil {
				return err
			}
		}
		if found {
			q := physics.Request{Before: w.before, After: w.after, Diameters: diameters, Contrast: *contrast}
			if q.Counts, err = foregroundOf(cmd.Context(), in.Volume, part); err != nil {
				return err
			}
			return measureFound(cmd, q, w.unit, chartPath, *overwrite, in.Series)
		}
		out := measured{Unit: w.unit}
		if len(*nps) > 0 {
			if out.NPS, err = w.spectra(*nps); err != nil {
				return err
			}
		}
		for _, f := range []struct {
			boxes []string
			shape measure.Shape
			name  string
		}{{*disc, measure.Ellipse, "disc"}, {*edge, measure.Box, "edge"}} {
			for _, box := range f.boxes {
				m, err := w.transfers(f.name, box, f.shape)
				if err != nil {
					return err
				}
				out.MTF = append(out.MTF, m)
			}
		}
		return command.Print(cmd, out, out.print)
	}
	return c
}

// orMiddle returns the middle slice if none are given.
func orMiddle(part job.SliceRange, v *volume.Volume) job.SliceRange {
	if part == (job.SliceRange{}) {
		middle := v.Dims[2] / 2
		return job.SliceRange{From: middle, To: middle + 1}
	}
	return part
}

// slicesOf returns the slices of a volume that are measured.
func slicesOf(v *volume.Volume, part job.SliceRange) (out []measure.Slice, err error) {
	r, err := orMiddle(part, v).Region(v.Geometry)
	if err != nil {
		return nil, err
	}
	for z := r.Min[2]; z < r.Max[2]; z++ {
		s, err := measure.SliceOf(v, z)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// measured is what quell measure prints.
type measured struct {
	Unit string        `json:"unit,omitempty"`
	NPS  *npsJSON      `json:"nps,omitempty"`
	MTF  []transfersOf `json:"mtf,omitempty"`
}

type npsJSON struct {
	Boxes []option.Box `json:"boxes"`
	*measure.Spectra
	Why  message.Message `json:"why,omitzero"`   // there is none: a clause
	Code message.Kind    `json:"code,omitempty"` // of that reason
}

type transfersOf struct {
	Box option.Box `json:"box"`
	Of  string     `json:"of"` // disc or edge
	*measure.Transfers
	Why  message.Message `json:"why,omitzero"`   // there is none, or none of the result: a clause
	Code message.Kind    `json:"code,omitempty"` // of that reason
}

// regions measures in the slices of a series and of its result.
type regions struct {
	unit          string
	before, after []measure.Slice
}

// outline reads a BOX.
func (w regions) outline(flag, text string, shape measure.Shape) (option.Box, measure.Outline, error) {
	b, err := option.ParseBox(text)
	if err != nil {
		return b, measure.Outline{}, job.Usagef("--%s %s: %w", flag, text, err)
	}
	if s := w.before[0]; b.Max[0] > s.Width || b.Max[1] > s.Height {
		return b, measure.Outline{}, job.Usagef("--%s %s: the slices have %d columns and %d rows", flag, text, s.Width, s.Height)
	}
	corner := func(x, y int) [2]float64 { return [2]float64{float64(x), float64(y)} }
	return b, measure.Outline{Shape: shape, Points: [][2]float64{corner(b.Min[0], b.Min[1]), corner(b.Max[0]-1, b.Max[1]-1)}}, nil
}

func (w regions) spectra(boxes []string) (*npsJSON, error) {
	out := &npsJSON{}
	var rois []measure.Outline
	for _, text := range boxes {
		b, o, err := w.outline("nps", text, measure.Box)
		if err != nil {
			return nil, err
		}
		out.Boxes = append(out.Boxes, b)
		rois = append(rois, o)
	}
	s, err := measure.SpectraOf(w.before, w.after, rois)
	if err != nil {
		out.Why, out.Code = message.Of(err), message.KindOf(err)
		return out, nil //nolint:nilerr // Why holds it
	}
	out.Spectra = &s
	return out, nil
}

func (w regions) transfers(name, text string, shape measure.Shape) (transfersOf, error) {
	b, o, err := w.outline(name, text, shape)
	out := transfersOf{Box: b, Of: name}
	if err != nil {
		return out, err
	}
	var after *measure.Slice
	if w.after != nil {
		mean := measure.MeanSlice(w.after)
		after = &mean
	}
	m, err := measure.TransfersOf(measure.MeanSlice(w.before), after, o)
	if err != nil {
		out.Why, out.Code = message.Of(err), message.KindOf(err)
		return out, nil //nolint:nilerr // Why holds it
	}
	out.Transfers, out.Why, out.Code = &m, m.Why, m.Why.Kind()
	return out, nil
}

// print writes tables; JSON has the full precision and what they leave out.
func (m measured) print(tw io.Writer) {
	unit := m.Unit
	if unit == "" {
		unit = "value"
	}
	if n := m.NPS; n != nil && n.Spectra == nil {
		fmt.Fprintf(tw, "nps  none: %s\n", n.Why)
	} else if n != nil {
		spectra := []*measure.NPS{&n.Original, n.Result, n.Residual}
		fmt.Fprintf(tw, "nps of %d ROIs\toriginal%s\n", n.Original.ROIs, heads(n.Result != nil, "\tresult\tresidual"))
		spectrumRows(tw, unit, spectra)
		for k, f := range n.Original.Frequency {
			rows(tw, fmt.Sprintf("nps at %.4f/mm, %s2 mm2", f, unit), spectra, func(s *measure.NPS) string { return fmt.Sprintf("%.4g", s.Power[k]) })
		}
	}
	for _, t := range m.MTF {
		if t.Transfers == nil {
			fmt.Fprintf(tw, "mtf of %s %s  none: %s\n", t.Of, t.Box, t.Why)
			continue
		}
		curves := []*measure.MTF{&t.Original, t.Result}
		fmt.Fprintf(tw, "mtf of %s %s\toriginal%s\n", t.Of, t.Box, heads(t.Result != nil, "\tresult"))
		rows(tw, "height, "+unit, curves, func(c *measure.MTF) string { return fmt.Sprintf("%.4g", c.Height) })
		fallRows(tw, curves)
		for k, f := range t.Original.Frequency {
			rows(tw, fmt.Sprintf("mtf at %.4f/mm", f), curves, func(c *measure.MTF) string {
				if k >= len(c.Value) {
					return "-"
				}
				return fmt.Sprintf("%.3f", c.Value[k])
			})
		}
		if !t.Why.IsZero() {
			fmt.Fprintf(tw, "result  none: %s\n", t.Why)
		}
	}
}

func heads(more bool, text string) string {
	if !more {
		return ""
	}
	return text
}

// rows writes one row: a name, and a value of each that is there.
func rows[T any](w io.Writer, name string, of []*T, value func(*T) string) {
	fmt.Fprint(w, name)
	for _, x := range of {
		if x != nil {
			fmt.Fprint(w, "\t", value(x))
		}
	}
	fmt.Fprintln(w)
}
