package equalise

import (
	"math"
)

// Bounds are what a reader wants kept.
type Bounds struct {
	Kept    float64 `json:"kept"`    // least contrast
	Texture float64 `json:"texture"` // least mean frequency of the noise over that before
	// Floor is the least power of the noise in any band over that before: mean frequency alone lets a band be emptied.
	Floor float64 `json:"floor"`
}

// within reports whether what is left is, within the tolerance of the search.
func (b Bounds) within(l Left) bool {
	return l.Kept >= b.Kept-tolerance && l.Texture >= b.Texture-tolerance && l.Floor >= b.Floor-tolerance
}

const tolerance = 2e-3

// inHand is what a frontier keeps beyond each bound: noise that the solver did not see keeps up to 0.014 less.
const inHand = 0.015

// held returns bounds with what is kept in hand; bounds of 0, and of 1 and more, stay.
func (b Bounds) held() Bounds {
	for _, x := range []*float64{&b.Kept, &b.Texture, &b.Floor} {
		if *x > 0 && *x < 1 {
			*x = min(*x+inHand, 1)
		}
	}
	return b
}

// eased returns bounds a share of the way from leaving all as it is.
func (b Bounds) eased(share float64) Bounds {
	return Bounds{1 - share*(1-b.Kept), 1 - share*(1-b.Texture), 1 - share*(1-b.Floor)}
}

// Left is what weights leave, over what was there before.
type Left struct {
	Noise   float64 // standard deviation
	Kept    float64 // the least contrast
	Texture float64 // mean frequency
	Floor   float64 // the least power of a band
}

// Tissue is what even tissue says of what a filter removed: all that is left is linear or quadratic in the weights.
type Tissue struct {
	Frequency []float64 // of each band of the noise within a slice
	Area      []float64 // of the band in the plane of frequencies
	Nyquist   float64   // up to which bands count in the mean frequency
	// Power are the spectra of the original and of what each weight of 1 removes, and of each pair of them: of band b
	// the matrix Power[b], row by row, the original first.
	Power [][]float64
	// Lost is the contrast that each weight of 1 takes of each object.
	Lost [][]float64
}

// n is the number of weights.
func (t Tissue) n() int { return int(math.Sqrt(float64(len(t.Power[0])))+0.5) - 1 }

// power returns the power of a band that weights leave.
func (t Tissue) power(band int, w Weights) float64 {
	m, n := t.Power[band], len(w)+1
	sum := m[0]
	for i, a := range w {
		sum -= 2 * a * m[i+1]
		for j, b := range w {
			sum += a * b * m[(i+1)*n+j+1]
		}
	}
	return sum
}

// Left returns what weights leave.
func (t Tissue) Left(w Weights) Left {
	l := Left{Kept: 1, Floor: math.Inf(1)}
	var all, before, moment, weight, momentBefore, weightBefore float64
	for b, f := range t.Frequency {
		p, was := t.power(b, w), t.Power[b][0]
		all, before = all+p*t.Area[b], before+was*t.Area[b]
		if f <= t.Nyquist {
			moment, weight = moment+f*p, weight+p
			momentBefore, weightBefore = momentBefore+f*was, weightBefore+was
			l.Floor = min(l.Floor, p/was)
		}
	}
	l.Noise, l.Texture = math.Sqrt(max(all, 0)/before), moment/weight/(momentBefore/weightBefore)
	for i, lost := range t.Lost {
		kept := 1.0
		for k, x := range lost {
			kept -= w[k] * x
		}
		if i == 0 || kept < l.Kept {
			l.Kept = kept
		}
	}
	return l
}

// Possible returns the least noise within bounds that is found; 1 if none is.
func (t Tissue) Possible(b Bounds) float64 {
	for _, b := range []Bounds{b, b.held()} { // the search may end beside a bound
		if w, ok := t.Solve(b); ok {
			return t.Left(w).Noise
		}
	}
	return 1
}

// alone are the weights of the filter alone.
func (t Tissue) alone() Weights {
	w := make(Weights, t.n())
	w[0] = 1
	return w
}

// Frontier is a way from the original to the filter alone through the least noise within bounds, ever nearer to those of the
// reader.
type Frontier struct {
	tissue Tissue
	points []Weights
	least  float64 // noise of the filter alone
}

// shares of the way to the bounds of the reader at which the frontier is solved.
var shares = []float64{0.25, 0.5, 0.75, 0.9, 1}

// NewFrontier solves the frontier of a filter.
func NewFrontier(t Tissue, b Bounds) Frontier {
	alone := t.alone()
	f := Frontier{tissue: t, points: []Weights{make(Weights, t.n())}, least: t.Left(alone).Noise}
	last := 1.0
	for _, share := range shares {
		w, ok := t.Solve(b.held().eased(share))
		if !ok {
			w, ok = t.solveFrom(f.points[len(f.points)-1], b.held().eased(share))
		}
		if noise := t.Left(w).Noise; ok && noise < last && noise > f.least {
			f.points, last = append(f.points, w), noise
		}
	}
	f.points = append(f.points, alone)
	return f
}

// At returns the weights that remove so much of the noise that the filter alone removes, 0 to 100 percent.
func (f Frontier) At(strength float64) (Weights, Left) {
	noise := 1 - strength/100*(1-f.least)
	i := 1
	for i < len(f.points)-1 && f.tissue.Left(f.points[i]).Noise > noise {
		i++
	}
	a, b := f.points[i-1], f.points[i]
	between := func(t float64) Weights {
		w := make(Weights, len(a))
		for k := range w {
			w[k] = a[k] + t*(b[k]-a[k])
		}
		return w
	}
	lo, hi := 0.0, 1.0
	for range 40 {
		if t := (lo + hi) / 2; f.tissue.Left(between(t)).Noise > noise {
			lo = t
		} else {
			hi = t
		}
	}
	w := between(hi)
	for k, x := range w {
		w[k] = math.Round(1e6*x) / 1e6
	}
	return w, f.tissue.Left(w)
}

// Strongest returns the highest whole strength that stays within the bounds with all below it, and keeps what is in hand;
// 0 if none does.
func (f Frontier) Strongest(b Bounds) float64 {
	b = b.held()
	for strength := 1.0; strength <= 100; strength++ {
		if _, left := f.At(strength); !b.within(left) {
			return strength - 1
		}
	}
	return 100
}
