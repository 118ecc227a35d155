package tune

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"quell/denoise"
	"quell/internal/parallel"
	"quell/volume"
)

// Without the recipe another stands in: of all filters and strengths the one with
// the result most like the one to be judged. Its curve is the curve of what was
// done, as far as it does the same.

// resembles is the share of the change that a stand-in must make for its curve to
// be read: 1 is the same result.
const resembles = 0.75

// sizesFit is the share below which a stand-in is tried with other sizes.
const sizesFit = 0.9

// standIn is a recipe that stands in for the unknown one.
type standIn struct {
	recipe   denoise.Recipe
	strength float64
	share    float64 // of the change that it makes
	change   float64 // sum of squares of the residual
}

const (
	// looks is how many boxes results are compared in.
	looks = 12
	// narrowings is how often the range of a strength is narrowed down: to some percent.
	narrowings = 5
	// finalists is how many filters are compared again, if they make less of the change
	// than the first by at most almost.
	finalists = 3
	almost    = 0.1
	// mostVaried is how many filters are tried with other sizes before a place is named.
	mostVaried = 4
	// moves is how often a size changes by a step, or a choice, if no default is like the result.
	moves = 3
	// same is the share of the change of a result that is as good as After.
	same = 0.995
)

// standIn returns the filter and strength with the result most like After.
//
// The stronger a filter, the more it removes: the strength of each is the one at which
// it removes as much as was removed from After, which few runs find. They are compared
// in one slice of a few boxes, and the most similar of them again in the whole boxes. Once a
// result makes enough of the change, no further filter is tried.
func (r Result) standIn(ctx context.Context, engine denoise.Engine, enough float64) (standIn, error) {
	m, err := r.comparison(ctx, engine)
	if err != nil {
		return standIn{}, err
	}
	return m.standIn(ctx, enough)
}

// comparison compares results of recipes with After, in boxes of the foreground.
type comparison struct {
	Result
	engine denoise.Engine
	masked *volume.Volume
	facts  denoise.Facts
	found  []volume.Region
}

// comparison chooses the boxes. The error is the context's.
func (r Result) comparison(ctx context.Context, engine denoise.Engine) (m comparison, err error) {
	m = comparison{Result: r, engine: engine, masked: r.Input.Masked()}
	if m.facts, err = known(ctx, r.Input, r.Noise); err != nil {
		return m, err
	}
	v := m.masked
	m.found, _, err = boxes(ctx, v, r.Region, [3]int{}, func(i int) bool { return v.Valid(i) && r.Foreground(i) })
	if n := len(m.found); n > looks {
		for k := range looks {
			m.found[k] = m.found[(2*k+1)*n/(2*looks)]
		}
		m.found = m.found[:looks]
	}
	return m, err
}

// in compares the result of a recipe in some boxes.
func (m comparison) in(ctx context.Context, recipe denoise.Recipe, boxes []volume.Region) (likeness, error) {
	return m.alike(ctx, m.engine, m.masked, recipe, boxes)
}

// like returns the stand-in of a recipe, of whatever strength its result is most like After in the middles of the boxes.
func (m comparison) like(ctx context.Context, recipe denoise.Recipe) (standIn, error) {
	s, err := newSteps(m.masked.Geometry, recipe, m.facts)
	if err != nil {
		return standIn{}, err
	}
	return s.like(func(recipe denoise.Recipe) (likeness, error) { return m.in(ctx, recipe, middles(m.found)) })
}

// alternatives returns variants of a stand-in with results that are about as much like After.
func (m comparison) alternatives(ctx context.Context, s standIn) (all []standIn, err error) {
	f, err := denoise.FilterByName(s.recipe.Filter)
	if err != nil {
		return nil, err
	}
	for _, v := range variants(f, s.recipe) {
		if _, err := v.Bind(m.masked.Geometry); err != nil {
			continue
		}
		l, err := m.in(ctx, v, middles(m.found))
		if err != nil {
			return nil, err
		}
		if l.share() < s.share-almost {
			continue // no other strength makes up for that
		}
		t, err := m.like(ctx, v)
		if err != nil {
			return nil, err
		}
		if t.share >= s.share-1+same {
			all = append(all, t)
		}
	}
	return all, nil
}

func (m comparison) standIn(ctx context.Context, enough float64) (standIn, error) {
	g := m.masked.Geometry
	all, err := defaults(g, m.facts)
	if err != nil {
		return standIn{}, err
	}
	var tried []standIn
	for _, recipe := range all {
		best, err := m.like(ctx, recipe)
		if err != nil || best.change == 0 {
			return best, err
		}
		if tried = append(tried, best); best.share >= enough {
			break
		}
	}
	best, least := standIn{share: math.Inf(-1)}, math.Inf(1)
	look := func(t standIn) error {
		l, err := m.in(ctx, t.recipe, m.found)
		// A fault at one place raises the loss of every filter alike; the loss at edges differs between filters.
		if err == nil && l.everywhere < least {
			least = l.everywhere
			best = standIn{recipe: t.recipe, strength: t.strength, share: l.share(), change: l.change}
		}
		return err
	}
	finals := chosen(tried)
	for _, t := range finals {
		if err := look(t); err != nil {
			return standIn{}, err
		}
	}
	limit, few := sizesFit, finals[:min(1, len(finals))]
	if enough == every {
		limit, few = same, filtersOf(tried)
	}
	for _, from := range few {
		if best.share >= limit {
			break
		}
		varied, err := varied(g, from, m.facts, func(recipe denoise.Recipe) (likeness, error) { return m.in(ctx, recipe, middles(m.found)) })
		if err != nil {
			return best, err
		}
		if varied.share > from.share {
			if err := look(varied); err != nil {
				return best, err
			}
		}
	}
	return best, nil
}

// varied returns the stand-in with other sizes and choices, if its result is then more like
// After: step by step the one change that makes it so most.
func varied(g volume.Geometry, best standIn, facts denoise.Facts, run func(denoise.Recipe) (likeness, error)) (standIn, error) {
	f, err := denoise.FilterByName(best.recipe.Filter)
	if err != nil {
		return best, err
	}
	for range moves {
		from := best
		for _, changed := range variants(f, from.recipe) {
			if _, err := changed.Bind(g); err != nil {
				continue // this size does not go with the others
			}
			s, err := newSteps(g, changed, facts)
			if err != nil {
				return best, err
			}
			t, err := s.like(run)
			if err != nil {
				return best, err
			}
			if t.share > best.share {
				best = t
			}
		}
		if best.share == from.share || best.share >= same {
			break
		}
	}
	return best, nil
}

// variants returns a resolved recipe with one of its sizes a step smaller or larger, or with another choice.
// A size is a whole number, or a list of one for each axis.
func variants(f denoise.Filter, r denoise.Recipe) (all []denoise.Recipe) {
	for _, p := range f.Params {
		if p.Name == f.Strength.Param || !r.Ignores(p.Name).IsZero() {
			continue
		}
		value := r.Get(p.Name)
		switch {
		case p.Kind == denoise.Int:
			for _, x := range [...]float64{value.Float() - p.Step, value.Float() + p.Step} {
				if x >= p.Lo && x <= p.Hi {
					all = append(all, r.With(p.Name, denoise.Number(x)))
				}
			}
		case p.Kind == denoise.Ints && p.PerAxis:
			for _, more := range [...]int{-1, 1} {
				list := slices.Clone(value.Ints())
				for i, n := range list {
					if n > 0 {
						list[i] = max(n+more, 1)
					}
				}
				all = append(all, r.With(p.Name, denoise.List(list...)))
			}
		case p.Kind == denoise.Choice:
			for _, name := range p.Choices {
				if name != value.String() {
					all = append(all, r.With(p.Name, denoise.Word(name)))
				}
			}
		}
	}
	return all
}

// filtersOf returns the best candidate of each filter, the best filters first, at most mostVaried of them.
func filtersOf(tried []standIn) (out []standIn) {
	for _, t := range tried {
		if len(out) < mostVaried && !slices.ContainsFunc(out, func(o standIn) bool { return o.recipe.Filter == t.recipe.Filter }) {
			out = append(out, t)
		}
	}
	return out
}

// chosen returns the candidates that are compared again, the best first.
func chosen(tried []standIn) []standIn {
	slices.SortStableFunc(tried, func(a, b standIn) int { return cmp.Compare(b.share, a.share) })
	return slices.DeleteFunc(slices.Clone(tried[:min(len(tried), finalists)]), func(t standIn) bool { return t.share < tried[0].share-almost })
}

// middles returns the slice in the middle of each box.
func middles(boxes []volume.Region) []volume.Region {
	out := slices.Clone(boxes)
	for k, b := range out {
		z := (b.Min[2] + b.Max[2]) / 2
		out[k].Min[2], out[k].Max[2] = z, z+1
	}
	return out
}

// like narrows down the strength at which a filter removes as much as was removed from
// After, and returns the one on the way with the result most like it.
func (s *search) like(run func(denoise.Recipe) (likeness, error)) (best standIn, err error) {
	best.share = math.Inf(-1)
	whole := s.param.Kind == denoise.Ints
	lo, hi := s.strength.Lo, s.strength.Hi
	var less, more float64 // that is removed at lo and at hi, relative to After; 0 if it is not known
	for n := range narrowings {
		x := math.Sqrt(lo * hi)
		switch {
		case lo > hi || lo == hi && !whole:
			return best, nil
		case whole:
			x = math.Floor((lo + hi) / 2)
		case less > 0 && more > 0: // on a straight line between the logarithms
			x = lo * math.Pow(hi/lo, math.Log(1/less)/math.Log(more/less))
		case n >= 2 && less == 0:
			x = lo
		case n >= 2:
			x = hi
		}
		recipe, err := s.at(x)
		if err != nil {
			return best, err
		}
		l, err := run(recipe)
		if err != nil {
			return best, err
		}
		best.change = l.change
		if l.change == 0 {
			return best, nil
		}
		if l.share() > best.share {
			best.recipe, best.strength, best.share = recipe, x, l.share()
		}
		if l.apart == 0 {
			return best, nil
		}
		switch removed := l.removed / l.change; {
		case removed < 1 && whole:
			lo = x + 1
		case removed < 1:
			lo, less = x, removed
		case whole:
			hi = x - 1
		default:
			hi, more = x, removed
		}
	}
	return best, nil
}

// likeness is how much a result is like After: sums of squares.
type likeness struct {
	apart   float64 // between the two
	removed float64 // from the noisy voxels
	change  float64 // the same of After
	voxels  float64
	// everywhere is apart with the tiles that do not count.
	everywhere float64
}

// share returns the share of the change that the result makes.
func (l likeness) share() float64 { return 1 - l.apart/l.change }

// defaults returns the default recipe of every filter that has a strength, in each of
// its dimensions; in three only for a volume. If other values depend on whether the
// strength follows the noise or is a number, as in the formulas of the papers, the
// recipe of a number comes after.
func defaults(g volume.Geometry, facts denoise.Facts) ([]denoise.Recipe, error) {
	var all []denoise.Recipe
	for _, f := range denoise.Filters() {
		for _, dims := range f.Dims {
			if f.Strength.Param == "" || dims == 3 && g.Dims[2] == 1 {
				continue
			}
			recipe, err := denoise.NewRecipe(f.Name, dims)
			if err != nil {
				return nil, err
			}
			all = append(all, recipe)
			if p, _ := f.Param(f.Strength.Param); p.Unit != "value" {
				continue
			}
			follows, err := recipe.With(f.Strength.Param, denoise.Sigmas(1)).Resolve(g, facts)
			if err != nil {
				return nil, err
			}
			given, err := recipe.With(f.Strength.Param, denoise.Number(facts.Noise.Sigma)).Resolve(g, facts)
			if err != nil {
				return nil, err
			}
			if !maps.EqualFunc(follows.With(f.Strength.Param, denoise.Auto).Params, given.With(f.Strength.Param, denoise.Auto).Params, denoise.Value.Equal) {
				all = append(all, given)
			}
		}
	}
	return all, nil
}

// alike compares the result of a recipe with After in some boxes. v is the masked input. The tenth of
// the tiles in which the two are most apart does not count: a lesion that was erased or invented is no
// mark of a filter.
func (r Result) alike(ctx context.Context, engine denoise.Engine, v *volume.Volume, recipe denoise.Recipe, boxes []volume.Region) (sum likeness, err error) {
	program, err := recipe.Bind(v.Geometry)
	if err != nil {
		return sum, err
	}
	per := make([][]likeness, len(boxes))
	err = parallel.ForWorkers(ctx, len(boxes), max(engine.Info().Cores, 1), func() func(int) error {
		return func(b int) error {
			s := cut(r.Input, boxes[b], program.Around(boxes[b], v.Geometry))
			a := s.part(v.Geometry, boxes[b], s.run, func(i int) bool { return v.Valid(i) && r.Foreground(i) })
			u, err := engine.Run(ctx, recipe, a.in, a.box, nil)
			if err != nil {
				return err
			}
			per[b] = r.likenessIn(v, a, boxes[b], u)
			return nil
		}
	})
	all := slices.Concat(per...)
	slices.SortStableFunc(all, func(a, b likeness) int { return cmp.Compare(a.apart*b.voxels, b.apart*a.voxels) })
	for _, l := range all {
		sum.everywhere += l.apart
	}
	for _, l := range all[:len(all)-len(all)/10] {
		sum.apart, sum.removed, sum.change = sum.apart+l.apart, sum.removed+l.removed, sum.change+l.change
	}
	return sum, err
}

// tileSide is the side of the tiles of a slice in which results are compared: a small lesion.
const tileSide = 8

// likenessIn compares a result with After in the tiles of one box in which voxels count.
func (r Result) likenessIn(v *volume.Volume, a *part, box volume.Region, u *volume.Volume) []likeness {
	d := box.Dims()
	wide, high := (d[0]+tileSide-1)/tileSide, (d[1]+tileSide-1)/tileSide
	tiles := make([]likeness, wide*high*d[2])
	k := 0
	square := func(x, y float32) float64 { return (float64(x) - float64(y)) * (float64(x) - float64(y)) }
	each(v.Geometry, box, func(i int) {
		if a.use[k] {
			x, y, z := k%d[0], k/d[0]%d[1], k/(d[0]*d[1])
			l := &tiles[(z*high+y/tileSide)*wide+x/tileSide]
			after := r.After.At(box.Min[0]+x-r.Region.Min[0], box.Min[1]+y-r.Region.Min[1], box.Min[2]+z-r.Region.Min[2])
			l.voxels++
			l.apart += square(u.Data[k], after)
			l.removed += square(v.Data[i], u.Data[k])
			l.change += square(v.Data[i], after)
		}
		k++
	})
	return slices.DeleteFunc(tiles, func(l likeness) bool { return l.voxels == 0 })
}
