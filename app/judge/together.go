package judge

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"quell/denoise/noise"
	"quell/denoise/verdict"
	"quell/internal/message"
	"quell/measure"
	"quell/series"
	"quell/volume"
)

// FewestTogether is the number of volumes from which on those of a 4-D series are judged together.
const FewestTogether = 8

// SeriesAssessment judges a 4-D series: noise and texture by the median of its volumes, contrast by their mean, in which what
// all volumes have is seen, and what one volume has alone by itself.
type SeriesAssessment struct {
	Verdict
	TSNR        *TSNR        `json:"tsnr,omitempty"` // of volumes that repeat each other
	Contrasts   []Shell      `json:"contrasts"`
	Diffusivity *Diffusivity `json:"mean_diffusivity,omitempty"`
	Lost        []Lost       `json:"lost"` // the most certain first
}

// Shell is the mean signal of volumes of one contrast, or of one shell of b-values, in the foreground.
type Shell struct {
	Name    string        `json:"name"`
	Volumes int           `json:"volumes"`
	Before  measure.Float `json:"mean_before"`
	After   measure.Float `json:"mean_after"`
	Bias    measure.Float `json:"bias"` // the share by which it changed

	b                      float64           // of a shell
	before, after, squares []float64         // sums over the volumes; squares of what voxels differ in from their surroundings
	off, offAfter          []float64         // surround of the sums
	figures                []verdict.Figures // of the volumes
}

// Diffusivity is the median in the foreground of ln(S0 / S) / b, S being the mean over the directions of a shell.
type Diffusivity struct {
	B      float64       `json:"b"`      // s/mm2, of the shell
	Before measure.Float `json:"before"` // mm2/s
	After  measure.Float `json:"after"`
	Bias   measure.Float `json:"bias"`
}

// Lost is an object that one volume has alone, and that the result does not keep.
type Lost struct {
	Volume int           `json:"volume"` // from 0
	Voxels int           `json:"voxels"`
	At     [3]int        `json:"at"` // its most certain voxel
	Sigmas float64       `json:"sigmas"`
	Kept   measure.Float `json:"kept"` // of its contrast
}

const (
	// An object that one volume has alone has voxels of leastGrown sigmas each, of leastMean in the mean, and of leastSum together:
	// their sum over the root of their number.
	leastGrown, leastMean, leastSum = 4, 5, 8
	// fewestAlike volumes of one contrast show what another one has alone.
	fewestAlike = 4
	shellWidth  = 100 // s/mm2
)

// AssessSeries judges n volumes of a 4-D series, which input returns, together. It reads each twice, and returns what is known
// of each as well. The error is input's, or the context's.
func AssessSeries(ctx context.Context, g *series.Group, n int, input func(k int) (Input, error)) (a SeriesAssessment, each []Assessment, err error) {
	a.Lost = []Lost{}
	var first Input
	var all, over = map[string]*Shell{}, NewOverTime(g)
	var order []*Shell
	var doubt message.Message
	for k := range n {
		in, err := input(k)
		if err != nil {
			return a, nil, err
		}
		in.Together = true
		one, err := Assess(ctx, in)
		if err != nil {
			return a, nil, err
		}
		if each = append(each, one); one.Mismatch != nil && doubt.IsZero() {
			doubt = message.Text("%s: %s", message.Verbatim(g.Places[k].String()), one.Why)
		}
		name, b := shell(g, k)
		c := all[name]
		if c == nil {
			size := len(in.After.Data)
			c = &Shell{Name: name, b: b, before: make([]float64, size), after: make([]float64, size), squares: make([]float64, size)}
			all[name], order = c, append(order, c)
		}
		c.add(in)
		c.figures = append(c.figures, one.Figures)
		if over != nil && g.Contrast(k) == over.Contrast {
			if err := over.Add(ctx, in.Before.Volume, in.After); err != nil {
				return a, nil, err
			}
		}
		if k == 0 {
			first = in
		}
	}
	if over != nil {
		a.TSNR = over.Figures()
	}
	inside, err := a.means(ctx, first, order, each)
	if err != nil {
		return a, nil, err
	}
	for k := range n {
		if name, _ := shell(g, k); all[name].Volumes >= fewestAlike {
			in, err := input(k)
			if err != nil {
				return a, nil, err
			}
			a.Lost = append(a.Lost, all[name].lost(in, k, inside)...)
		}
	}
	a.decide(doubt)
	return a, each, nil
}

// shell returns the contrast of volume k, of diffusion by its b-value alone.
func shell(g *series.Group, k int) (name string, b float64) {
	if g.Gradients == nil || k >= len(g.Gradients.Volumes) || !g.Gradients.Weighted() {
		return g.Contrast(k), 0
	}
	b = math.Round(g.Gradients.Volumes[k].B/shellWidth) * shellWidth
	return fmt.Sprintf("b-value %g", b), b
}

func (c *Shell) add(in Input) {
	c.Volumes++
	before, after := values(in.Before.Volume), values(in.After)
	for i, d := range surround(before, in.After.Dims) {
		c.before[i] += before[i]
		c.after[i] += after[i]
		c.squares[i] += d * d
	}
}

// means fills in what the means over the volumes show, and returns the foreground.
func (a *SeriesAssessment) means(ctx context.Context, first Input, all []*Shell, each []Assessment) (inside func(i int) bool, err error) {
	mean := [2]volume.Volume{*first.Before.Volume, *first.After}
	for side := range mean {
		mean[side].Data = make([]float32, len(first.After.Data))
		for i := range mean[side].Data {
			sum := 0.0
			for _, c := range all {
				sum += [2][]float64{c.before, c.after}[side][i]
			}
			mean[side].Data[i] = float32(sum / float64(len(each)))
		}
	}
	if inside, err = noise.Foreground(ctx, &mean[0]); err != nil {
		return nil, err
	}
	in := Input{Before: &series.Series{Volume: &mean[0]}, After: &mean[1], Mask: first.Mask, Region: mean[1].Bounds()}
	ground, err := in.ground(ctx)
	if err != nil {
		return nil, err
	}
	contrast := ground.tissue.Of(in.After, in.Region).Figures()
	best := verdict.None()
	for _, c := range all {
		f := verdict.Of(middle(c.figures, verdict.Figures.Noise), contrast.Contrast(), middle(c.figures, verdict.Figures.Texture))
		if !(f.TextureKept <= best.TextureKept) { // anatomy that differs from volume to volume looks like noise that is left
			best = f
		}
		c.off, c.offAfter = surround(c.before, mean[0].Dims), surround(c.after, mean[0].Dims)
		var before, after moments
		for i := range c.before {
			if inside(i) {
				before.add(c.before[i])
				after.add(c.after[i])
			}
		}
		n := before.n * float64(c.Volumes)
		c.Before, c.After, c.Bias = measure.Float(before.sum/n), measure.Float(after.sum/n), measure.Float(after.sum/before.sum-1)
		a.Contrasts = append(a.Contrasts, *c)
	}
	best.ObjectSize, best.ObjectSlices, best.Regions = contrast.ObjectSize, contrast.ObjectSlices, contrast.Regions
	a.Figures, a.Diffusivity = best, diffusivity(all, inside)
	return inside, nil
}

// middle returns the medians of a share over the volumes in which it is known.
func middle(each []verdict.Figures, of func(verdict.Figures) verdict.Share) verdict.Share {
	var all [3][]float64
	for _, one := range each {
		if s := of(one); s.Known() {
			for k, x := range []float64{s.Value, s.Low, s.High} {
				all[k] = append(all[k], x)
			}
		}
	}
	return verdict.Share{Value: median(all[0]), Low: median(all[1]), High: median(all[2])}
}

func median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	slices.Sort(x)
	return x[len(x)/2]
}

// diffusivity is that of the shell with the most volumes; nil without one, or without volumes at b = 0.
func diffusivity(all []*Shell, inside func(i int) bool) *Diffusivity {
	var zero, most *Shell
	for _, c := range all {
		switch {
		case c.b == 0:
			zero = c
		case most == nil || c.Volumes > most.Volumes:
			most = c
		}
	}
	if zero == nil || most == nil {
		return nil
	}
	var values [2][]float64
	ratio := float64(most.Volumes) / float64(zero.Volumes)
	for i := range zero.before {
		before, after := zero.before[i]/most.before[i], zero.after[i]/most.after[i]
		if inside(i) && before > 0 && after > 0 && !math.IsInf(before, 0) && !math.IsInf(after, 0) {
			values[0], values[1] = append(values[0], math.Log(before*ratio)/most.b), append(values[1], math.Log(after*ratio)/most.b)
		}
	}
	d := &Diffusivity{B: most.b, Before: measure.Float(median(values[0])), After: measure.Float(median(values[1]))}
	d.Bias = d.After/d.Before - 1
	return d
}

// lost returns the objects that volume k of the contrast has alone and that the result lost.
func (c *Shell) lost(in Input, k int, inside func(i int) bool) (all []Lost) {
	d := in.After.Dims
	before, after := surround(values(in.Before.Volume), d), surround(values(in.After), d)
	others := float64(c.Volumes - 1)
	variance := make([]float64, len(before))
	for i, x := range before { // of the other volumes
		mean := (c.off[i] - x) / others
		variance[i] = max((c.squares[i]-x*x-others*mean*mean)/(others-1), 0)
		before[i] = x - mean
		after[i] -= (c.offAfter[i] - after[i]) / others
	}
	ones := slices.Repeat([]float64{1}, len(before))
	around, count := boxes(variance, d, 1), boxes(ones, d, 1)
	z := func(i int) float64 {
		return before[i] / math.Sqrt(max(variance[i], around[i]/count[i])*(1+1/others))
	}
	seen := make([]bool, len(before))
	for i := range before {
		peak := z(i)
		if seen[i] || !inside(i) || !(math.Abs(peak) > leastGrown) {
			continue
		}
		var sum, was, is float64
		grown := []int{i}
		seen[i] = true
		for k := 0; k < len(grown); k++ {
			at := grown[k]
			sum, was, is = sum+math.Abs(z(at)), was+before[at], is+after[at]
			neighbours(at, d, func(o int) {
				if x := z(o); !seen[o] && math.Abs(x) > leastGrown && (x > 0) == (peak > 0) {
					seen[o] = true
					grown = append(grown, o)
				}
			})
		}
		n := float64(len(grown))
		if kept := is / was; sum >= leastMean*n && sum >= leastSum*math.Sqrt(n) && kept < verdict.Usual.Contrast {
			all = append(all, Lost{Volume: k, Voxels: len(grown), At: [3]int{i % d[0], i / d[0] % d[1], i / d[0] / d[1]}, Sigmas: sum / n, Kept: measure.Float(kept)})
		}
	}
	return all
}

// decide finds the verdict; doubt is why a volume has none.
func (a *SeriesAssessment) decide(doubt message.Message) {
	certain := func(l Lost) float64 { return l.Sigmas * math.Sqrt(float64(l.Voxels)) }
	slices.SortStableFunc(a.Lost, func(x, y Lost) int { return cmp.Compare(certain(y), certain(x)) })
	a.Judgement, a.Why = verdict.Usual.Judge(a.Figures)
	a.Code = a.Why.Kind()
	switch {
	case !doubt.IsZero():
		a.Judgement, a.Why, a.Code, a.Figures = verdict.Unknown, doubt, message.VerdictMismatch, verdict.None()
	case len(a.Lost) > 0:
		l := a.Lost[0]
		a.Judgement, a.Code = verdict.Fades, message.VisibilityLost
		a.Why = message.New(message.VisibilityLost, "Objects that one volume has alone fade, %d in all: %d voxels of %.3g sigmas in volume %d, at x %d, y %d in slice %d, keep %.0f %% of their contrast (bound %.0f %%).",
			len(a.Lost), l.Voxels, l.Sigmas, l.Volume+1, l.At[0]+1, l.At[1]+1, l.At[2]+1, 100*l.Kept, 100*verdict.Usual.Contrast)
	case a.Judgement == verdict.Fades:
		a.Why = message.New(message.VisibilityLost, "In the mean of the volumes: %s", a.Why)
	}
}

// values returns the voxels of a volume, 0 for those that are padding.
func values(v *volume.Volume) []float64 {
	out := make([]float64, len(v.Data))
	for i, x := range v.Data {
		if v.Valid(i) {
			out[i] = float64(x)
		}
	}
	return out
}

// surround returns how far each voxel is off the mean of those around it: 5 x 5 x 5 without the 3 x 3 x 3 in the middle.
func surround(x []float64, d [3]int) []float64 {
	ones := slices.Repeat([]float64{1}, len(x))
	inner, outer, nIn, nOut := boxes(x, d, 1), boxes(x, d, 2), boxes(ones, d, 1), boxes(ones, d, 2)
	for i, v := range x {
		inner[i] = v - (outer[i]-inner[i])/max(nOut[i]-nIn[i], 1)
	}
	return inner
}

// boxes returns the sums over the boxes of a radius around every voxel, cut at the border.
func boxes(x []float64, d [3]int, radius int) []float64 {
	out, stride := slices.Clone(x), 1
	for _, n := range d {
		sums := make([]float64, n+1)
		for i := range out {
			if i/stride%n > 0 {
				continue
			}
			for k := range n {
				sums[k+1] = sums[k] + out[i+k*stride]
			}
			for k := range n {
				out[i+k*stride] = sums[min(k+radius+1, n)] - sums[max(k-radius, 0)]
			}
		}
		stride *= n
	}
	return out
}

// neighbours calls f with the voxels around one.
func neighbours(at int, d [3]int, f func(i int)) {
	x, y, z := at%d[0], at/d[0]%d[1], at/d[0]/d[1]
	for k := max(z-1, 0); k <= min(z+1, d[2]-1); k++ {
		for j := max(y-1, 0); j <= min(y+1, d[1]-1); j++ {
			for i := max(x-1, 0); i <= min(x+1, d[0]-1); i++ {
				f((k*d[1]+j)*d[0] + i)
			}
		}
	}
}
