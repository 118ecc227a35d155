package judge

import (
	"context"
	"math"
	"slices"

	"quell/denoise/noise"
	"quell/measure"
	"quell/series"
	"quell/volume"
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

// OverTime follows the voxels of the volumes of the most frequent contrast.
type OverTime struct {
	Contrast      string // of its volumes
	volumes, step int    // every so many voxels are followed
	inside        func(i int) bool
	sides         [2][]course // before, after
}

// course are the sums of n values less the first, of their squares, and of the squares of their differences.
type course struct{ first, last, n, sum, square, steps float64 }

func (m *course) add(x float64) {
	if m.n == 0 {
		m.first, m.last = x, x
	}
	step := x - m.last
	m.last, x = x, x-m.first
	m.n, m.sum, m.square, m.steps = m.n+1, m.sum+x, m.square+x*x, m.steps+step*step
}

// ratio returns mean over standard deviation; infinite for values that are equal.
func (m course) ratio() float64 {
	return (m.first + m.sum/m.n) / math.Sqrt(max(m.square-m.sum*m.sum/m.n, 0)/(m.n-1))
}

// NewOverTime returns one for the volumes of a group; nil if too few repeat each other.
func NewOverTime(g *series.Group) *OverTime {
	most := g.MostAlike()
	if len(most) < leastOverTime {
		return nil
	}
	return &OverTime{Contrast: g.Contrast(most[0])}
}

// Add takes a volume of the contrast.
func (o *OverTime) Add(ctx context.Context, before, after *volume.Volume) (err error) {
	if o.inside == nil {
		if o.inside, err = noise.Foreground(ctx, before); err != nil {
			return err
		}
		o.step = (len(before.Data)-1)/mostOverTime + 1
	}
	o.volumes++
	for side, data := range [][]float32{before.Data, after.Data} {
		if o.sides[side] == nil {
			o.sides[side] = make([]course, (len(data)-1)/o.step+1)
		}
		for i := range o.sides[side] {
			o.sides[side][i].add(float64(data[i*o.step]))
		}
	}
	return nil
}

// Figures returns the medians in the foreground; nil if there is none.
func (o *OverTime) Figures() *TSNR {
	var all [3][]float64
	for i, before := range o.sides[0] {
		if o.inside(i * o.step) {
			after := o.sides[1][i]
			for k, x := range []float64{before.ratio(), after.ratio(), math.Sqrt(after.steps / before.steps)} {
				all[k] = append(all[k], x)
			}
		}
	}
	if all[0] == nil {
		return nil
	}
	var medians [3]measure.Float
	for k, x := range all {
		slices.Sort(x)
		medians[k] = measure.Float(x[len(x)/2])
	}
	return &TSNR{Volumes: o.volumes, Before: medians[0], After: medians[1], NoiseRemoved: 1 - medians[2]}
}
