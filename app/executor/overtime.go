package executor

import (
	"context"
	"math"
	"slices"

	"quell/denoise/noise"
	"quell/measure"
	"quell/series"
)

// TSNR is the temporal signal-to-noise ratio of a 4-D series: mean over standard deviation of the values of a voxel over
// time, its median in the foreground.
type TSNR struct {
	Volumes int           `json:"volumes"` // of the most frequent contrast
	Before  measure.Float `json:"before"`
	After   measure.Float `json:"after"`
	// NoiseRemoved is 1 less the SD of what successive volumes differ in after, over that before.
	NoiseRemoved measure.Float `json:"noise_removed"`
}

// A ratio is given from leastOverTime volumes of one contrast on, of mostOverTime voxels.
const (
	leastOverTime = 8
	mostOverTime  = 1 << 20
)

// overTime follows the voxels of the volumes of the most frequent contrast, before the filter and after.
type overTime struct {
	contrast string
	inside   func(i int) bool
	step     int // every so many voxels are followed
	before   []moments
	after    []moments
	volumes  int
}

// moments are the sums of n values less the first, of their squares, and of the squares of their differences.
type moments struct{ first, last, n, sum, square, steps float64 }

func (m *moments) add(x float64) {
	if m.n == 0 {
		m.first, m.last = x, x
	}
	step := x - m.last
	m.last, x = x, x-m.first
	m.n, m.sum, m.square, m.steps = m.n+1, m.sum+x, m.square+x*x, m.steps+step*step
}

// ratio returns mean over standard deviation; infinite for values that are equal.
func (m moments) ratio() float64 {
	mean := m.sum / m.n
	return (m.first + mean) / math.Sqrt(max(m.square/m.n-mean*mean, 0)*m.n/(m.n-1))
}

// newOverTime returns one for the volumes of a group; nil if too few repeat each other.
func newOverTime(g *series.Group) *overTime {
	if g == nil {
		return nil
	}
	times, o := map[string]int{}, &overTime{}
	for k := range g.Places {
		contrast := g.Contrast(k)
		if times[contrast]++; times[contrast] > times[o.contrast] || k == 0 {
			o.contrast = contrast
		}
	}
	if times[o.contrast] < leastOverTime {
		return nil
	}
	return o
}

// add takes a volume.
func (o *overTime) add(ctx context.Context, made *Made) (err error) {
	before := made.Section().Volume
	if o.inside == nil {
		if o.inside, err = noise.Foreground(ctx, before); err != nil {
			return err
		}
		o.step = (len(before.Data)-1)/mostOverTime + 1
		n := (len(before.Data)-1)/o.step + 1
		o.before, o.after = make([]moments, n), make([]moments, n)
	}
	for i := range o.before {
		o.before[i].add(float64(before.Data[i*o.step]))
		o.after[i].add(float64(made.Result.Data[i*o.step]))
	}
	o.volumes++
	return nil
}

// figures returns the medians in the foreground; nil if there is none.
func (o *overTime) figures() *TSNR {
	var before, after, left []float64
	for i := range o.before {
		if o.inside(i * o.step) {
			before, after = append(before, o.before[i].ratio()), append(after, o.after[i].ratio())
			left = append(left, math.Sqrt(o.after[i].steps/o.before[i].steps))
		}
	}
	if len(before) == 0 {
		return nil
	}
	return &TSNR{Volumes: o.volumes, Before: median(before), After: median(after), NoiseRemoved: 1 - median(left)}
}

// median returns that of the values that are numbers; NaN if none is.
func median(x []float64) measure.Float {
	x = slices.DeleteFunc(x, math.IsNaN)
	if len(x) == 0 {
		return measure.Float(math.NaN())
	}
	slices.Sort(x)
	return measure.Float(x[len(x)/2])
}
