// Package physics measures a series and the result of a filter as AAPM TG-233 does: noise power spectrum, task transfer
// function of rods of several contrasts, and d' of discs by both. Regions and rods are found by themselves, or given.
//
// Its functions change no argument and may be called from several goroutines.
package physics

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"quell/internal/message"
	"quell/measure"
	"quell/measure/detect"
	"quell/report/chart"
)

// Request selects the measurements.
type Request struct {
	Before, After []measure.Slice   // After is nil without a result, else as long as Before
	Counts        func(i int) bool  // pixels of the first slice that even regions may hold; nil for all
	Regions       []measure.Outline // even regions; nil: they are found
	Rods          []measure.Outline // ellipses around discs, or boxes across edges; nil: they are found
	Diameters     []float64         // of the discs of d', in mm; nil: 3, 5 and 8 pixels
	Contrast      float64           // of these discs, in the unit; 0: the SD of the noise before
}

// Figures are what was measured. Before and after are the same regions, rods and tasks.
type Figures struct {
	Regions []measure.Outline `json:"regions"`
	Spectra *measure.Spectra  `json:"nps,omitempty"`
	Why     message.Message   `json:"why,omitzero"` // there is no spectrum: a clause
	Rods    []Rod             `json:"rods"`
	Tasks   []Task            `json:"tasks,omitempty"`
	NoTask  message.Message   `json:"why_no_task,omitzero"` // there is no d': a clause
}

// Rod is the transfer across the rim of one rod.
type Rod struct {
	Outline  measure.Outline `json:"outline"`
	Contrast float64         `json:"contrast"` // inside less outside, before
	measure.Transfers
}

// Task is d' of a disc.
type Task struct {
	detect.Task
	Rod    int             `json:"rod"` // of which the transfer function is
	Before Index           `json:"before"`
	After  *Index          `json:"after,omitempty"`
	Why    message.Message `json:"why,omitzero"` // a figure is missing: a clause
}

// Index is d' of two observers: the non-prewhitening one, and the same with the eye and internal noise.
type Index struct {
	NPW detect.TaskIndex `json:"npw"`
	Eye detect.TaskIndex `json:"npwe"`
}

// usualPixels are the diameters of discs if none is given, in pixels.
var usualPixels = []float64{3, 5, 8}

// Measure measures. It fails only if it is cancelled; what cannot be measured has a reason in its place.
func Measure(ctx context.Context, q Request) (Figures, error) {
	f := Figures{Regions: q.Regions, Rods: []Rod{}}
	if f.Regions == nil {
		f.Regions = measure.EvenRegions(q.Before, q.Counts)
	}
	if len(f.Regions) == 0 {
		f.Why = message.New(message.MeasureUneven, "no square of 16 x 16 pixels in the slices is homogeneous")
	} else if s, err := measure.SpectraOf(q.Before, q.After, f.Regions); err != nil {
		f.Why = message.Of(err)
	} else {
		f.Spectra = &s
	}
	if err := ctx.Err(); err != nil {
		return f, err
	}
	if err := f.findRods(ctx, q); err != nil {
		return f, err
	}
	f.findTasks(q)
	return f, nil
}

// findRods measures across the rims of rods.
func (f *Figures) findRods(ctx context.Context, q Request) error {
	before := measure.MeanSlice(q.Before)
	var after *measure.Slice
	if q.After != nil {
		mean := measure.MeanSlice(q.After)
		after = &mean
	}
	outlines := q.Rods
	if outlines == nil {
		rods, err := measure.RodsOf(ctx, before, nil)
		if err != nil {
			return err
		}
		for _, r := range rods {
			outlines = append(outlines, r.Outline)
		}
	}
	for _, o := range outlines {
		if t, err := measure.TransfersOf(before, after, o); err == nil {
			f.Rods = append(f.Rods, Rod{Outline: o, Contrast: -t.Original.Height, Transfers: t})
		}
	}
	return nil
}

// findTasks computes d' by the spectrum and the rod with the contrast next to the discs', of rods whose
// curve goes far enough.
func (f *Figures) findTasks(q Request) {
	switch {
	case f.Spectra == nil:
		f.NoTask = message.New(message.MeasureUneven, "d' needs a noise power spectrum")
		return
	case len(f.Rods) == 0:
		f.NoTask = message.New(message.MeasureEdge, "d' needs a transfer function, and no disc of enough contrast for its noise was found")
		return
	}
	contrast, pixel := q.Contrast, q.Before[0].Pixel
	if contrast == 0 {
		contrast = math.Sqrt(f.Spectra.Original.Variance)
	}
	diameters := q.Diameters
	if diameters == nil {
		for _, n := range usualPixels {
			diameters = append(diameters, n*max(pixel[0], pixel[1]))
		}
	}
	// Rods by their contrast, the one next to the discs' first: noise ends the curve of a faint one too early.
	order := make([]int, len(f.Rods))
	for k := range order {
		order[k] = k
	}
	far := func(k int) float64 { return math.Abs(math.Abs(f.Rods[k].Contrast) - math.Abs(contrast)) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(far(a), far(b)) })
	side := math.Inf(1)
	for _, o := range f.Regions {
		lo, hi := o.Bounds()
		side = min(side, (hi[0]-lo[0]+1)*pixel[0], (hi[1]-lo[1]+1)*pixel[1])
	}
	for _, d := range diameters {
		t := Task{Task: detect.Task{Diameter: d, Contrast: contrast}}
		var err error
		for _, t.Rod = range order {
			if t.Before, err = indexOf(t.Task, f.Spectra.Original, f.Rods[t.Rod].Original, side); err == nil {
				break
			}
		}
		if err != nil {
			t.Why = message.Of(err)
		} else if f.Spectra.Result != nil && f.Rods[t.Rod].Result != nil {
			after, err := indexOf(t.Task, *f.Spectra.Result, *f.Rods[t.Rod].Result, side)
			if err != nil {
				t.Why = message.Of(err)
			} else {
				t.After = &after
			}
		}
		f.Tasks = append(f.Tasks, t)
	}
}

// indexOf returns d' by both observers; both are NaN with an error.
func indexOf(t detect.Task, n measure.NPS, m measure.MTF, side float64) (out Index, err error) {
	none := detect.TaskIndex{Value: measure.Float(math.NaN()), Error: measure.Float(math.NaN())}
	if out.NPW, err = t.Index(n, m, side, nil); err == nil {
		out.Eye, err = t.Index(n, m, side, &detect.UsualScreen)
	}
	if err != nil {
		return Index{none, none}, err
	}
	return out, nil
}

// Words are the texts of the charts.
type Words struct{ Original, Result, Frequency, Spectrum, Transfer, Value string }

// English are the texts of the command line.
var English = Words{"original", "result", "cycles/mm", "NPS", "TTF", "value"}

// Charts returns the radial spectra and the task transfer functions, before and after. A chart without a curve is left out; if there is
// none the spectrum is empty.
func (f Figures) Charts(unit string, w Words) (all []chart.Chart) {
	spectra := chart.Chart{X: chart.Axis{Label: w.Frequency}, Y: chart.Axis{Label: w.Spectrum + ", " + cmp.Or(unit, w.Value) + "² mm²", Zero: true}}
	if f.Spectra != nil {
		for k, n := range []*measure.NPS{&f.Spectra.Original, f.Spectra.Result} {
			if n == nil {
				continue
			}
			c := chart.Curve{Name: [2]string{w.Original, w.Result}[k], Series: k, Width: 1.5}
			for i, at := range n.Frequency {
				if at <= n.Nyquist {
					c.Points = append(c.Points, chart.Point{X: at, Y: n.Power[i]})
				}
			}
			spectra.Curves = append(spectra.Curves, c)
		}
	}
	all = append(all, spectra)
	transfers := chart.Chart{X: chart.Axis{Label: w.Frequency}, Y: chart.Axis{Label: w.Transfer, Zero: true}}
	for k, r := range f.Rods {
		for c, m := range []*measure.MTF{&r.Original, r.Result} {
			if m == nil {
				continue
			}
			curve := chart.Curve{Name: strings.TrimSpace(fmt.Sprintf("%s, %.0f %s", [2]string{w.Original, w.Result}[c], r.Contrast, unit)), Series: k, Width: 1.5, Dashed: c == 1}
			for i, at := range m.Frequency {
				curve.Points = append(curve.Points, chart.Point{X: at, Y: m.Value[i]})
			}
			transfers.Curves = append(transfers.Curves, curve)
		}
	}
	if len(transfers.Curves) > 0 {
		all = append(all, transfers)
	}
	return all
}
