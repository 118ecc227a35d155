package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/enginetest"
	"quell/denoise/noise"
	"quell/volume"
)

// stepsOf returns the strengths of a filter in noise of sigma 2.
func stepsOf(t *testing.T, filter string) *search {
	t.Helper()
	r, err := denoise.NewRecipe(filter, 2)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSteps(volume.NewGeometry([3]int{9, 9, 9}, [3]float64{1, 1, 1}), r, denoise.Facts{Hi: 100, Noise: noise.Known(2)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The strength that removes as much is found in few runs, wherever it lies in the range.
func TestLikeFindsTheStrength(t *testing.T) {
	for filter, strengths := range map[string][]float64{
		"gaussian": {0.25, 0.3, 0.7, 1, 1.7, 3.9, 4},
		"median":   {0, 1, 2, 3, 4},
	} {
		s := stepsOf(t, filter)
		for _, truth := range strengths {
			runs := 0
			best, err := s.like(func(r denoise.Recipe) (likeness, error) {
				runs++
				x, _ := StrengthOf(r, s.geometry, 2)
				// What is removed grows with the strength, at first faster.
				removed := func(x float64) float64 { return (x*x*x + 1e-9) / (1 + x*x) }
				apart := math.Log((x + 1e-9) / (truth + 1e-9))
				return likeness{apart: apart * apart, removed: removed(x), change: removed(truth)}, nil
			})
			if truth == 0 { // nothing was removed
				truth = best.strength
			}
			most := narrowings
			if s.param.Kind == denoise.Ints || truth == s.strength.Lo || truth == s.strength.Hi { // reached at last
				most = 3
			}
			if err != nil || runs > most || math.Abs(best.strength/truth-1) > 0.02 {
				t.Errorf("%s %g: found %g in %d runs, %v", filter, truth, best.strength, runs, err)
			}
			if x, _ := StrengthOf(best.recipe, s.geometry, 2); math.Abs(x-best.strength) > 1e-9 || !best.recipe.Resolved() {
				t.Errorf("%s: the recipe has strength %g, not %g", filter, x, best.strength)
			}
		}
	}
}

// A result that is weaker or stronger than any ends at that end of the range.
func TestLikeEndsAtTheEnds(t *testing.T) {
	for _, filter := range []string{"gaussian", "median"} {
		s := stepsOf(t, filter)
		for truth, want := range map[float64]float64{0.01: s.strength.Lo, 100: s.strength.Hi} {
			runs := 0
			best, err := s.like(func(r denoise.Recipe) (likeness, error) {
				runs++
				x, _ := StrengthOf(r, s.geometry, 2)
				return likeness{apart: math.Abs(x - truth), removed: x, change: truth}, nil
			})
			if most := map[bool]int{true: 3, false: narrowings}[truth < want || filter == "median"]; err != nil || best.strength != want || runs > most {
				t.Errorf("%s: %g for a result of %g in %d runs, %v; want %g", filter, best.strength, truth, runs, err, want)
			}
		}
	}
}

// If nothing was removed one run says so; the error of a run ends the search.
func TestLikeEnds(t *testing.T) {
	s, runs := stepsOf(t, "gaussian"), 0
	best, err := s.like(func(denoise.Recipe) (likeness, error) {
		runs++
		return likeness{removed: 1}, nil
	})
	if err != nil || runs != 1 || best.change != 0 {
		t.Errorf("%d runs, change %g, %v", runs, best.change, err)
	}
	broken := errors.New("broken")
	if _, err := s.like(func(denoise.Recipe) (likeness, error) { return likeness{}, broken }); !errors.Is(err, broken) {
		t.Errorf("%v; want the error of the run", err)
	}
}

// Of the strengths on the way the one with the most similar result counts.
func TestLikeTakesTheMostLike(t *testing.T) {
	s := stepsOf(t, "gaussian")
	best, err := s.like(func(r denoise.Recipe) (likeness, error) {
		x, _ := StrengthOf(r, s.geometry, 2)
		return likeness{apart: 1 - 1/x, removed: x, change: 4}, nil // the weaker the more alike
	})
	if err != nil || best.strength != 1 || best.share != 1 {
		t.Errorf("strength %g with a share of %g, %v; want the first, 1", best.strength, best.share, err)
	}
}

// The best three are compared again, if they are nearly as good as the first.
func TestChosen(t *testing.T) {
	for name, c := range map[string]struct{ shares, want []float64 }{
		"the best three": {[]float64{0.5, 0.6, 0.55, 0.58}, []float64{0.6, 0.58, 0.55}},
		"nearly as good": {[]float64{0.5, 0.61, 0.4, 0.52}, []float64{0.61, 0.52}},
		"one":            {[]float64{0.3}, []float64{0.3}},
		"none":           {nil, nil},
	} {
		var tried []standIn
		for _, share := range c.shares {
			tried = append(tried, standIn{share: share})
		}
		var got []float64
		for _, s := range chosen(tried) {
			got = append(got, s.share)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v of %v", name, got, c.shares)
		}
	}
}

// The slices in the middle of boxes, of one slice and of three.
func TestMiddles(t *testing.T) {
	in := []volume.Region{{Min: [3]int{1, 2, 3}, Max: [3]int{4, 5, 6}}, {Min: [3]int{0, 0, 7}, Max: [3]int{1, 1, 8}}}
	out := middles(in)
	if out[0] != (volume.Region{Min: [3]int{1, 2, 4}, Max: [3]int{4, 5, 5}}) || out[1] != in[1] || in[0].Min[2] != 3 {
		t.Errorf("%v of %v", out, in)
	}
}

// The sums over boxes are sums of the voxels that count, by definition.
func TestAlike(t *testing.T) {
	g := volume.NewGeometry([3]int{12, 10, 3}, [3]float64{1, 1, 1})
	v, after := volume.New(g), volume.New(volume.NewGeometry([3]int{12, 10, 2}, g.Spacing))
	for i := range v.Data {
		v.Data[i] = float32((7*i)%23) - 9
	}
	for i := range after.Data {
		after.Data[i] = float32((5 * i) % 11)
	}
	r := Result{Input: denoise.Input{Volume: v}, After: after, Region: volume.Slices(g, 1, 3), Foreground: func(i int) bool { return i%3 != 0 }}
	recipe, err := denoise.NewRecipe("gaussian", 2)
	if err != nil {
		t.Fatal(err)
	}
	recipe, err = recipe.With("sigma-spatial", denoise.Number(1)).ResolveFor(t.Context(), r.Input)
	if err != nil {
		t.Fatal(err)
	}
	u, err := cpu.New().Run(t.Context(), recipe, r.Input, v.Bounds(), nil)
	if err != nil {
		t.Fatal(err)
	}
	boxes := []volume.Region{{Min: [3]int{1, 2, 1}, Max: [3]int{4, 6, 2}}, {Min: [3]int{6, 3, 1}, Max: [3]int{11, 9, 3}}}
	var want likeness
	for _, b := range boxes {
		each(g, b, func(i int) {
			if i%3 == 0 {
				return
			}
			a, b, c := float64(v.Data[i]), float64(u.Data[i]), float64(after.Data[i-g.SliceVoxels()])
			want.apart += (b - c) * (b - c)
			want.removed += (a - b) * (a - b)
			want.change += (a - c) * (a - c)
		})
	}
	got, err := r.alike(t.Context(), cpu.New(), v, recipe, boxes)
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-5*b }
	if err != nil || !near(got.apart, want.apart) || !near(got.removed, want.removed) || !near(got.change, want.change) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if share := (likeness{apart: 1, change: 4}).share(); share != 0.75 {
		t.Errorf("share %g; want 0.75", share)
	}
}

// A filter that computes every second block has the same result in a box as in the whole, wherever the box begins.
func TestAlikeOnALattice(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{40, 37, 1}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32((7*i*i)%29) - 9
	}
	recipe := enginetest.RecipeOf(t, "bnlm", 2, "h=12")
	after, err := cpu.New().Run(t.Context(), recipe, denoise.Input{Volume: v}, v.Bounds(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := Result{Input: denoise.Input{Volume: v}, After: after, Region: v.Bounds(), Foreground: func(int) bool { return true }}
	for x := 13; x < 15; x++ {
		for y := 12; y < 14; y++ {
			got, err := r.alike(t.Context(), cpu.New(), v, recipe, []volume.Region{{Min: [3]int{x, y, 0}, Max: [3]int{x + 9, y + 8, 1}}})
			if err != nil || got.everywhere != 0 || got.change == 0 {
				t.Errorf("at %d, %d: %+v, %v", x, y, got, err)
			}
		}
	}
}

// counting counts the runs of each filter.
type counting struct {
	denoise.Engine
	lock sync.Mutex
	runs map[string]int // by name and dimensions
	deep int            // runs of several slices
}

func (c *counting) Run(ctx context.Context, r denoise.Recipe, in denoise.Input, region volume.Region, p denoise.Progress) (*volume.Volume, error) {
	c.lock.Lock()
	c.runs[fmt.Sprint(r.Filter, r.Dims)]++
	if region.Dims()[2] > 1 {
		c.deep++
	}
	c.lock.Unlock()
	return c.Engine.Run(ctx, r, in, region, p)
}

// A result of a filter is recognised, and no filter is tried after it. If none is like
// the result every one is tried at a few strengths, and at most three again.
func TestStandInsTakeFewRuns(t *testing.T) {
	r := fadedScene(t, 3, blob{30, 30, 5, 5, 5, 0}, blob{50, 20, 4, 9, -8, 0})
	facts, err := known(t.Context(), r.Input, r.Noise)
	if err != nil {
		t.Fatal(err)
	}
	all, err := defaults(r.Input.Volume.Geometry, facts)
	if err != nil {
		t.Fatal(err)
	}
	look := func(after *volume.Volume) (standIn, *counting) {
		t.Helper()
		r.After = after
		e := &counting{Engine: cpu.New(), runs: map[string]int{}}
		s, err := r.standIn(t.Context(), e, same)
		if err != nil {
			t.Fatal(err)
		}
		return s, e
	}
	regions, _, err := boxes(t.Context(), r.Input.Masked(), r.Region, [3]int{}, r.Foreground)
	if err != nil {
		t.Fatal(err)
	}
	seen := min(len(regions), looks)
	strange, engine := look(r.After) // the truth
	if strange.share >= same || strange.change == 0 {
		t.Errorf("the truth is as good as %s", strange.recipe)
	}
	again := 0
	for _, recipe := range all {
		n := engine.runs[fmt.Sprint(recipe.Filter, recipe.Dims)]
		if n > seen*narrowings {
			again++
		}
		if n == 0 || n > seen*(narrowings+1) {
			t.Errorf("%d runs of %s %d-D; want %d and some at most", n, recipe.Filter, recipe.Dims, seen*narrowings)
		}
	}
	if again == 0 || again > finalists || engine.deep > seen*finalists {
		t.Errorf("%d filters were compared again, in %d runs of whole boxes", again, engine.deep)
	}

	first := all[0]
	made, err := WithStrength(first, 1.3, r.After.Geometry).Resolve(r.After.Geometry, facts)
	if err != nil {
		t.Fatal(err)
	}
	after, err := cpu.New().Run(t.Context(), made, r.Input, r.Region, nil)
	if err != nil {
		t.Fatal(err)
	}
	found, engine := look(after)
	if found.recipe.Filter != first.Filter || found.recipe.Dims != first.Dims || math.Abs(found.strength/1.3-1) > 0.02 || found.share < same || len(engine.runs) != 1 {
		t.Errorf("%s of strength %g, %.3f of the change, after runs %v; want %s at 1.3 and no other filter", found.recipe, found.strength, found.share, engine.runs, first.Filter)
	}
}

// If other values of a filter depend on whether its strength follows the noise, the
// recipe of a number stands in too, after the one that follows.
func TestStandInsOfNumbers(t *testing.T) {
	g := volume.NewGeometry([3]int{9, 9, 3}, [3]float64{1, 1, 1})
	for sigma, want := range map[float64][]string{1: {"auto", "max"}, 9: {"auto"}} { // of a range of 100
		all, err := defaults(g, denoise.Facts{Hi: 100, Noise: noise.Known(sigma)})
		if err != nil {
			t.Fatal(err)
		}
		centres := map[int][]string{}
		for _, r := range all {
			if r.Filter == "nlm" {
				centres[r.Dims] = append(centres[r.Dims], r.Get("centre").String())
			}
		}
		if len(centres) != 2 || !slices.Equal(centres[2], want) || !slices.Equal(centres[3], want) {
			t.Errorf("sigma %g: nlm with centres %v, want %v in 2-D and 3-D", sigma, centres, want)
		}
		if n := len(all); n-len(centres[2])-len(centres[3]) != len(slices.CompactFunc(all, func(a, b denoise.Recipe) bool { return a.Filter == b.Filter && a.Dims == b.Dims }))-2 {
			t.Errorf("sigma %g: another filter stands in twice, %d recipes", sigma, n)
		}
	}
}

// Sizes move step by step towards the result's, within their range, for a few moves.
func TestResized(t *testing.T) {
	g := volume.NewGeometry([3]int{9, 9, 3}, [3]float64{1, 1, 1})
	facts := denoise.Facts{Hi: 100, Noise: noise.Known(9)}
	first, err := WithStrength(mustNLM(t, 3), 1, g).Resolve(g, facts)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ search, patch, wantSearch, wantPatch int }{
		"as it is":    {3, 1, 3, 1},
		"smaller":     {2, 1, 2, 1},
		"both":        {5, 2, 5, 2},
		"three moves": {1, 3, 1, 2}, // the fourth, of the patches, is one too many
		"the least":   {-3, 1, 1, 1},
	} {
		run := func(r denoise.Recipe) (likeness, error) {
			x, _ := StrengthOf(r, g, 9)
			ds, dp := float64(r.Get("search-radius").Int()-c.search), float64(r.Get("patch-radius").Int()-c.patch)
			return likeness{apart: 3*ds*ds + 2*dp*dp + math.Abs(math.Log(x))/100, removed: 100 * x, change: 100}, nil
		}
		l, _ := run(first)
		got, err := varied(g, standIn{recipe: first, strength: 1, share: l.share()}, facts, run)
		if search, patch := got.recipe.Get("search-radius").Int(), got.recipe.Get("patch-radius").Int(); err != nil || search != c.wantSearch || patch != c.wantPatch {
			t.Errorf("%s: radius %d of the search region and %d of the patches, %v; want %d and %d", name, search, patch, err, c.wantSearch, c.wantPatch)
		}
	}
	broken := errors.New("broken")
	if _, err := varied(g, standIn{recipe: first}, facts, func(denoise.Recipe) (likeness, error) { return likeness{}, broken }); !errors.Is(err, broken) {
		t.Errorf("%v; want the error of the run", err)
	}
}

// A size that does not go with the others is not tried: a step of bnlm's blocks that leaves
// voxels between them.
func TestResizedStaysValid(t *testing.T) {
	g := volume.NewGeometry([3]int{9, 9, 3}, [3]float64{1, 1, 1})
	facts := denoise.Facts{Hi: 100, Noise: noise.Known(9)}
	first, err := denoise.NewRecipe("bnlm", 3)
	if err != nil {
		t.Fatal(err)
	}
	if first, err = WithStrength(first, 1, g).Resolve(g, facts); err != nil {
		t.Fatal(err)
	}
	tried := map[[2]int]bool{}
	_, err = varied(g, standIn{recipe: first, share: math.Inf(-1)}, facts, func(r denoise.Recipe) (likeness, error) {
		if _, err := r.Bind(g); err != nil {
			t.Errorf("%s is tried: %v", r, err)
		}
		tried[[2]int{r.Get("block-radius").Int(), r.Get("block-step").Int()}] = true
		return likeness{apart: 1, removed: 100, change: 100}, nil
	})
	if err != nil || tried[[2]int{0, 2}] || tried[[2]int{1, 3}] || !tried[[2]int{2, 2}] || !tried[[2]int{1, 1}] {
		t.Errorf("radii and steps of blocks %v, %v; want 2, 2 and 1, 1, not 0, 2 and 1, 3", tried, err)
	}
}

func mustNLM(t *testing.T, dims int) denoise.Recipe {
	t.Helper()
	r, err := denoise.NewRecipe("nlm", dims)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A result of other sizes than the default's, and of a strength that is a number, is
// recognised.
func TestStandInOfOtherSizes(t *testing.T) {
	r := fadedScene(t, 1, blob{30, 30, 5, 5, 30, 0}, blob{50, 20, 4, 9, -30, 0})
	recipe, err := mustNLM(t, 2).With("h", denoise.Number(0.5*r.Noise.Sigma)).With("search-radius", denoise.Number(2)).ResolveFor(t.Context(), r.Input)
	if err != nil {
		t.Fatal(err)
	}
	if r.After, err = cpu.New().Run(t.Context(), recipe, r.Input, r.Region, nil); err != nil {
		t.Fatal(err)
	}
	s, err := r.standIn(t.Context(), cpu.New(), same)
	if err != nil || s.recipe.Filter != "nlm" || s.recipe.Dims != 2 || s.recipe.Get("search-radius").Int() != 2 || s.share < 0.99 {
		t.Errorf("%s makes %.3f of the change, %v; want nlm 2-D with a search radius of 2", s.recipe, s.share, err)
	}
}

// blob is an ellipse of a contrast in sigmas; a result loses a share of it.
type blob struct {
	x, y, rx, ry   float64
	contrast, lost float64
}

// fadedScene is slices of even tissue with blobs and noise of standard deviation 2, and a
// result that is free of noise but for what it lost.
func fadedScene(t *testing.T, slices int, blobs ...blob) Result {
	t.Helper()
	const sigma = 2
	truth := volume.New(volume.NewGeometry([3]int{72, 64, slices}, [3]float64{1, 1, 3}))
	after := volume.New(truth.Geometry)
	for i := range truth.Data {
		x, y := float64(i%72), float64(i/72%64)
		a, b := 100.0, 100.0
		for _, o := range blobs {
			dx, dy := (x-o.x)/o.rx, (y-o.y)/o.ry
			if d := dx*dx + dy*dy; d <= 1 {
				a, b = a+sigma*o.contrast, b+sigma*o.contrast*(1-o.lost-0.01*d) // highest in the middle
			}
		}
		truth.Data[i], after.Data[i] = float32(a), float32(b)
	}
	noisy, err := noise.AddNoise(t.Context(), truth, noise.Gaussian, sigma, 3)
	if err != nil {
		t.Fatal(err)
	}
	return Result{
		Input: denoise.Input{Volume: noisy}, After: after, Region: truth.Bounds(), Noise: noise.Known(sigma),
		Foreground: func(int) bool { return true },
	}
}
