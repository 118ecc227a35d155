package lesions

import (
	"cmp"
	"context"
	"math"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/internal/parallel"
	"quell/measure"
	"quell/measure/detect"
	"quell/volume"
)

// Panel is what a recipe does to virtual lesions of several sizes and contrasts.
type Panel struct {
	Rows   []Row          `json:"rows"`   // in the order of the request
	Places int            `json:"places"` // at which every lesion was put
	At     [][3]int       `json:"-"`      // the places: voxels of the middles
	Unit   string         `json:"unit,omitempty"`
	SD     float64        `json:"local_sd"` // root mean square of the local SD at the places before: of the noise, and of what anatomy is left there
	Seed   uint64         `json:"seed"`
	Recipe denoise.Recipe `json:"recipe"` // resolved

	Picture *Picture `json:"-"` // if Request.Pictured
}

// Row is what became of one lesion. Intervals are of 95 %, over the places.
type Row struct {
	Lesion
	// Kept is the response to the lesion in its matched template, relative to the lesion: 1 keeps all of its contrast.
	Kept detect.Interval `json:"kept"`
	// EdgeBefore and EdgeAfter are the widths, in mm, over which a straight edge with the blur of the disc rises from
	// 10 to 90 %; NaN for a Gaussian, and if hardly any contrast is left.
	EdgeBefore measure.Float `json:"edge_before_mm"`
	EdgeAfter  measure.Float `json:"edge_after_mm"`
	Eye        Seen          `json:"npw_eye"` // the non-prewhitening observer with the eye
	// InNoise is what d' of that observer is before in the noise alone, without the anatomy that is left at the places; 0
	// if the noise is not known.
	InNoise  float64 `json:"npw_eye_in_noise,omitempty"`
	Channels Seen    `json:"lg_cho"` // the Hotelling observer of Laguerre-Gauss channels
}

// Seen is d' of one observer.
type Seen struct {
	Before detect.Interval `json:"before"`
	After  detect.Interval `json:"after"`
	// Ratio is after over before. Its interval is narrower than theirs, as both share the noise.
	Ratio detect.Interval `json:"ratio"`
}

// Request says what is measured.
type Request struct {
	Input  denoise.Input
	Recipe denoise.Recipe // resolved on all of Input
	Noise  noise.Estimate // of Input.Volume
	// Foreground says which voxels may lie in the region of a lesion, see [noise.Foreground]; nil: all with data.
	Foreground func(i int) bool
	Lesions    []Lesion
	Places     int // at most, 0: 64
	Least      int // places, 0: LeastPlaces
	Seed       uint64
	Pictured   bool                  // a picture of the lesion in the middle of Lesions is wanted
	Progress   func(done, total int) // lesions; nil for none; called on the goroutine of Measure
}

const (
	usualPlaces = 64
	// LeastPlaces is the least number of places: fewer give no interval.
	LeastPlaces = 20
)

// Measure puts every lesion into the volume at places of homogeneous tissue and returns what the recipe does to
// it. The same request gives the same bits on one engine. The error is the context's, the engine's, or
// one sentence that says what the series lacks.
func Measure(ctx context.Context, e denoise.Engine, q Request) (Panel, error) {
	m, err := begin(ctx, e, &q)
	if err != nil {
		return Panel{}, err
	}
	p := Panel{Places: len(m.at), At: m.at, Unit: q.Input.Volume.Unit, SD: m.localSD(), Seed: q.Seed, Recipe: q.Recipe}
	for i, l := range q.Lesions {
		if q.Progress != nil {
			q.Progress(i, len(q.Lesions))
		}
		row, err := m.row(ctx, l)
		if err != nil {
			return Panel{}, err
		}
		p.Rows = append(p.Rows, row)
	}
	if q.Pictured {
		p.Picture, err = picture(ctx, e, q, m.program, q.Lesions[len(q.Lesions)/2], m.at)
	}
	return p, err
}

// begin finds the places for the lesions of a request, whose slices it fills in, and filters them without a lesion. The
// boxes have the side that the lesions need. Otherwise all of them has to be homogeneous, as the regions of a verdict are, and
// they have the first of the sides at which there are as many as wanted, or else the side with most.
func begin(ctx context.Context, e denoise.Engine, q *Request, sides ...int) (*measurement, error) {
	g := q.Input.Volume.Geometry
	all := make([]Lesion, len(q.Lesions))
	side, depth := evenSide, 1
	for i, l := range q.Lesions {
		var err error
		if all[i], err = l.in(g); err != nil {
			return nil, err
		}
		side, depth = max(side, all[i].sideFor(g)), max(depth, all[i].Slices)
	}
	if len(all) == 0 {
		return nil, message.Errorf(message.UsageRefused, "no lesion is given")
	}
	q.Lesions = all
	if q.Places <= 0 {
		q.Places = usualPlaces
	}
	m := &measurement{engine: e, recipe: q.Recipe, side: side, seed: q.Seed, noise: q.Noise}
	if q.Input.Noise != nil {
		m.noise.Sigma = float64(q.input().Usual)
	}
	var err error
	if m.program, err = q.Recipe.Bind(g); err != nil {
		return nil, err
	}
	s := search{counts: q.counts(), noise: q.Noise, sigmas: q.Input.Noise, slices: depth, most: q.Places, seed: q.Seed, noiseOnly: len(sides) > 0}
	for _, s.side = range append(sides, side) {
		if s.side < side || len(m.at) == q.Places {
			continue
		}
		at, err := placesIn(ctx, q.Input.Volume, q.Input.Volume.Bounds(), s)
		if err != nil {
			return nil, err
		}
		if len(at) > len(m.at) {
			m.at, m.side = at, s.side
		}
	}
	if least := cmp.Or(q.Least, LeastPlaces); len(m.at) < least {
		return nil, tooFew(len(m.at), least, side, g)
	}
	return m, m.start(ctx, q.input(), depth)
}

// tooFew says that the series lacks even tissue.
func tooFew(n, least, side int, g volume.Geometry) error {
	return message.Errorf(message.VerdictNone, "too little homogeneous tissue for lesions of this size: places of %.3g x %.3g mm found: %d, needed: %d",
		float64(side)*g.Spacing[0], float64(side)*g.Spacing[1], n, least)
}

// counts says which voxels may lie in the region of a lesion.
func (q Request) counts() func(i int) bool {
	masked := q.Input.Masked()
	return func(i int) bool { return masked.Valid(i) && (q.Foreground == nil || q.Foreground(i)) }
}

// input returns the input with the usual sigma of its map, which a crop does not show.
func (q Request) input() denoise.Input {
	in := q.Input
	if in.Noise != nil && in.Usual == 0 {
		u := denoise.NewUsualSigma(len(in.Noise.Data))
		u.Add(in)
		in.Usual = u.Value()
	}
	return in
}

// measurement is the state that all lesions of a panel share.
type measurement struct {
	engine        denoise.Engine
	recipe        denoise.Recipe
	program       denoise.Program
	side          int
	seed          uint64
	noise         noise.Estimate
	at            [][3]int
	crops         []crop
	source, plain []*volume.Volume // the places before filtering, and their results without a lesion
}

// start cuts out the places and filters them without a lesion.
func (m *measurement) start(ctx context.Context, in denoise.Input, depth int) (err error) {
	h := m.side / 2
	for _, c := range m.at {
		place := volume.Region{
			Min: [3]int{c[0] - h, c[1] - h, c[2] - depth/2},
			Max: [3]int{c[0] + h + 1, c[1] + h + 1, c[2] + depth/2 + 1},
		}
		crop := cropOf(in, place, [3]int{}, m.program)
		m.crops, m.source = append(m.crops, crop), append(m.source, crop.source())
	}
	m.plain, err = runAll(ctx, m.engine, m.recipe, m.program.Lattice, m.crops)
	return err
}

// localSD returns the root mean square of the SD in the middle slices before filtering.
func (m *measurement) localSD() float64 {
	var sum float64
	for _, s := range m.source {
		for _, x := range m.middle(s) {
			sum += float64(x * x)
		}
	}
	return math.Sqrt(sum / float64(len(m.source)*(m.side*m.side-1)))
}

// middle returns the middle slice of a box less its mean.
func (m *measurement) middle(box *volume.Volume) []float64 {
	z := box.Dims[2] / 2
	return lessMean(voxels(box, volume.Slices(box.Geometry, z, z+1)))
}

// with returns the places with a lesion.
func (m *measurement) with(added []float64, slices int) []crop {
	crops := make([]crop, len(m.crops))
	for i, c := range m.crops {
		crops[i] = c.with(added, slices)
	}
	return crops
}

// row measures one lesion.
func (m *measurement) row(ctx context.Context, l Lesion) (Row, error) {
	g := m.crops[0].in.Volume.Geometry
	added := l.profile(g, m.side, blur)
	var energy float64
	for i := range added {
		energy += float64(added[i] * added[i])
		added[i] *= l.Contrast
	}
	energy *= float64(l.Slices)
	crops := m.with(added, l.Slices)
	with, err := runAll(ctx, m.engine, m.recipe, m.program.Lattice, crops)
	if err != nil {
		return Row{}, err
	}
	n := len(crops)
	kept, responses := make([]float64, n), make([][]float64, n)
	err = parallel.For(ctx, n, func(i int) error {
		responses[i], kept[i] = m.response(with[i], m.plain[i], added, l)
		kept[i] /= energy * l.Contrast * l.Contrast
		return nil
	})
	if err != nil {
		return Row{}, err
	}
	row := Row{Lesion: l}
	row.Kept = m.overPlaces(kept)
	row.EdgeBefore, row.EdgeAfter = edges(l, g, m.side, responses, row.Kept.Value)
	row.Eye, row.Channels = m.seen(l, g, added, with)
	row.InNoise = m.inNoise(added)
	return row, nil
}

// response returns the difference of two results in the middle slice, and its sum over the slices
// of the lesion times the lesion.
func (m *measurement) response(with, plain *volume.Volume, added []float64, l Lesion) (middle []float64, matched float64) {
	z0 := with.Dims[2] / 2
	for z := z0 - l.Slices/2; z <= z0+l.Slices/2; z++ {
		a, b := with.Plane(z), plain.Plane(z)
		for i, s := range added {
			d := float64(a[i]) - float64(b[i])
			matched += float64(s * d)
			if z == z0 {
				middle = append(middle, d)
			}
		}
	}
	return middle, matched
}
