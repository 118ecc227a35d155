package lesions

import (
	"slices"
	"strconv"

	"quell/denoise/equalise"
	"quell/internal/message"
	"quell/volume"
)

// Setting is what a strength leaves: of the equaliser that takes it, see package equalise.
type Setting struct {
	Strength float64 `json:"strength"` // percent
	// Kept is the least contrast kept of the lesions that were visible before, or of all if none was.
	Kept float64 `json:"kept"`
	// Texture is the mean frequency of the noise power spectrum (AAPM TG-233) over that before.
	Texture float64 `json:"texture"`
	// Noise is the standard deviation of the noise over that before.
	Noise float64 `json:"noise"`
	// Floor is the least power of a band of the noise over that before.
	Floor float64 `json:"floor"`
	// Possible is the least noise that any filter leaves within [UsualBounds] of lesions that are too faint to be told from it.
	Possible float64 `json:"possible"`
}

// Bounds are what a reader wants kept.
type Bounds = equalise.Bounds

// UsualBounds stop before objects fade, before the noise looks like plastic, and before a band of it is gone.
var UsualBounds = Bounds{Kept: 0.9, Texture: 0.9, Floor: 0.25}

// leaks is the variance after over that before, relative to the usual one, above which a place does not count: the
// filter brought something bright or dark of the surroundings into it.
const leaks = 3

// UsualSeed is the seed of the places if none is given, so that all commands take the same.
const UsualSeed = 1

// UsualContrasts are in sigmas.
var UsualContrasts = []float64{1, 2}

// strongContrasts, in sigmas, are taken too of sizes that show no lesion of the usual contrasts: small discs, and all in
// noise that pixels share. The faintest that is visible counts, as filters fade it most.
var strongContrasts = []float64{3, 4}

// UsualSizes returns three sizes in mm that suit the pixels of a grid, with two digits: small, and the smallest that
// most filters spare.
func UsualSizes(g volume.Geometry) []float64 { return sizesOf(g, 3, 5, 8) }

// sizesOf returns sizes of so many pixels.
func sizesOf(g volume.Geometry, pixels ...float64) (sizes []float64) {
	pixel := max(g.Spacing[0], g.Spacing[1])
	for _, n := range pixels {
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

// Fitting calls measure with the usual sizes and with the slices that lesions reach through, 0 for what fits a size.
// While a series has too little homogeneous tissue it is called again without the largest, and then with lesions of one slice.
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

// Sentence says what the setting leaves, and what is possible.
func (s Setting) Sentence() message.Message {
	return message.New(message.VisibilityKept, "Strength %.0f removes %.0f %% of the noise, keeps %.0f %% of the contrast of visible objects and %.2g of the mean frequency of the noise; for objects too faint to be found %.0f %% is possible.",
		s.Strength, 100*(1-s.Noise), 100*s.Kept, s.Texture, 100*(1-s.Possible))
}
