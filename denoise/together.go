package denoise

import (
	"context"
	"math"

	"quell/denoise/rice"
	"quell/internal/message"
	"quell/volume"
)

// Together is the form of a filter of 4-D series: it computes all volumes of a series from all. Such a
// filter has no passes, and a volume alone is refused.
type Together struct {
	Fewest int // volumes of a series that it filters
	// Fit gives the parameters that follow from the number of volumes, as numbers.
	Fit func(r Recipe, g volume.Geometry, volumes int) Recipe
	// Bind returns the program of a resolved recipe for series of so many volumes of geometry g.
	Bind func(r Recipe, g volume.Geometry, volumes int) (SeriesProgram, error)
}

// SeriesProgram is a resolved recipe of a filter of 4-D series, for volumes of one geometry. Its voxels are in
// sigmas of their noise, which is stabilised if it is Rician.
type SeriesProgram interface {
	// Slab returns the slab of the slices from <= z < to: the slices that are read to compute them.
	Slab(from, to int) Slab
	// Run computes slices of all volumes on all cores: those of the slab that in holds. The bits are the same on any
	// number of cores, and in any slab. The error is the context's.
	Run(ctx context.Context, in SeriesPart, slab Slab, progress Progress) (SeriesResult, error)
	// Reference computes a whole series, in float64: the definition of the filter, which every engine is tested against.
	Reference(in SeriesPart) SeriesResult
	// Joined returns the parameters and the passes that a [SeriesEngine] runs on [SeriesPart.Joined] of a part that begins
	// with slice first of the series. The last pass writes [Restored] for voxels that stay as they were.
	Joined(first int) (params any, passes []Pass)
}

// SeriesEngine is an engine with its own form of filters of 4-D series. Others leave them to [SeriesProgram.Run].
type SeriesEngine interface {
	// RunSeries computes what the program of a resolved recipe does, for a series of volumes of geometry g.
	RunSeries(ctx context.Context, r Recipe, g volume.Geometry, in SeriesPart, slab Slab, progress Progress) (SeriesResult, error)
}

// SeriesPart is slices of all volumes of a 4-D series. The values of a place lie next to each other: its voxels in the order of
// the volumes, and then the sigma of their noise, 0 for a place that is excluded: it is not used, and stays as it is. A result
// has the mean rank of what is kept there.
type SeriesPart struct {
	Dims    [3]int // of the slices that are held
	Volumes int
	Data    []float32
}

// NewSeriesPart returns one of zeros.
func NewSeriesPart(dims [3]int, volumes int) SeriesPart {
	return SeriesPart{dims, volumes, volume.Make[float32](dims[0] * dims[1] * dims[2] * (volumes + 1))}
}

// At returns the voxels of a place, and the value after them.
func (p SeriesPart) At(place int) (voxels []float32, last *float32) {
	row := p.Data[place*(p.Volumes+1):][:p.Volumes+1]
	return row[:p.Volumes], &row[p.Volumes]
}

// Joined returns the part as one volume, with the values of a place side by side along x.
func (p SeriesPart) Joined() *volume.Volume {
	d := p.Dims
	return &volume.Volume{Geometry: volume.NewGeometry([3]int{d[0] * (p.Volumes + 1), d[1], d[2]}, [3]float64{1, 1, 1}), Data: p.Data}
}

// SeriesResult is what a program computes of a slab.
type SeriesResult struct {
	SeriesPart
	// Restored counts the voxels that stay as they were, as more would have been removed than noise explains.
	Restored []int // by volume
}

// Restored marks a voxel that stays as it was, in the result of passes of a 4-D series. No voxel is as large.
const Restored = math.MaxFloat32

// SeriesShape places a part of a 4-D series that is filtered as one volume in the series; zero for a volume.
type SeriesShape struct {
	Volumes int `json:"volumes"`
	Depth   int `json:"depth"` // slices of each volume
	First   int `json:"first"` // of them in the part
}

// JoinedProgram returns the program of a resolved recipe as passes for [SeriesPart.Joined], of dims d.
func (r Recipe) JoinedProgram(d [3]int, s SeriesShape) (Program, error) {
	p, err := r.BindSeries(volume.NewGeometry([3]int{d[0] / (s.Volumes + 1), d[1], s.Depth}, [3]float64{1, 1, 1}), s.Volumes)
	if err != nil {
		return Program{}, err
	}
	joined := Program{Recipe: r, Series: s}
	joined.Params, joined.Passes = p.Joined(s.First)
	return joined, nil
}

// SeriesFilter returns the form of the recipe's filter that filters the volumes of a 4-D series together; nil for a filter of
// volumes.
func (r Recipe) SeriesFilter() *Together {
	f, err := FilterByName(r.Filter)
	if err != nil {
		return nil
	}
	return f.Together
}

// FitTo checks that the recipe's filter of 4-D series takes so many volumes of geometry g, and gives the parameters that
// follow from their number.
func (r Recipe) FitTo(g volume.Geometry, volumes int) (Recipe, error) {
	t := r.SeriesFilter()
	if t == nil || volumes < t.Fewest {
		return r, r.tooFew(volumes)
	}
	return t.Fit(r, g, volumes), nil
}

// tooFew is the error of a series of too few volumes.
func (r Recipe) tooFew(volumes int) error {
	f, err := FilterByName(r.Filter)
	if err != nil {
		return err
	}
	return message.Errorf(message.RecipeFilter, "%s filters a 4-D series of at least %d volumes together, and this has %d; take a filter of single volumes",
		f.Name, f.Together.Fewest, volumes)
}

// BindSeries returns the program of a resolved recipe for a 4-D series of so many volumes of geometry g.
func (r Recipe) BindSeries(g volume.Geometry, volumes int) (SeriesProgram, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	r, err := r.FitTo(g, volumes)
	if err != nil {
		return nil, err
	}
	p, err := r.SeriesFilter().Bind(r, g, volumes)
	if err != nil {
		return nil, message.Named(r.Filter, err)
	}
	return p, nil
}

// ToSigmas returns one volume of a series as a program of a resolved recipe of a filter of 4-D series takes it: in sigmas, which
// [Recipe.SigmaOf] changes from place to place, or divided by the noise map and Rician noise stabilised. The mask excludes voxels without a figure of noise.
func (r Recipe) ToSigmas(ctx context.Context, in Input) (*volume.Volume, error) {
	f := r.sigmas(in)
	return eachOf(ctx, in.Masked(), func(x float32, i int) float32 { return f.of(x, i) })
}

// SigmaOf returns the noise of the voxels of a region of in, as ToSigmas returns them; nil if it is 1 everywhere.
func (r Recipe) SigmaOf(in Input, region volume.Region) []float32 {
	if in.Noise == nil || r.Stabilisation() > 0 {
		return nil
	}
	usual, part := in.usualSigma(), in.Noise.Crop(region)
	for i, sigma := range part.Data {
		part.Data[i] = figureOr(sigma, usual) / usual
	}
	return part.Data
}

// FromSigmas returns a region of the volume in, as the program computed it in sigmas: x holds the voxels of the region. Voxels
// that the program left as they are hold those of in.
func (r Recipe) FromSigmas(ctx context.Context, in Input, region volume.Region, x []float32) (*volume.Volume, error) {
	f, share := r.sigmas(in), r.Mixed()
	masked := in.Masked()
	out := in.Volume.Crop(region)
	at := 0
	for z := region.Min[2]; z < region.Max[2]; z++ {
		for y := region.Min[1]; y < region.Max[1]; y++ {
			for i := in.Volume.Index(region.Min[0], y, z); i < in.Volume.Index(region.Max[0], y, z); i++ {
				if v := out.Data[at]; masked.Valid(i) && x[at] != f.of(v, i) {
					out.Data[at] = float32(float64(v) + share*(f.back(x[at], i)-float64(v)))
				}
				at++
			}
		}
	}
	return out, ctx.Err()
}

// sigmas turns voxels of a series into sigmas of their noise.
type sigmas struct {
	noise      []float32 // by which voxels are divided; nil for none
	usual      float32   // of the map
	stabilised float64   // 0: is not
	sigma      float64
}

func (r Recipe) sigmas(in Input) sigmas {
	s := sigmas{stabilised: r.Stabilisation(), sigma: r.Unstabilised().Get(SigmaName).Float()}
	if in.Noise != nil {
		s.usual = in.usualSigma()
		if s.noise = in.Noise.Data; s.stabilised == 0 {
			s.sigma *= float64(s.usual)
			s.noise = nil
		}
	}
	return s
}

func (s sigmas) of(x float32, i int) float32 {
	if s.sigma == 0 { // no filter changes zeros
		return 0
	}
	v := float64(x)
	if s.noise != nil {
		v /= float64(figureOr(s.noise[i], s.usual))
	}
	if s.stabilised > 0 {
		v = rice.Stabilise(v / s.stabilised)
	}
	return float32(min(max(v/s.sigma, -mostSigmas), mostSigmas))
}

func (s sigmas) back(x float32, i int) float64 {
	v := float64(x) * s.sigma
	if s.stabilised > 0 {
		v = rice.Signal(v) * s.stabilised
	}
	if s.noise != nil {
		v *= float64(figureOr(s.noise[i], s.usual))
	}
	return v
}

// mostSigmas is more than a voxel that noise changes has.
const mostSigmas = 1e15
