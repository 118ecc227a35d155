package tune

import (
	"cmp"
	"context"
	"math"
	"slices"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/volume"
)

// Point is one strength with its risk.
type Point struct {
	Value denoise.Value `json:"value"` // of the strength parameter
	// Strength is the value in the unit of [denoise.Strength]: sigmas, voxels, or
	// the parameter's own.
	Strength float64 `json:"strength"`
	Risk
}

// Curve is the risk of a recipe over its strength.
type Curve struct {
	Param     string    `json:"parameter"` // the strength parameter
	Objective Objective `json:"objective"`
	Points    []Point   `json:"points"` // by rising strength
	Best      int       `json:"best"`   // the point that the objective chooses
}

// Inner reports whether strengths on both sides of the best were tried: at the first or the
// last of them the objective may have its optimum beyond.
func (c Curve) Inner() bool { return c.Best > 0 && c.Best < len(c.Points)-1 }

// Objective says which strength is the best.
type Objective string

// The objectives.
const (
	// LeastRisk is the least estimated mean squared error.
	LeastRisk Objective = "sure"
	// Discrepancy is the strength at which the residual is as strong as the noise
	// that was removed: |v - u|^2 = (1 - kept) N sigma^2 (after Morozov 1966). It
	// looks at the residual alone and not at the error.
	Discrepancy Objective = "residual"
)

// Options of a search. The zero value is a good default.
type Options struct {
	Objective Objective // "": LeastRisk
	Also      float64   // a strength that is tried in addition, if above 0
	// Region is the part of the volume that the risk is of; zero: all of it.
	Region volume.Region
	// Foreground says which voxels count; nil: the voxels of [noise.Foreground].
	Foreground func(i int) bool
	// Progress, if not nil, receives the curve as it grows, on the goroutine of
	// the search.
	Progress func(Curve)

	// Whole tries the whole range after the best was found, for a curve that is looked at; the best stays.
	Whole bool

	unit float64 // of values in the unit of the series, if the noise is stabilised already
}

// coarse is how many strengths are tried first; finer ones follow around the best.
const coarse = 7

// ErrNoStrength is returned for recipes without a strength.
var ErrNoStrength = message.Errorf(message.TuneStrength, "there is no strength to be tuned")

// Search returns the risk of a recipe over its strength, on boxes of the
// foreground, and the best strength. e describes the noise of in, see [noise.Of].
//
// The range of the strength is tried at a few points of equal ratio; if each costs two runs, only at
// those around the least risk (bracket.go). Two points between the best and its neighbours and
// the vertex of a parabola through the then best three, in the logarithm of the strength, follow. If the halves of the boxes disagree about the best
// strength, more boxes of the volume are added. The risk of a recipe that stabilises Rician
// noise is that in the stabilised volume; its noise is weaker if the signal is. Of risks
// that are as good as the least the one of the weakest strength is the best.
//
// Errors: the filter has no strength, or there is no noise, or no foreground, or
// what the engine returns.
func Search(ctx context.Context, engine denoise.Engine, in denoise.Input, r denoise.Recipe, e noise.Estimate, o Options) (Curve, error) {
	s, err := newSearch(ctx, engine, in, r, e, o)
	if err != nil {
		return Curve{}, err
	}
	if o.Objective != "" {
		s.objective = o.Objective
	}
	report := func() {
		if o.Progress != nil {
			o.Progress(s.curve().settled())
		}
	}
	if err := s.begin(ctx, o.Also, report); err != nil {
		return Curve{}, err
	}
	if s.param.Kind == denoise.Float {
		if err := s.narrow(ctx, report); err != nil {
			return Curve{}, err
		}
	}
	if s.disagreement() > tolerated {
		if err := s.addBoxes(ctx); err != nil {
			return Curve{}, err
		}
		if s.param.Kind == denoise.Float {
			if err := s.try(ctx, s.vertex()); err != nil {
				return Curve{}, err
			}
		}
		report()
	}
	found := s.curve().settled()
	if !o.Whole {
		return found, nil
	}
	return s.whole(ctx, found, o.Progress)
}

// search is a search in progress.
type search struct {
	probes   []*probe // of boxes that are looked at together
	recipe   denoise.Recipe
	param    denoise.Param
	strength denoise.Strength
	geometry volume.Geometry
	facts    denoise.Facts
	points   []tried
	unit     float64 // of the passes' values in the unit of the volume, if the noise is stabilised; else 0
	// objective chooses among them.
	objective Objective
}

// tried is a strength with the sums over either half of the boxes.
type tried struct {
	strength float64
	recipe   denoise.Recipe
	halves   [2]tally
}

func newSearch(ctx context.Context, engine denoise.Engine, in denoise.Input, r denoise.Recipe, e noise.Estimate, o Options) (*search, error) {
	facts, err := known(ctx, in, e)
	if err != nil {
		return nil, err
	}
	sigma, err := r.StabilisationFor(in.Volume.Geometry, facts)
	if err != nil {
		return nil, err
	}
	if sigma > 0 {
		// The risk is the risk of the filter's own passes, in Gaussian noise.
		if in, err = in.Stabilised(ctx, sigma); err != nil {
			return nil, err
		}
		e, r = r.StabilisedNoise(e, sigma), r.UnstabilisedBy(sigma)
		if facts, err = known(ctx, in, e); err != nil {
			return nil, err
		}
	}
	s, err := newSteps(in.Volume.Geometry, r, facts)
	if err != nil {
		return nil, err
	}
	s.unit = max(sigma, o.unit)
	strongest, err := s.at(s.strength.Hi)
	if err != nil {
		return nil, err
	}
	program, err := strongest.Bind(s.geometry)
	if err != nil {
		return nil, err
	}
	use := o.Foreground
	if use == nil {
		if use, err = noise.Foreground(ctx, in.Masked()); err != nil {
			return nil, err
		}
	}
	m := noiseModel{sigma: e.Sigma, correlation: e.Correlation, within: func(ctx context.Context, box volume.Region) (float64, error) {
		sd, err := e.Within(ctx, in.Masked(), box)
		if s.unit > 0 {
			sd *= math.Sqrt(stabilisedPower(in.Masked(), box, use))
		}
		return sd, err
	}}
	first, err := newProbe(ctx, engine, in, program.Reach(), m, use, o.Region, 1)
	if err != nil {
		return nil, err
	}
	s.probes = []*probe{first}
	return s, first.takeSpare(strongest)
}

// known returns the facts that strengths are resolved by. It reads the whole volume.
func known(ctx context.Context, in denoise.Input, e noise.Estimate) (denoise.Facts, error) {
	lo, hi, err := in.Masked().Range(ctx)
	return denoise.Facts{Lo: lo, Hi: hi, Noise: e}, err
}

// newSteps returns a search that knows its strengths and recipes but no boxes.
func newSteps(g volume.Geometry, r denoise.Recipe, facts denoise.Facts) (*search, error) {
	f, err := denoise.FilterByName(r.Filter)
	if err != nil {
		return nil, err
	}
	param, ok := f.Param(f.Strength.Param)
	if !ok || !r.Ignores(param.Name).IsZero() {
		return nil, message.Errorf(message.TuneStrength, "%s with these parameters: %w", r.Filter, ErrNoStrength)
	}
	return &search{objective: LeastRisk, recipe: r, param: param, strength: f.Strength, geometry: g, facts: facts}, nil
}

// grid returns the strengths that are tried first.
func (s *search) grid() []float64 {
	var xs []float64
	if s.param.Kind == denoise.Ints {
		for x := s.strength.Lo; x <= s.strength.Hi; x++ {
			xs = append(xs, x)
		}
		return xs
	}
	ratio := math.Pow(s.strength.Hi/s.strength.Lo, 1.0/(coarse-1))
	for k := range coarse {
		xs = append(xs, s.strength.Lo*math.Pow(ratio, float64(k)))
	}
	return xs
}

// between returns the strengths in the middle of the best and its neighbours.
func (s *search) between() []float64 {
	c := s.curve()
	var xs []float64
	for _, k := range []int{c.Best - 1, c.Best} {
		if k >= 0 && k+1 < len(c.Points) {
			xs = append(xs, math.Sqrt(c.Points[k].Strength*c.Points[k+1].Strength))
		}
	}
	return xs
}

// vertex returns the strength that the best point and its neighbours point to: for
// the least risk the vertex of the parabola through them, for the discrepancy the
// place at which the line through the two nearest crosses 0. It returns nothing if
// the best point is the first or the last, or a neighbour of it is as near as the
// search is to be exact.
func (s *search) vertex() []float64 {
	c := s.curve()
	if !c.Inner() {
		return nil
	}
	var x, y [3]float64
	for k := range 3 {
		p := c.Points[c.Best-1+k]
		x[k], y[k] = math.Log(p.Strength), s.objective.value(p.Risk)
	}
	var at float64
	if s.objective == Discrepancy {
		k := 0 // the pair with a change of sign
		if y[1] < 0 {
			k = 1
		}
		at = x[k] - y[k]*(x[k+1]-x[k])/(y[k+1]-y[k])
	} else {
		left, right := (y[1]-y[0])/(x[1]-x[0]), (y[2]-y[1])/(x[2]-x[1])
		at = (x[0]+x[1])/2 - left*(x[2]-x[0])/2/(right-left)
	}
	if !(at > x[0] && at < x[2]) || math.Abs(at-x[1]) < exact {
		return nil
	}
	return []float64{math.Exp(at)}
}

// exact is the relative change of a strength below which a search ends: less has no
// visible effect.
const exact = 0.02

// value is what an objective minimises, or wants to be 0.
func (o Objective) value(r Risk) float64 {
	if o == Discrepancy {
		return r.Residual - (1 - r.Kept)
	}
	return r.MSE
}

// try adds strengths.
func (s *search) try(ctx context.Context, xs []float64) error {
	recipes := make([]denoise.Recipe, len(xs))
	for i, x := range xs {
		var err error
		if recipes[i], err = s.at(x); err != nil {
			return err
		}
	}
	first := len(s.points)
	for i, x := range xs {
		s.points = append(s.points, tried{strength: x, recipe: recipes[i]})
	}
	for _, p := range s.probes {
		if err := s.look(ctx, p, s.points[first:]); err != nil {
			return err
		}
	}
	return nil
}

// look adds the boxes of a probe to points.
func (s *search) look(ctx context.Context, p *probe, points []tried) error {
	recipes := make([]denoise.Recipe, len(points))
	for i := range points {
		recipes[i] = points[i].recipe
	}
	tallies, err := p.tallies(ctx, recipes)
	if err != nil {
		return err
	}
	for i, t := range tallies {
		for h := range t {
			points[i].halves[h] = points[i].halves[h].plus(t[h])
		}
	}
	return nil
}

// tie is how much above the least, relative to it, a risk is as good: differences between
// neighbouring strengths are known no better.
const tie = 0.002

// settled returns c with the weakest of the strengths with a risk as good as the least:
// too little smoothing leaves noise, which can be smoothed further, and sigma rather reads
// too much than too little, which moves the least risk beyond the least error.
func (c Curve) settled() Curve {
	if c.Objective == LeastRisk && len(c.Points) > 0 {
		least := c.Points[c.Best].MSE
		c.Best = slices.IndexFunc(c.Points, func(p Point) bool { return p.MSE <= least+tie*math.Abs(least) })
	}
	return c
}

// tolerated is the disagreement up to which the first boxes are enough. All of them
// together err by about a quarter of it, which is 0.05 dB here: the excess is
// quadratic in the error of the strength, and two halves differ by twice the error of
// the whole.
const tolerated = 0.05

// disagreement returns how much more than the least risk of one half of the boxes
// its risk is at the strength that the other half chooses, relative to the least;
// the mean of both halves.
func (s *search) disagreement() float64 {
	var curves [2][]Point
	for h := range curves {
		for _, p := range s.sorted() {
			if p.halves[h].voxels == 0 {
				return 1 // a single box
			}
			curves[h] = append(curves[h], Point{Strength: p.strength, Risk: p.halves[h].risk(s.facts.Noise.Sigma)})
		}
	}
	sum := 0.0
	for h, points := range curves {
		least := points[LeastRisk.best(points)].MSE
		more := points[s.objective.best(curves[1-h])].MSE - points[s.objective.best(points)].MSE
		sum += math.Abs(more) / math.Max(math.Abs(least), math.SmallestNonzeroFloat64)
	}
	return sum / 2
}

// addBoxes adds further boxes of the volume to all points, if there are any.
func (s *search) addBoxes(ctx context.Context) error {
	spare := s.probes[0].spare
	if spare == nil {
		return nil
	}
	p, err := spare()
	if err != nil {
		return err
	}
	if err := s.look(ctx, p, s.points); err != nil {
		return err
	}
	s.probes = append(s.probes, p)
	return nil
}

// at returns the resolved recipe with a strength.
func (s *search) at(x float64) (denoise.Recipe, error) {
	return WithStrength(s.recipe, x, s.geometry).Resolve(s.geometry, s.facts)
}

// WithStrength returns the recipe with a strength in the unit of [denoise.Strength].
// One in the volume's unit stays in sigmas, so that what else is automatic is not
// taken for a recipe of numbers.
func WithStrength(r denoise.Recipe, x float64, g volume.Geometry) denoise.Recipe {
	f, err := denoise.FilterByName(r.Filter)
	if err != nil {
		return r
	}
	p, ok := f.Param(f.Strength.Param)
	switch {
	case !ok:
		return r
	case p.Kind == denoise.Ints:
		return r.With(p.Name, denoise.List(int(math.Round(x))))
	case p.Unit == "value":
		return r.With(p.Name, denoise.Sigmas(x))
	}
	return r.With(p.Name, denoise.Number(x*unitOf(p, g, 1)))
}

// unitOf returns the unit of [denoise.Strength] in the unit of the parameter.
func unitOf(p denoise.Param, g volume.Geometry, sigma float64) float64 {
	switch p.Unit {
	case "value":
		return sigma
	case "mm":
		return min(g.Spacing[0], g.Spacing[1])
	}
	return 1
}

// StrengthOf returns the strength of a resolved recipe in the unit of
// [denoise.Strength]; ok is false if the filter has none.
func StrengthOf(r denoise.Recipe, g volume.Geometry, sigma float64) (x float64, ok bool) {
	f, err := denoise.FilterByName(r.Filter)
	if err != nil {
		return 0, false
	}
	p, ok := f.Param(f.Strength.Param)
	if !ok || !r.Ignores(p.Name).IsZero() {
		return 0, false
	}
	if p.Kind == denoise.Ints {
		return float64(slices.Max(r.Get(p.Name).Ints())), true
	}
	return r.Get(p.Name).Float() / unitOf(p, g, sigma), true
}

// sorted returns the points by rising strength.
func (s *search) sorted() []tried {
	points := slices.Clone(s.points)
	slices.SortFunc(points, func(a, b tried) int { return cmp.Compare(a.strength, b.strength) })
	return points
}

func (s *search) curve() Curve {
	c := Curve{Param: s.param.Name, Objective: s.objective}
	for _, p := range s.sorted() {
		value := p.recipe.Get(s.param.Name)
		if s.unit > 0 && s.param.Unit == denoise.Stabilise.Unit {
			value = denoise.Number(value.Float() * s.unit)
		}
		c.Points = append(c.Points, Point{
			Value: value, Strength: p.strength,
			Risk: p.halves[0].plus(p.halves[1]).risk(s.facts.Noise.Sigma),
		})
	}
	c.Best = s.objective.best(c.Points)
	return c
}

// best returns the position of the point that the objective chooses among points of
// rising strength: the one with the least risk; or of the last two between which
// the residual becomes stronger than the removed noise, the one at which they are
// nearer to each other.
func (o Objective) best(points []Point) int {
	best := 0
	for i, p := range points {
		switch {
		case o == Discrepancy && o.value(p.Risk) <= 0, o != Discrepancy && p.MSE < points[best].MSE:
			best = i
		}
	}
	if next := best + 1; o == Discrepancy && next < len(points) && o.value(points[next].Risk) < -o.value(points[best].Risk) {
		best = next
	}
	return best
}
