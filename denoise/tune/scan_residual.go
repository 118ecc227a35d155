package tune

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"

	"quell/denoise"
	"quell/internal/message"
	"quell/internal/parallel"
	"quell/volume"
)

// Without the recipe, the filter that stands in for it says what an honest result looks like at
// every place. What was removed or added beside the filter's work stands out, to the same side, both
// of the residual and of the difference from the stand-in's result. Edges that the filter itself
// smoothed stand out of the residual alone; if the stand-in is not quite the filter, the
// difference is as large around the place as at it.
const (
	// stands is how many standard errors of the noise a disc of the residual differs by at least.
	stands = 4.5
	// remains is the least share of that in the difference from the stand-in's result: the rest is
	// what the filter removes by itself.
	remains = 0.1
	// apart is how many times its usual size around a disc the difference is at least.
	apart = 5
	// The usual size is at least leastUsual standard errors, and more if the stand-in makes less of
	// the change: the variance that it does not make, times unlike.
	leastUsual = 0.3
	unlike     = 2
	// If nothing stands in, the residual alone must stand out by more, of the noise and of the residual
	// around it: filters leave edges there.
	standsAlone = 8
	apartAlone  = 6

	// every is a share of the change that no stand-in reaches: all filters are tried.
	every = 2
)

// suspect is a disc that stands out, and how far out of the difference around it.
type suspect struct {
	spot // of the residual
	out  float64
}

// suspect returns the disc at which a residual and a difference stand out most, if any does so.
// Both are of the same voxels. floor is the least variance of the difference, relative to the
// variance of the noise; most is the limit of the residual, away the limit of the difference.
func (r residue) suspect(ctx context.Context, from residue, floor, most, away float64) (*suspect, error) {
	per := make([]suspect, r.Dims[2])
	err := parallel.ForWorkers(ctx, r.Dims[2], runtime.GOMAXPROCS(0), func() func(int) error {
		nx, n := r.Dims[0], r.SliceVoxels()
		own, other := newDiscs(nx, r.Dims[1]), newDiscs(nx, r.Dims[1])
		piled, piledFrom := make([]float32, n), make([]float32, n)
		data, use := make([]float32, n), make([]bool, n)
		left, apartBy := make([]float64, n), make([]float64, n)
		around := newSquares(nx, r.Dims[1])
		return func(z int) error {
			clear(piled)
			clear(piledFrom)
			for k := 1; k <= mostSlices && z+k <= r.Dims[2]; k++ {
				from.slice(z+k-1, data, use)
				addTo(piledFrom, data)
				r.slice(z+k-1, data, use)
				addTo(piled, data)
				own.load(piled)
				other.load(piledFrom)
				for radius := 1; radius <= mostRadius; radius++ {
					scale := 1 / math.Sqrt(float64(k)*discVariance(radius, r.correlation))
					own.sums(left, radius)
					if !slices.ContainsFunc(left, func(a float64) bool { return math.Abs(a) >= most/scale }) {
						continue
					}
					other.sums(apartBy, radius)
					around.load(apartBy, use)
					for i, a := range left {
						b := apartBy[i]
						if !use[i] || math.Abs(a*scale) < most || a*b < remains*a*a {
							continue
						}
						// The sums over discs nearer than that hold some of this one.
						usual := around.ring(i%nx, i/nx, 2*radius+1, 2*radius+7) * scale * scale
						if out := math.Abs(b*scale) / math.Sqrt(floor+usual); out >= away && out > per[z].out {
							per[z] = suspect{spot{[3]int{i % nx, i / nx, z}, radius, k, a * scale}, out}
						}
					}
				}
			}
			return nil
		}
	})
	worst := slices.MaxFunc(per, func(a, b suspect) int { return cmp.Compare(a.out, b.out) })
	if worst.out == 0 {
		return nil, err
	}
	return &worst, err
}

func addTo(sum, more []float32) {
	for i, a := range more {
		sum[i] += a
	}
}

// squares takes mean squares over squares of a slice, of the pixels that count.
type squares struct {
	nx, ny       int
	sums, counts []float64 // over the pixels left of and above each
}

func newSquares(nx, ny int) *squares {
	n := (nx + 1) * (ny + 1)
	return &squares{nx, ny, make([]float64, n), make([]float64, n)}
}

func (s *squares) load(src []float64, use []bool) {
	w := s.nx + 1
	for y := range s.ny {
		sum, count := 0.0, 0.0
		for x := range s.nx {
			if i := y*s.nx + x; use[i] {
				sum, count = sum+src[i]*src[i], count+1
			}
			s.sums[(y+1)*w+x+1], s.counts[(y+1)*w+x+1] = s.sums[y*w+x+1]+sum, s.counts[y*w+x+1]+count
		}
	}
}

// ring returns the mean square over the square that reaches outer pixels from a pixel, without that
// which reaches inner pixels.
func (s *squares) ring(x, y, inner, outer int) float64 {
	n := s.within(s.counts, x, y, outer) - s.within(s.counts, x, y, inner)
	return max(s.within(s.sums, x, y, outer)-s.within(s.sums, x, y, inner), 0) / max(n, 1)
}

func (s *squares) within(of []float64, x, y, reach int) float64 {
	w, left, right := s.nx+1, max(x-reach, 0), min(x+reach+1, s.nx)
	above, below := max(y-reach, 0)*w, min(y+reach+1, s.ny)*w
	return of[below+right] - of[above+right] - of[below+left] + of[above+left]
}

// unseen looks for a place at which something was removed or added that the stand-in does not do,
// and returns the stand-in that it was compared with. A stand-in that is found at once may not be the
// filter itself: if it shows a place, all filters are tried.
func (r Result) unseen(ctx context.Context, engine denoise.Engine, s standIn) (*Finding, standIn, error) {
	f, err := r.unlike(ctx, engine, s)
	if err != nil || f == nil || s.share < resembles {
		return f, s, err
	}
	m, err := r.comparison(ctx, engine)
	if err != nil {
		return f, s, err
	}
	best, err := m.standIn(ctx, every)
	if err != nil {
		return f, s, err
	}
	if !best.recipe.Equal(s.recipe) {
		if f, err = r.unlike(ctx, engine, best); err != nil || f == nil || best.share < resembles {
			return f, best, err
		}
	}
	// Variants of the filter with nearly the same result do not explain the place either.
	others, err := m.alternatives(ctx, best)
	if err != nil {
		return f, best, err
	}
	for _, other := range others {
		if other, err := r.unlike(ctx, engine, other); err != nil || other == nil {
			return nil, best, err
		}
	}
	return f, best, nil
}

// unlike returns the place at which After differs most from the result of a stand-in, if there is
// one that stands out.
func (r Result) unlike(ctx context.Context, engine denoise.Engine, s standIn) (*Finding, error) {
	v, after, n := r.Input.Volume, r.After.Data, r.After.SliceVoxels()
	left := r.inSigmas(anywhere, func(k, i, of int) float64 { return float64(v.Data[of]) - float64(after[k*n+i]) })
	if s.share < resembles {
		found, err := left.suspect(ctx, left, 1, standsAlone, apartAlone)
		if err != nil || found == nil {
			return nil, err
		}
		return found.finding(r.Region, found.turn(valuesOf(v.Crop(r.Region)), valuesOf(r.After), r.After.Dims)), nil
	}
	made, err := engine.Run(ctx, s.recipe, r.Input, r.Region, nil)
	if err != nil {
		return nil, err
	}
	other := r.inSigmas(anywhere, func(k, i, _ int) float64 { return float64(made.Data[k*n+i]) - float64(after[k*n+i]) })
	found, err := left.suspect(ctx, other, leastUsual*leastUsual+unlike*math.Max(1-s.share, 0), stands, apart)
	if err != nil || found == nil {
		return nil, err
	}
	return found.finding(r.Region, found.turn(valuesOf(made), valuesOf(r.After), r.After.Dims)), nil
}

// valuesOf returns the values of a volume by voxel.
func valuesOf(v *volume.Volume) func(x, y, z int) float64 {
	return func(x, y, z int) float64 { return float64(v.At(x, y, z)) }
}

var withoutRecipe = message.Text("Compared without the recipe.")

// why says what was found that the stand-in does not do.
func (s standIn) why(f *Finding) message.Message {
	why := message.New(message.VerdictStructure, "Something was removed %s; %s keeps it.", f, s.recipe.Filter)
	switch {
	case s.share < resembles:
		why = message.New(message.VerdictStructure, "The residual stands out of all around it %s.", f)
	case f.Change == Added:
		why = message.New(message.VerdictStructure, "Something was added %s; %s does not make it.", f, s.recipe.Filter)
	}
	return why.And(withoutRecipe)
}
