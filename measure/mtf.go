package measure

import (
	"math"

	"quell/internal/message"
)

// MTF is a modulation transfer function across an edge. Of the result of a filter that is
// not linear it is the task transfer function, which holds for this contrast
// and this noise alone.
type MTF struct {
	Frequency []float64 `json:"frequency_per_mm"` // from 0
	Value     []float64 `json:"mtf"`
	Error     []float64 `json:"standard_error"`
	F50       Fall      `json:"f50"`
	F10       Fall      `json:"f10"`
	Height    float64   `json:"edge_height"` // outside less inside, or along the normal; in the unit of the slice
}

// Fall is the frequency at which an MTF falls to a share.
type Fall struct {
	At    Float           `json:"per_mm"` // cycles/mm; NaN if Why is set
	Error Float           `json:"standard_error"`
	Why   message.Message `json:"why,omitzero"` // there is no figure: a clause
}

const (
	// stepsMTF is how many frequencies lie below 1 / pixel, at which curves end.
	stepsMTF = 64
	// unsureMTF is the standard error at which a curve ends, unsureFall the relative one of F50
	// and F10 beyond which they are not given.
	unsureMTF, unsureFall = 0.1, 0.07
	// unsureShare is the standard error of the MTF over its value beyond which the place is
	// not given at which it has that value: noise makes up its own falls.
	unsureShare = 0.2
	// unsureHeight is the same for the height of the edge.
	unsureHeight = 0.1
)

// MTF returns the modulation transfer function of a slice across the edge, in the manner
// of the task transfer function of AAPM TG-233: the pixels by their distance from the edge
// are the edge spread function, in bins of 1/8 pixel; its differences are the line spread
// function; the magnitude of the Fourier transform of that is the MTF, less the blur of
// bins and differences. If the slice is the result of a filter, the edge is the one that
// was found in the input. The blur of the pixels is part of it (presampled). Standard
// errors are by jackknife over eight parts of the edge, so that correlated noise is in
// them.
func (r *Rim) MTF(s Slice) (MTF, error) {
	e := r.spread(s)
	all := e.total()
	var without [sectors]esf
	whole, _, ok := all.esf()
	for k := range without {
		part := all.less(e[k])
		var some bool
		without[k], _, some = part.esf()
		ok = ok && some
	}
	if !ok {
		return MTF{}, message.Errorf(message.MeasureFew, "too few pixels lie about the edge")
	}
	m := MTF{Height: whole.height()}
	heights := make([]float64, sectors)
	for k, w := range without {
		heights[k] = w.height()
	}
	if !(jackknife(heights) < unsureHeight*math.Abs(m.Height)) {
		return MTF{}, message.Errorf(message.MeasureNoise, "the contrast of the edge is too low for the noise about it")
	}
	values := make([]float64, sectors)
	for i := 0; i <= stepsMTF; i++ {
		f := float64(i) / stepsMTF / r.pixel
		for k, w := range without {
			values[k] = w.transfer(f)
		}
		failure := jackknife(values)
		if failure > unsureMTF {
			break
		}
		m.Frequency, m.Value, m.Error = append(m.Frequency, f), append(m.Value, whole.transfer(f)), append(m.Error, failure)
	}
	m.F50, m.F10 = m.fall(0.5, whole, without), m.fall(0.1, whole, without)
	return m, nil
}

// fall finds the frequency at which the curve first falls to a share.
func (m MTF) fall(share float64, whole esf, without [sectors]esf) Fall {
	silent := func(why message.Message) Fall { return Fall{Float(math.NaN()), Float(math.NaN()), why} }
	last := m.Frequency[len(m.Frequency)-1]
	at := whole.falls(share, m.Frequency)
	if math.IsNaN(at) && len(m.Frequency) <= stepsMTF {
		return silent(message.New(message.MeasureNoise, "the noise hides the MTF beyond %.2g/mm", last))
	}
	if math.IsNaN(at) {
		return silent(message.New(message.MeasureEdge, "the MTF does not fall to %.0f %% below %.2g/mm, one cycle per pixel", 100*share, last))
	}
	falls, values := make([]float64, sectors), make([]float64, sectors)
	for k, w := range without {
		falls[k], values[k] = w.falls(share, m.Frequency), w.transfer(at)
	}
	failure := jackknife(falls)
	if !(failure <= unsureFall*at) || jackknife(values) > unsureShare*share {
		return silent(message.New(message.MeasureNoise, "the noise about the edge is too strong for the frequency of %.0f %%", 100*share))
	}
	return Fall{At: Float(at), Error: Float(failure)}
}

// jackknife returns the standard error of a figure by the figures that leave out a part
// each.
func jackknife(without []float64) float64 {
	n, mean, squares := float64(len(without)), 0.0, 0.0
	for _, x := range without {
		mean += x / n
	}
	for _, x := range without {
		squares += (x - mean) * (x - mean)
	}
	return math.Sqrt((n - 1) / n * squares)
}

// binned holds sums of values by their distance from the edge.
type binned struct {
	sums, places, counts []float64  // of the values, of their distances in bins, and how many
	levels, n            [2]float64 // sums and counts outside the zone, on either side
	width                float64    // of a bin, mm
}

func newBinned(bins int, width float64) binned {
	return binned{sums: make([]float64, bins), places: make([]float64, bins), counts: make([]float64, bins), width: width}
}

// spread sorts the pixels of a slice by their distance, for each part of the edge.
func (r *Rim) spread(s Slice) (e spread) {
	for k := range e {
		e[k] = newBinned(r.bins, r.pixel/fines)
	}
	for i, d := range r.distances {
		b, v := &e[r.sectors[i]], float64(s.Values[r.pixels[i]])
		side := 0
		if d > 0 {
			side = 1
		}
		if k := r.bin(d); k >= 0 {
			b.sums[k], b.places[k], b.counts[k] = b.sums[k]+v, b.places[k]+(d+r.zone)/b.width-0.5, b.counts[k]+1
		} else if math.Abs(d) <= 2*r.zone {
			b.levels[side], b.n[side] = b.levels[side]+v, b.n[side]+1
		}
	}
	return e
}

// spread is the sums for each part of the edge.
type spread [sectors]binned

// total returns the sums over all parts.
func (e spread) total() binned {
	t := newBinned(len(e[0].sums), e[0].width)
	for _, b := range e {
		t = t.plus(b, 1)
	}
	return t
}

// less returns the sums without a part.
func (b binned) less(o binned) binned { return b.plus(o, -1) }

func (b binned) plus(o binned, sign float64) binned {
	out := newBinned(len(b.sums), b.width)
	for k := range b.sums {
		out.sums[k], out.places[k], out.counts[k] = b.sums[k]+sign*o.sums[k], b.places[k]+sign*o.places[k], b.counts[k]+sign*o.counts[k]
	}
	for c := range b.n {
		out.levels[c], out.n[c] = b.levels[c]+sign*o.levels[c], b.n[c]+sign*o.n[c]
	}
	return out
}

// esf is an edge spread function.
type esf struct {
	values []float64 // of the bins
	levels [2]float64
	width  float64 // of a bin, mm
}

// esf returns the edge spread function at the middles of the bins, on lines between the
// means of bins that hold pixels. widest is how many follow one another without a pixel.
func (b binned) esf() (e esf, widest int, ok bool) {
	e = esf{values: make([]float64, len(b.sums)), width: b.width}
	for c := range e.levels {
		e.levels[c] = b.levels[c] / b.n[c]
	}
	if b.n[0] == 0 || b.n[1] == 0 {
		return e, 0, false
	}
	next, last, before, value := 0, -1, -1.0, e.levels[0] // the level begins a bin before the first
	point := func(k int, place, v float64) {
		for ; next < len(e.values) && float64(next) <= place; next++ {
			e.values[next] = value + (v-value)*(float64(next)-before)/(place-before)
		}
		widest = max(widest, k-last-1)
		last, before, value = k, place, v
	}
	for k, n := range b.counts {
		if n > 0 {
			point(k, b.places[k]/n, b.sums[k]/n)
		}
	}
	point(len(b.sums), float64(len(b.sums)), e.levels[1])
	return e, widest, true
}

func (e esf) height() float64 { return e.levels[1] - e.levels[0] }

// transfer returns the MTF at a frequency in cycles/mm.
func (e esf) transfer(f float64) float64 {
	var re, im float64
	before := e.levels[0]
	add := func(k int, value float64) {
		sin, cos := math.Sincos(2 * math.Pi * f * e.width * float64(k))
		re, im = re+(value-before)*cos, im+(value-before)*sin
		before = value
	}
	for k, v := range e.values {
		add(k, v)
	}
	add(len(e.values), e.levels[1])
	blur := 1.0 // of a bin, and again of a difference
	if x := math.Pi * f * e.width; x > 0 {
		blur = math.Sin(x) / x * math.Sin(x) / x
	}
	return math.Hypot(re, im) / math.Abs(e.height()) / blur
}

// falls returns the first frequency at which the MTF is a share, between two of rising
// frequencies; NaN if it stays above.
func (e esf) falls(share float64, frequencies []float64) float64 {
	for i, f := range frequencies {
		if e.transfer(f) > share {
			continue
		}
		lo, hi := frequencies[max(i-1, 0)], f
		for range 40 {
			if middle := (lo + hi) / 2; e.transfer(middle) > share {
				lo = middle
			} else {
				hi = middle
			}
		}
		return (lo + hi) / 2
	}
	return math.NaN()
}
