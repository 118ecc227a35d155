package lesions

import (
	"context"
	"math"
	"slices"
	"strconv"

	"quell/denoise"
	"quell/internal/message"
	"quell/measure"
	"quell/volume"
)

// A recipe of strength s mixes the original and the filter's result, so that one run of the
// filter says what every strength leaves: the contrast kept is 1 - s/100 (1 - kept at 100),
// and the noise has the spectrum
//
//	(1-t)^2 A + t (1-t) (S - A - B) + t^2 B    with t = s / 100
//
// of the spectra A before, B after and S of the sum of both.

// Setting is what a strength leaves.
type Setting struct {
	Strength float64 `json:"strength"` // percent
	// Kept is the least contrast kept of the lesions that were visible before, or of all if none was.
	Kept float64 `json:"kept"`
	// Texture is the mean frequency of the noise power spectrum (AAPM TG-233) over that before.
	Texture float64 `json:"texture"`
	// Noise is the standard deviation of the noise over that before.
	Noise float64 `json:"noise"`
}

// Bounds are what a reader wants kept.
type Bounds struct {
	Kept    float64 `json:"kept"`
	Texture float64 `json:"texture"`
}

// UsualBounds stop before objects fade and before the noise looks like plastic.
var UsualBounds = Bounds{Kept: 0.9, Texture: 0.85}

// within reports whether a setting is.
func (b Bounds) within(s Setting) bool { return s.Kept >= b.Kept && s.Texture >= b.Texture }

// spectra are those of the noise at the places: before, after, and of the sum of both.
type spectra struct{ before, after, sum measure.NPS }

// leaks is the variance after over that before, relative to the usual one, above which a place does not count: the
// filter brought something bright or dark of the surroundings into it.
const leaks = 3

// spectra returns the spectra of the middle slices, less a surface of second order: slow anatomy is no noise.
func (m *measurement) spectra() spectra {
	n := len(m.source)
	patches := [3][]measure.Patch{make([]measure.Patch, n), make([]measure.Patch, n), make([]measure.Patch, n)}
	ratios := make([]float64, n)
	for i := range n {
		a, b := m.middle(m.source[i]), m.middle(m.plain[i])
		both := make([]float64, len(a))
		for k := range a {
			both[k] = a[k] + b[k]
		}
		for k, values := range [][]float64{a, b, both} {
			patches[k][i] = m.patch(values)
		}
		ratios[i] = patches[1][i].Variance() / patches[0][i].Variance()
	}
	usual := slices.Sorted(slices.Values(ratios))[(n-1)/2]
	for k, all := range patches {
		patches[k] = nil
		for i, p := range all {
			if ratios[i] <= leaks*usual {
				patches[k] = append(patches[k], p)
			}
		}
	}
	return spectra{measure.NPSOf(patches[0]...), measure.NPSOf(patches[1]...), measure.NPSOf(patches[2]...)}
}

// patch returns a middle slice for a spectrum.
func (m *measurement) patch(values []float64) measure.Patch {
	pixel := m.crops[0].in.Volume.Spacing
	return measure.NewPatch(m.side, m.side, [2]float64{pixel[0], pixel[1]}, values)
}

// at returns the mean frequency and the variance of the mixture of share t.
func (s spectra) at(t float64) (mean, variance float64) {
	var moment, weight float64
	for k, f := range s.before.Frequency {
		a, b := s.before.Power[k], s.after.Power[k]
		p := float64((1-t)*(1-t)*a) + float64(t*(1-t)*(s.sum.Power[k]-a-b)) + float64(t*t*b)
		variance += p * s.before.Area[k]
		if f <= s.before.Nyquist {
			moment, weight = moment+f*p, weight+p
		}
	}
	return moment / weight, variance
}

// Setting returns what a strength of 0 to 100 leaves. The recipe of the panel must be at full strength. Texture is
// NaN without noise.
func (p Panel) Setting(strength float64) Setting {
	t := strength / 100
	s := Setting{Strength: strength, Kept: 1 - t*(1-p.leastKept())}
	mean, variance := p.spectra.at(t)
	usual, whole := p.spectra.at(0)
	s.Texture, s.Noise = mean/usual, math.Sqrt(max(variance, 0)/whole)
	return s
}

// leastKept returns the least contrast kept of the rows that count.
func (p Panel) leastKept() float64 {
	least, all := math.Inf(1), math.Inf(1)
	for _, r := range p.Rows {
		all = min(all, r.Kept.Value)
		if r.Visible() {
			least = min(least, r.Kept.Value)
		}
	}
	if math.IsInf(least, 1) {
		return all
	}
	return least
}

// Strongest returns the highest whole strength that stays within the bounds with all below it. ok is
// false if only the original does.
func (p Panel) Strongest(b Bounds) (s Setting, ok bool) {
	best := p.Setting(0)
	for strength := 1.0; strength <= 100; strength++ {
		s := p.Setting(strength)
		if !b.within(s) {
			break
		}
		best = s
	}
	return best, best.Strength > 0
}

// UsualSeed is the seed of the places if none is given, so that all commands take the same.
const UsualSeed = 1

// UsualContrasts are in sigmas.
var UsualContrasts = []float64{1, 2}

// strongContrasts, in sigmas, are taken too of sizes that show no lesion of the usual contrasts: small discs, and all in
// noise that pixels share. The faintest that is visible counts, as filters fade it most.
var strongContrasts = []float64{3, 4}

// UsualSizes returns three sizes in mm that suit the pixels of a grid, with two digits: small, and the smallest that
// most filters spare.
func UsualSizes(g volume.Geometry) (sizes []float64) {
	pixel := max(g.Spacing[0], g.Spacing[1])
	for _, n := range []float64{3, 5, 8} {
		// Of a text with two digits it is the nearest number.
		size, _ := strconv.ParseFloat(strconv.FormatFloat(n*pixel, 'g', 2, 64), 64)
		sizes = append(sizes, size)
	}
	return sizes
}

// Usual returns the panel with the contrasts alone by which verdicts and the dial of all commands judge, see [Visibly].
func (p Panel) Usual() Panel {
	all := p.Rows
	of := func(contrasts, sizes []float64) (rows []Row) {
		for _, r := range all {
			if slices.Contains(contrasts, r.Sigmas) && slices.Contains(sizes, r.Size) {
				rows = append(rows, r)
			}
		}
		return rows
	}
	sizes := p.sizes()
	p.Rows = of(UsualContrasts, sizes)
	for _, c := range strongContrasts {
		p.Rows = append(p.Rows, of([]float64{c}, p.hidden(sizes))...)
	}
	return p
}

// sizes returns those of the rows, each once, in order.
func (p Panel) sizes() (all []float64) {
	for _, r := range p.Rows {
		if !slices.Contains(all, r.Size) {
			all = append(all, r.Size)
		}
	}
	return all
}

// hidden returns the sizes of which no lesion was visible before.
func (p Panel) hidden(sizes []float64) (hidden []float64) {
	for _, size := range sizes {
		if !slices.ContainsFunc(p.Rows, func(r Row) bool { return r.Size == size && r.Visible() }) {
			hidden = append(hidden, size)
		}
	}
	return hidden
}

// Visibly returns a panel of the usual contrasts, and of each size that is visible at none of them the next stronger
// one at which it is. measure gets sizes in mm and contrasts in sigmas.
func Visibly(sizes []float64, measure func(sizes, contrasts []float64) (Panel, error)) (Panel, error) {
	p, err := measure(sizes, UsualContrasts)
	for _, c := range strongContrasts {
		hidden := p.hidden(sizes)
		if err != nil || len(hidden) == 0 {
			break
		}
		var more Panel
		more, err = measure(hidden, []float64{c})
		p.Rows = append(p.Rows, more.Rows...)
	}
	return p, err
}

// MeasureUsual is [Measure] of discs of the usual sizes that fit and of the usual contrasts, see [Fitting] and [Visibly].
// sigma is of the noise.
func MeasureUsual(ctx context.Context, e denoise.Engine, q Request, sigma float64) (Panel, error) {
	return Fitting(q.Input.Volume.Geometry, 0, func(sizes []float64, length int) (Panel, error) {
		return Visibly(sizes, func(sizes, contrasts []float64) (Panel, error) {
			q.Lesions = nil
			for _, times := range contrasts {
				for _, size := range sizes {
					q.Lesions = append(q.Lesions, Lesion{Shape: Disc, Size: size, Contrast: times * sigma, Sigmas: times, Slices: length})
				}
			}
			return Measure(ctx, e, q)
		})
	})
}

// Fitting calls measure with the usual sizes and with the slices that lesions reach through, 0 for what fits a size.
// While a series has too little even tissue it is called again without the largest, and then with lesions of one slice.
func Fitting(g volume.Geometry, length int, measure func(sizes []float64, length int) (Panel, error)) (p Panel, err error) {
	lengths := []int{length}
	if length == 0 {
		lengths = append(lengths, 1)
	}
	for _, length := range lengths {
		for sizes := UsualSizes(g); len(sizes) > 0; sizes = sizes[:len(sizes)-1] {
			if p, err = measure(sizes, length); message.KindOf(err) != message.VerdictNone {
				return p, err
			}
		}
	}
	return p, err
}

// Sentence says what the setting leaves.
func (s Setting) Sentence() message.Message {
	return message.New(message.VisibilityKept, "Strength %.0f removes %.0f %% of the noise, keeps %.0f %% of the contrast of visible objects and %.2g of the mean frequency of the noise.",
		s.Strength, 100*(1-s.Noise), 100*s.Kept, s.Texture)
}
