package judge

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"quell/denoise/verdict"
	"quell/internal/message"
	"quell/measure"
	"quell/series"
	"quell/volume"
)

// FewestTogether volumes of a 4-D series or more are judged together.
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

	b       float64      // of a shell
	sums    [2][]float64 // before and after, over the volumes
	off     [2][]float64 // what voxels differ in from their surroundings
	squares [2][]float64 // the latter squared, before, and of what was removed
	figures []verdict.Figures
}

// Diffusivity is ln(S0 / S) / b, S being the mean signal of a shell.
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
	// A volume with more voxels together than mostVoxels moved, or is disturbed.
	mostVoxels = 125
	// fewestAlike volumes of one contrast show what another one has alone.
	fewestAlike = 4
	shellWidth  = 100 // s/mm2
	apart       = 3   // voxels, of a voxel and those it is compared with: an object of 3 voxels is not among them
)

// AssessSeries judges n volumes of a 4-D series, which input returns, together. It reads each twice, and returns what is known
// of each as well. The error is input's, or the context's.
func AssessSeries(ctx context.Context, g *series.Group, n int, input func(k int) (Input, error)) (a SeriesAssessment, each []Assessment, err error) {
	a.Lost = []Lost{}
	shells, over := map[string]*Shell{}, NewOverTime(g)
	var order []*Shell
	var in Input
	var doubt message.Message
	for k := range n {
		if in, err = input(k); err != nil {
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
		name, b := shellOf(g, k)
		c := shells[name]
		if c == nil {
			c = &Shell{Name: name, b: b}
			shells[name], order = c, append(order, c)
		}
		c.add(in, one.Figures)
		if over != nil && g.Contrast(k) == over.Contrast {
			if err := over.Add(ctx, in.Before.Volume, in.After); err != nil {
				return a, nil, err
			}
		}
	}
	if over != nil {
		a.TSNR = over.Figures()
	}
	inside, err := a.means(ctx, in, order, float64(n))
	for k := 0; err == nil && k < n; k++ {
		if name, _ := shellOf(g, k); shells[name].Volumes >= fewestAlike {
			if in, err = input(k); err == nil {
				a.Lost = append(a.Lost, shells[name].lost(in, k, inside)...)
			}
		}
	}
	a.decide(doubt)
	return a, each, err
}

// shellOf returns the contrast of volume k, of diffusion by its b-value alone.
func shellOf(g *series.Group, k int) (name string, b float64) {
	if g.Gradients == nil || k >= len(g.Gradients.Volumes) || !g.Gradients.Weighted() {
		return g.Contrast(k), 0
	}
	b = math.Round(g.Gradients.Volumes[k].B/shellWidth) * shellWidth
	return fmt.Sprintf("b-value %g", b), b
}

func (c *Shell) add(in Input, f verdict.Figures) {
	c.Volumes++
	c.figures = append(c.figures, f)
	size := len(in.After.Data)
	for side, v := range []*volume.Volume{in.Before.Volume, in.After} {
		if c.squares[side] == nil {
			c.sums[side], c.off[side], c.squares[side] = make([]float64, size), make([]float64, size), make([]float64, size)
		}
		for i, off := range offOf(v) {
			c.sums[side][i] += float64(v.Data[i])
			c.off[side][i] += off
			if side == 1 {
				off = float64(in.Before.Volume.Data[i]) - float64(v.Data[i])
			}
			c.squares[side][i] += off * off
		}
	}
}

// means fills in what the means over n volumes show, and returns the foreground.
func (a *SeriesAssessment) means(ctx context.Context, one Input, all []*Shell, n float64) (inside func(i int) bool, err error) {
	mean := [2]volume.Volume{*one.Before.Volume, *one.After}
	for side := range mean {
		mean[side].Data = make([]float32, len(one.After.Data))
		for _, c := range all {
			for i, x := range c.sums[side] {
				mean[side].Data[i] += float32(x / n)
			}
		}
	}
	in := Input{Before: &series.Series{Volume: &mean[0]}, After: &mean[1], Mask: one.Mask}
	ground, err := in.ground(ctx)
	if err != nil {
		return nil, err
	}
	a.Figures = verdict.None()
	for _, c := range all {
		if f := middle(c.figures); !(f.TextureKept <= a.TextureKept) { // anatomy that differs from volume to volume looks like noise that is left
			a.Figures = f
		}
		var sums [2]moments
		for i := range c.sums[0] {
			if ground.counts(i) {
				sums[0].add(c.sums[0][i])
				sums[1].add(c.sums[1][i])
			}
		}
		voxels := sums[0].n * float64(c.Volumes)
		c.Before, c.After, c.Bias = measure.Float(sums[0].sum/voxels), measure.Float(sums[1].sum/voxels), measure.Float(sums[1].sum/sums[0].sum-1)
		a.Contrasts = append(a.Contrasts, *c)
	}
	f := ground.tissue.Of(in.After, in.After.Bounds()).Figures()
	f.NoiseRemoved, f.NoiseRemovedLow, f.NoiseRemovedHigh = a.NoiseRemoved, a.NoiseRemovedLow, a.NoiseRemovedHigh
	f.TextureKept, f.TextureKeptLow, f.TextureKeptHigh = a.TextureKept, a.TextureKeptLow, a.TextureKeptHigh
	a.Figures = f
	a.Diffusivity = diffusivity(a.Contrasts)
	return ground.counts, nil
}

// middle returns the figures of the volume with the median of the noise removed; none are known if no volume has any.
func middle(each []verdict.Figures) verdict.Figures {
	each = slices.DeleteFunc(slices.Clone(each), func(f verdict.Figures) bool { return !f.Noise().Known() })
	if len(each) == 0 {
		return verdict.None()
	}
	slices.SortFunc(each, func(a, b verdict.Figures) int { return cmp.Compare(a.NoiseRemoved, b.NoiseRemoved) })
	return each[len(each)/2]
}

// diffusivity follows from the mean signals of the shell with the most volumes; nil without one, or without volumes at b = 0.
func diffusivity(all []Shell) *Diffusivity {
	var zero, most Shell
	for _, c := range all {
		if c.b == 0 {
			zero = c
		} else if c.Volumes > most.Volumes {
			most = c
		}
	}
	if zero.Volumes == 0 || most.Volumes == 0 {
		return nil
	}
	of := func(s0, s measure.Float) measure.Float { return measure.Float(math.Log(float64(s0/s)) / most.b) }
	d := &Diffusivity{B: most.b, Before: of(zero.Before, most.Before), After: of(zero.After, most.After)}
	d.Bias = d.After/d.Before - 1
	return d
}

// lost returns the objects that volume k of the contrast has alone and that the result lost.
func (c *Shell) lost(in Input, k int, inside func(i int) bool) (all []Lost) {
	d := in.After.Dims
	others := float64(c.Volumes - 1)
	var alone [2][]float64 // less the mean of the other volumes
	z := make([]float64, len(in.After.Data))
	for side, v := range []*volume.Volume{in.Before.Volume, in.After} {
		alone[side] = offOf(v)
		found, variance := make([]float64, len(z)), make([]float64, len(z)) // alone or removed, and the variance of that of the others
		for i, off := range alone[side] {
			mean := (c.off[side][i] - off) / others
			alone[side][i] = off - mean
			if found[i] = off - mean; side == 1 {
				off, mean = float64(in.Before.Volume.Data[i])-float64(v.Data[i]), 0
				found[i] = off
			}
			variance[i] = max((c.squares[side][i]-off*off-others*mean*mean)/(others-1), 0)
		}
		for i, around := range surround(variance, d, 1) {
			if own := found[i] / math.Sqrt(max(variance[i], around)*(1+1/others)); math.Abs(own) > math.Abs(z[i]) {
				z[i] = own
			}
		}
	}
	seen := make([]bool, len(z))
	for i, peak := range z {
		var sum, was, is float64
		var grown []int
		grow := func(o int) {
			if x := z[o]; !seen[o] && math.Abs(x) > leastGrown && (x > 0) == (peak > 0) {
				seen[o], grown = true, append(grown, o)
				sum, was, is = sum+math.Abs(x), was+alone[0][o], is+alone[1][o]
			}
		}
		if inside(i) {
			grow(i)
		}
		for k := 0; k < len(grown); k++ {
			neighbours(grown[k], d, grow)
		}
		if len(grown) > mostVoxels {
			return nil
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

// offOf returns what the voxels of a volume are off their surroundings; padding counts as 0.
func offOf(v *volume.Volume) []float64 {
	x := make([]float64, len(v.Data))
	for i := range x {
		if v.Valid(i) {
			x[i] = float64(v.Data[i])
		}
	}
	for i, around := range surround(x, v.Dims, apart) {
		x[i] -= around
	}
	return x
}

// surround returns the mean of the eight voxels of its slice so far around each voxel; those beyond the border are those at it.
func surround(x []float64, d [3]int, by int) []float64 {
	out := make([]float64, len(x))
	for i := range x {
		row, column, slice := i/d[0]%d[1], i%d[0], i/d[0]/d[1]*d[0]*d[1]
		for _, v := range [3]int{max(row-by, 0), row, min(row+by, d[1]-1)} {
			for _, u := range [3]int{max(column-by, 0), column, min(column+by, d[0]-1)} {
				out[i] += x[slice+v*d[0]+u] / 8
			}
		}
		out[i] -= x[i] / 8
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
