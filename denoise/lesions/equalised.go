package lesions

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"quell/denoise"
	"quell/denoise/equalise"
	"quell/internal/parallel"
	"quell/measure"
	"quell/volume"
)

// noises are the noise at the places before and after the filter, with what the kernel of an equaliser reads around them.
type noises struct {
	before, after []*volume.Volume
	middles       []volume.Region // the middle slices of the places
	patch         func(values []float64) measure.Patch
	weights       int // of an equaliser

	mu    sync.Mutex
	dials map[string]Dial // solved, by the rows that count

	removed, all func() (measure.CrossPower, error) // of what the filter removed, and of the whole noise
}

// weightsOf returns the number of weights of an equaliser of a recipe.
func weightsOf(r denoise.Recipe) int {
	if r.Dims == 2 {
		return equalise.Levels
	}
	return equalise.Levels * equalise.Slices
}

// newNoises returns those of a measurement with a margin.
func newNoises(m *measurement) *noises {
	n := &noises{before: m.wideSource, after: m.widePlain, weights: m.weights, dials: map[string]Dial{}}
	pixel := m.crops[0].in.Volume.Spacing
	n.patch = func(values []float64) measure.Patch {
		return measure.NewPatch(m.side, m.side, [2]float64{pixel[0], pixel[1]}, values)
	}
	for _, c := range m.crops {
		middle := from(c.place, c.box.Min)
		middle.Min[2] = (middle.Min[2] + middle.Max[2] - 1) / 2
		middle.Max[2] = middle.Min[2] + 1
		n.middles = append(n.middles, middle)
	}
	n.solve(n.patch)
	return n
}

// solve has the spectra found when they are asked for.
func (n *noises) solve(patch func(values []float64) measure.Patch) {
	n.patch = patch
	n.removed = sync.OnceValues(func() (measure.CrossPower, error) { return n.spectra(false) })
	n.all = sync.OnceValues(func() (measure.CrossPower, error) { return n.spectra(true) })
}

// spectra returns the spectra of the noise before and of what each weight of 1 takes of what the filter removed, or of the
// whole noise, less a surface of second order: slow anatomy is no noise. Places do not count if the filter brought something
// bright or dark of the surroundings into them. Without places the spectra are empty.
func (n *noises) spectra(whole bool) (measure.CrossPower, error) {
	if len(n.middles) == 0 {
		return measure.CrossPower{}, nil
	}
	places, ratios := make([][]measure.Patch, len(n.middles)), make([]float64, len(n.middles))
	err := parallel.For(context.Background(), len(places), func(k int) error {
		middle := n.middles[k]
		before, after := n.patch(doubles(n.before[k].Crop(middle).Data)), n.patch(doubles(n.after[k].Crop(middle).Data))
		ratios[k] = after.Variance() / before.Variance()
		removed := n.before[k].Clone()
		if !whole {
			for i, x := range n.after[k].Data {
				removed.Data[i] -= x
			}
		}
		places[k] = []measure.Patch{before}
		for _, values := range taken(n.weights, removed, middle) {
			places[k] = append(places[k], n.patch(values))
		}
		return nil
	})
	usual := slices.Sorted(slices.Values(ratios))[(len(ratios)-1)/2]
	var even [][]measure.Patch
	for k, p := range places {
		if ratios[k] <= leaks*usual {
			even = append(even, p)
		}
	}
	if len(even) == 0 {
		return measure.CrossPower{}, err
	}
	return measure.CrossPowerOf(even), err
}

// doubles returns values in float64.
func doubles(values []float32) []float64 {
	out := make([]float64, len(values))
	for i, x := range values {
		out[i] = float64(x)
	}
	return out
}

// taken returns what each of n weights takes of v if it is 1 and all others are 0, in a box.
func taken(n int, v *volume.Volume, box volume.Region) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		w := make(equalise.Weights, n)
		w[i] = 1
		out[i] = takenBy(w, v, box)
	}
	return out
}

// takenBy returns what an equaliser takes of v in a box.
func takenBy(w equalise.Weights, v *volume.Volume, box volume.Region) (out []float64) {
	kernel := equalise.NewKernel(w, v.Dims, func(dst []float64, x, y, z int) {
		for k, f := range v.Data[v.Index(x, y, z):][:len(dst)] {
			dst[k] = float64(f)
		}
	})
	kernel.Run(box, func() bool { return false }, func(_, _ int, values []float64) { out = append(out, values...) })
	return out
}

// lost returns the contrast that each of n weights takes of a lesion of which a filter removes removed: added in each slice
// of its place.
func lost(n int, removed *volume.Volume, added []float64, place volume.Region) []float64 {
	energy := 0.0
	for _, s := range added {
		energy += s * s * float64(place.Dims()[2])
	}
	out := make([]float64, n)
	for i, values := range taken(n, removed, place) {
		for k, x := range values {
			out[i] += x * added[k%len(added)] / energy
		}
	}
	return out
}

// tissue returns what is measured of even tissue and of the rows that count; faint is that of a filter that removes all of the
// noise and of the lesions.
func (p Panel) tissue(faint bool) (t equalise.Tissue, ok bool) {
	spectra := p.noise.removed
	if faint {
		spectra = p.noise.all
	}
	power, err := spectra()
	if err != nil || len(power.Power) == 0 {
		return t, false
	}
	t = equalise.Tissue{Frequency: power.Frequency, Area: power.Area, Nyquist: power.Nyquist, Power: power.Power}
	for _, r := range p.counting() {
		if faint {
			t.Lost = append(t.Lost, r.lostFaint)
		} else {
			t.Lost = append(t.Lost, r.lost)
		}
	}
	return t, true
}

// counting returns the rows that limit the dial: those that were visible before, or all if none was.
func (p Panel) counting() (rows []Row) {
	for _, r := range p.Rows {
		if r.Visible() {
			rows = append(rows, r)
		}
	}
	if rows == nil {
		return p.Rows
	}
	return rows
}

// Dial is the way of the equaliser from the original to the filter alone, for the rows of a panel.
type Dial struct {
	frontier equalise.Frontier
	possible float64
}

// Dial solves the frontier within the usual bounds. ok is false without noise, and if the request did not ask for it.
func (p Panel) Dial() (d Dial, ok bool) {
	if p.noise == nil {
		return d, false
	}
	key := ""
	for _, r := range p.counting() {
		key += fmt.Sprintf("%p ", r.lost)
	}
	p.noise.mu.Lock()
	defer p.noise.mu.Unlock()
	if d, ok = p.noise.dials[key]; ok {
		return d, true
	}
	t, ok := p.tissue(false)
	if !ok {
		return d, false
	}
	d.frontier = equalise.NewFrontier(t, UsualBounds)
	d.possible = 1
	if t, ok = p.tissue(true); ok {
		if w, ok := t.Solve(UsualBounds); ok {
			d.possible = t.Left(w).Noise
		}
	}
	p.noise.dials[key] = d
	return d, true
}

// At returns the weights of a strength, 0 to 100, and what they leave.
func (d Dial) At(strength float64) (equalise.Weights, Setting) {
	w, l := d.frontier.At(strength)
	return w, Setting{Strength: strength, Kept: l.Kept, Texture: l.Texture, Noise: l.Noise, Floor: l.Floor, Possible: d.possible}
}

// Strongest returns the highest whole strength that stays within the bounds with all below it, and its weights. ok is false
// if only the original does.
func (d Dial) Strongest(b Bounds) (w equalise.Weights, s Setting, ok bool) {
	w, s = d.At(d.frontier.Strongest(b))
	return w, s, s.Strength > 0
}

// Strongest returns what the highest strength within the usual bounds leaves; ok is false if only the original is.
func (p Panel) Strongest() (s Setting, ok bool) {
	d, ok := p.Dial()
	if ok {
		_, s, ok = d.Strongest(UsualBounds)
	}
	return s, ok
}
