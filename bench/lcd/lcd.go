// Package lcd measures low-contrast detectability: four inserts, imaged at levels of noise, filtered
// by every filter, and looked at by model observers (package measure/detect). [CT] is the FDA's task
// on own scans, as the images of the FDA's tool are ten of a kind, which cannot rank filters; [MR]
// is its counterpart in the white matter of a head.
//
// Only quell bench imports it.
package lcd

import (
	"context"
	"math"
	"slices"
	"time"

	"quell/denoise"
	"quell/internal/parallel"
	"quell/measure/detect"
	"quell/volume"
)

const (
	side       = 29 // of a region, in pixels
	calibrated = 8  // images by which automatic values are resolved
)

// Options select the runs.
type Options struct {
	Task    Task
	Images  int       // of each kind, at least 4; below 10 d' may be infinite
	Levels  []float64 // of the task; nil for all
	Filters []string  // names; nil for all
	Seed    uint64
	Engine  denoise.Engine
	// Progress receives the steps that are done; nil for none.
	Progress func(done, total int)
}

// Cell is one filter at one insert and level; the filter "" is the image as it is.
type Cell struct {
	Level  float64 `json:"level"`
	Insert Insert  `json:"insert"`
	Filter string  `json:"filter"`
	Recipe string  `json:"recipe,omitempty"`
	// Kept is the response to the insert in its template, over the response in the image as it is.
	Kept detect.Interval `json:"kept"`
	// Noise is the SD in the regions over the SD of the image as it is.
	Noise     float64            `json:"noise"`
	Observers map[string]Figures `json:"observers"` // by name: Observers
}

// Figures are those of one observer.
type Figures struct {
	AUC detect.Interval `json:"auc"`
	SNR detect.Interval `json:"snr"`
}

// Observers are the names, in the order of tables.
var Observers = []string{"LG_CHO", "DOG_CHO", "NPW", "NPWE"}

// Result is all cells.
type Result struct {
	Task    Task    `json:"task"`
	Images  int     `json:"images"`
	Seed    uint64  `json:"seed"`
	Engine  string  `json:"engine"`
	SD      []Noise `json:"noise"` // of the images as they are
	Cells   []Cell  `json:"cells"`
	Seconds float64 `json:"seconds"`
}

// Noise is the SD of the images of a level.
type Noise struct {
	Level float64 `json:"level"`
	SD    float64 `json:"sd"` // in the unit of the task
}

// Run makes images, filters and looks. The images with the inserts have the noise of those without, so
// that every region has its twin. The error is the context's or the engine's.
func Run(ctx context.Context, o Options) (Result, error) {
	started := time.Now()
	r := Result{Task: o.Task, Images: o.Images, Seed: o.Seed, Engine: o.Engine.Info().Name}
	if o.Filters == nil {
		for _, f := range denoise.Filters() {
			if slices.Contains(f.Dims, 2) { // images are filtered slice by slice
				o.Filters = append(o.Filters, f.Name)
			}
		}
	}
	if o.Levels == nil {
		o.Levels = o.Task.Levels
	}
	total, done := len(o.Levels)*(len(o.Filters)+2), 0
	step := func() {
		done++
		if o.Progress != nil {
			o.Progress(done, total)
		}
	}
	for _, level := range o.Levels {
		absent, present, err := o.Task.images(ctx, level, o.Images, o.Seed)
		if err != nil {
			return r, err
		}
		step()
		before := o.regions(absent, present)
		r.SD = append(r.SD, Noise{level, before.noise()})
		for _, name := range append([]string{""}, o.Filters...) {
			after, text := before, ""
			if name != "" {
				if after, text, err = o.filtered(ctx, name, absent, present); err != nil {
					return r, err
				}
			}
			cells, err := o.look(ctx, before, after)
			if err != nil {
				return r, err
			}
			for i := range cells {
				cells[i].Level, cells[i].Filter, cells[i].Recipe = level, name, text
			}
			r.Cells = append(r.Cells, cells...)
			step()
		}
	}
	r.Seconds = time.Since(started).Seconds()
	return r, nil
}

// filtered returns the regions that a filter makes of both kinds, slice by slice, and its recipe. Automatic values
// are those of the first images with the inserts.
func (o Options) filtered(ctx context.Context, name string, absent, present *volume.Volume) (regions, string, error) {
	r, err := denoise.NewRecipe(name, 2)
	if err != nil {
		return regions{}, "", err
	}
	first := present.Crop(volume.Slices(present.Geometry, 0, min(calibrated, o.Images)))
	if r, err = r.ResolveFor(ctx, denoise.Input{Volume: first}); err != nil {
		return regions{}, "", err
	}
	out := make(regions, len(o.Task.Inserts))
	for i := range out {
		for k, v := range []*volume.Volume{absent, present} {
			result, err := o.Engine.Run(ctx, r, denoise.Input{Volume: v}, o.Task.Inserts[i].box(o.Images), nil)
			if err != nil {
				return regions{}, "", err
			}
			out[i][k] = cut(result, side/2, side/2)
		}
	}
	return out, r.String(), nil
}

// box is the region of an insert in every slice.
func (i Insert) box(slices int) volume.Region {
	h := side / 2
	return volume.Region{Min: [3]int{i.column - h, i.row - h, 0}, Max: [3]int{i.column + h + 1, i.row + h + 1, slices}}
}

// regions are, for every insert, the regions without and with it, less their mean.
type regions [][2][][]float64

func (o Options) regions(absent, present *volume.Volume) regions {
	out := make(regions, len(o.Task.Inserts))
	for i, insert := range o.Task.Inserts {
		for k, v := range []*volume.Volume{absent, present} {
			out[i][k] = cut(v, insert.column, insert.row)
		}
	}
	return out
}

// cut returns the region about a pixel of every slice.
func cut(v *volume.Volume, column, row int) (all [][]float64) {
	for z := range v.Dims[2] {
		region, err := detect.Cut(v.Plane(z), v.Dims[0], column, row, side)
		if err != nil {
			panic(err) // the places are constants
		}
		all = append(all, region)
	}
	return all
}

// noise returns the root mean square of the SD in the regions without inserts.
func (r regions) noise() float64 {
	var sum, n float64
	for _, insert := range r {
		for _, region := range insert[0] {
			for _, x := range region {
				sum += x * x
			}
			n += side*side - 1
		}
	}
	return math.Sqrt(sum / n)
}

// look returns the cells of one filter.
func (o Options) look(ctx context.Context, before, after regions) ([]Cell, error) {
	cells := make([]Cell, len(o.Task.Inserts))
	ratio := after.noise() / before.noise()
	err := parallel.For(ctx, len(o.Task.Inserts), func(i int) error {
		insert := o.Task.Inserts[i]
		c := Cell{Insert: insert, Noise: ratio, Observers: map[string]Figures{}}
		c.Kept = kept(before[i], after[i])
		lg := detect.LaguerreGauss(side, detect.WidthFor(insert.Diameter/o.Task.pixel), detect.LaguerreGaussCount)
		for k, observer := range []detect.Observer{
			detect.Channelised{Channels: lg}, detect.Channelised{Channels: detect.DenseDOG(side)}, detect.NonPrewhitening{}, detect.NonPrewhitening{Eye: detect.UsualEye},
		} {
			auc, snr, err := detect.Study(observer, after[i][0], after[i][1], detect.Options{Seed: o.Seed, Paired: true})
			if err != nil {
				return err
			}
			c.Observers[Observers[k]] = Figures{auc, snr}
		}
		cells[i] = c
		return nil
	})
	return cells, err
}

// kept returns the mean response in the template of the insert over that of the images as they are, with an interval from its
// spread over the images.
func kept(before, after [2][][]float64) detect.Interval {
	var sum, squares float64
	n := float64(len(after[0]))
	for z := range after[0] {
		var response, energy float64
		for p := range after[0][z] {
			s := before[1][z][p] - before[0][z][p]
			energy += s * s
			response += s * (after[1][z][p] - after[0][z][p])
		}
		sum += response / energy
		squares += response / energy * response / energy
	}
	mean := sum / n
	half := 1.96 * math.Sqrt(max(squares/n-mean*mean, 0)/(n-1))
	return detect.Interval{Value: mean, Lo: mean - half, Hi: mean + half}
}
