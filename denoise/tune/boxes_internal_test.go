package tune

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/volume"
)

// row returns candidates along x with that many voxels that count.
func row(used ...int) []candidate {
	all := make([]candidate, len(used))
	for i, n := range used {
		all[i] = candidate{box: volume.Region{Min: [3]int{i, 0, 0}, Max: [3]int{i + 1, 1, 1}}, used: n}
	}
	return all
}

// One candidate of each group is taken, as many as hold the voxels asked for, and the rest
// is kept.
func TestSpread(t *testing.T) {
	all := row(2, 2, 2, 2, 2, 2, 2, 2, 2, 2)
	for voxels, n := range map[int]int{1: 1, 2: 1, 3: 2, 6: 3, 19: 10, 20: 10, 21: 10, 1000: 10} {
		chosen, rest := spread(all, voxels, rand.New(rand.NewPCG(1, 0)))
		if len(chosen) != n || len(chosen)+len(rest) != len(all) {
			t.Errorf("%d of 20 voxels: %d and %d boxes; want %d", voxels, len(chosen), len(rest), n)
			continue
		}
		for k, box := range chosen {
			if at := box.Min[0]; at < k*10/n || at >= (k+1)*10/n {
				t.Errorf("%d boxes: number %d is candidate %d", n, k, at)
			}
			if slices.ContainsFunc(rest, func(c candidate) bool { return c.box == box }) {
				t.Errorf("%d boxes: %v is chosen and left", n, box)
			}
		}
	}
	if chosen, rest := spread(nil, 5, rand.New(rand.NewPCG(1, 0))); len(chosen)+len(rest) != 0 {
		t.Errorf("of nothing: %v and %v", chosen, rest)
	}
}

// Every voxel is as likely to be looked at as any other: a candidate is taken as often
// as any other, however many of its voxels count.
func TestSpreadIsEven(t *testing.T) {
	const times = 4000
	all := row(1, 9, 9, 2, 9, 9, 1, 9, 9, 2)
	var taken [10]int
	for seed := range uint64(times) {
		chosen, _ := spread(all, 24, rand.New(rand.NewPCG(seed, 0)))
		if len(chosen) != 4 {
			t.Fatalf("%d of 10 boxes for 24 of 60 voxels", len(chosen))
		}
		for _, box := range chosen {
			taken[box.Min[0]]++
		}
	}
	// The groups of 10 in 4 hold 2 or 3.
	for i, want := range [10]float64{1. / 2, 1. / 2, 1. / 3, 1. / 3, 1. / 3, 1. / 2, 1. / 2, 1. / 3, 1. / 3, 1. / 3} {
		if share := float64(taken[i]) / times; math.Abs(share-want) > 0.04 {
			t.Errorf("candidate %d is taken in %.3f of the draws; want %.3f", i, share, want)
		}
	}
}

// Boxes keep away from the first and last slices if there is room, cover the rest,
// and are of one size; those in which hardly any voxel counts are left out.
func TestBoxes(t *testing.T) {
	volumeOf := func(x, y, z int) *volume.Volume {
		return volume.New(volume.NewGeometry([3]int{x, y, z}, [3]float64{1, 1, 1}))
	}
	every := func(int) bool { return true }
	reach := [3]int{4, 4, 4}
	v := volumeOf(5*boxSide, 5*boxSide, 7*boxDepth)
	first, spare, err := boxes(t.Context(), v, v.Bounds(), reach, every)
	const size = boxSide * boxSide * boxDepth
	if err != nil || len(first) != (boxVoxels+size-1)/size || len(spare) != (spareVoxels+size-1)/size {
		t.Fatalf("%d and %d boxes, %v", len(first), len(spare), err)
	}
	if again, _, _ := boxes(t.Context(), v, v.Bounds(), reach, every); !slices.Equal(again, first) {
		t.Error("the boxes differ from call to call")
	}
	for _, box := range append(first, spare...) {
		if box.Min[2] < reach[2] || box.Max[2]+reach[2] > v.Dims[2] {
			t.Errorf("%v reaches beyond the first or last slice", box)
		}
	}
	// If there is no room, boxes lie at the edge.
	small := volumeOf(2*boxSide, 2*boxSide, 3*boxDepth)
	if first, spare, _ = boxes(t.Context(), small, small.Bounds(), reach, every); len(first) != 12 || len(spare) != 0 {
		t.Errorf("a small volume has %d and %d boxes", len(first), len(spare))
	}
	// The fullest box has 1728 voxels that count; one with 27 is taken, one with 26 not.
	v = volumeOf(3*boxSide, boxSide, boxDepth)
	for left, want := range map[int]int{27: 2, 26: 1} {
		n := 0
		counts := func(i int) bool {
			switch x := i % v.Dims[0]; {
			case x < boxSide:
				return true
			case x < 2*boxSide && n < left:
				n++
				return true
			}
			return false
		}
		if first, _, _ = boxes(t.Context(), v, v.Bounds(), [3]int{}, counts); len(first) != want {
			t.Errorf("with %d voxels of the second: %d boxes", left, len(first))
		}
	}
	if first, spare, _ = boxes(t.Context(), v, v.Bounds(), reach, func(int) bool { return false }); len(first)+len(spare) != 0 {
		t.Error("boxes without a voxel that counts")
	}
	// The boxes of a region lie in it; the boxes of a slice are squares.
	region := volume.Region{Min: [3]int{10, 5, 2}, Max: [3]int{70, 35, 3}}
	if first, _, _ = boxes(t.Context(), v, region, [3]int{}, every); len(first) != 6 || first[0].Dims() != [3]int{boxSide, boxSide, 1} || first[0].Min != region.Min || first[5].Max != region.Max {
		t.Errorf("the boxes of %v are %v", region, first)
	}
	for c := range 3 {
		thin := volume.Region{Max: [3]int{90, 90, 90}}
		thin.Max[c] = 1
		want := [3]int{boxSide, boxSide, boxSide}
		want[c] = 1
		if got := boxSize(thin); got != want {
			t.Errorf("boxes of %v measure %v, want %v", thin, got, want)
		}
	}
}

// A box is inside if what a recipe reads around it is, to the voxel.
func TestIsInner(t *testing.T) {
	g := volume.NewGeometry([3]int{48, 50, 11}, [3]float64{1, 1, 1})
	box := volume.Region{Min: [3]int{4, 6, 4}, Max: [3]int{44, 46, 7}}
	if !isInner(box, [3]int{4, 4, 4}, g) {
		t.Error("a box with room all round is not inside")
	}
	for c := range 3 {
		reach := [3]int{4, 4, 4}
		reach[c]++
		if isInner(box, reach, g) {
			t.Errorf("axis %d: a reach of %d is inside", c, reach[c])
		}
	}
}

// The best point of either objective.
func TestBestPoint(t *testing.T) {
	point := func(residual, kept float64) Point {
		return Point{Risk: Risk{MSE: residual - 1 + 2*kept, Residual: residual, Kept: kept}}
	}
	points := []Point{point(0.3, 0.75), point(0.4, 0.5), point(0.5, 0.45), point(0.8, 0.3), point(1.5, 0.2)}
	for o, want := range map[Objective]int{LeastRisk: 1, Discrepancy: 2} {
		if got := o.best(points); got != want {
			t.Errorf("%s: point %d; want %d", o, got, want)
		}
	}
	if got := Discrepancy.best([]Point{point(0.1, 0.5), point(0.72, 0.3)}); got != 1 {
		t.Errorf("the nearer point after the crossing is %d", got)
	}
	if got := Discrepancy.best([]Point{point(0.9, 0.5), point(0.95, 0.3)}); got != 0 {
		t.Errorf("without a crossing: %d", got)
	}
}

// Of strengths with as good a risk the weakest is chosen, but not by the discrepancy.
func TestTies(t *testing.T) {
	for _, c := range []struct {
		objective Objective
		risks     []float64
		best      int
		want      int
	}{
		{LeastRisk, []float64{1, 0.2003, 0.2, 0.3}, 2, 1},
		{LeastRisk, []float64{1, 0.2005, 0.2, 0.2001}, 2, 2},
		{LeastRisk, []float64{0.5, 0.5, 0.5}, 2, 0},
		{LeastRisk, []float64{0.1, -0.09983, -0.1}, 2, 1},
		{LeastRisk, []float64{0.1, -0.0997, -0.1}, 2, 2},
		{Discrepancy, []float64{0.2, 0.2, 0.2}, 1, 1},
	} {
		curve := Curve{Objective: c.objective, Best: c.best}
		for _, mse := range c.risks {
			curve.Points = append(curve.Points, Point{Risk: Risk{MSE: mse}})
		}
		if got := curve.settled().Best; got != c.want {
			t.Errorf("%s of %v: %d, want %d", c.objective, c.risks, got, c.want)
		}
	}
	if got := (Curve{Objective: LeastRisk}).settled(); got.Best != 0 {
		t.Errorf("no points: %+v", got)
	}
}

// The vertex of the parabola in the logarithm of the strength, or the strength at
// which the residual becomes as strong as the removed noise, on either side of the
// best point.
func TestVertex(t *testing.T) {
	for _, c := range []struct {
		objective Objective
		values    [3]float64
		want      float64 // as an exponent of 2; the points lie at 0, 1 and 2; NaN for none
	}{
		{LeastRisk, [3]float64{3, 1, 2}, 1 + 1./6},
		{LeastRisk, [3]float64{2, 1, 3}, 1 - 1./6},
		{LeastRisk, [3]float64{1, 2, 3}, math.NaN()}, // the best is the first
		{LeastRisk, [3]float64{3, 2, 1}, math.NaN()},
		{LeastRisk, [3]float64{2, 1, 2}, math.NaN()}, // the best is the vertex
		{Discrepancy, [3]float64{-0.4, -0.1, 0.3}, 1.25},
		{Discrepancy, [3]float64{-0.3, 0.1, 0.5}, 0.75},
	} {
		s := &search{objective: c.objective, facts: denoise.Facts{Noise: noise.Known(1)}}
		for k, y := range c.values {
			stein := denoise.Stein{Residual: y + 1} // with nothing kept, both objectives are residual - 1
			if c.objective == LeastRisk {
				stein.Residual = y
			}
			s.points = append(s.points, tried{strength: math.Exp2(float64(k)), halves: [2]tally{{Stein: stein, voxels: 1, noise: 1}, {}}})
		}
		got := s.vertex()
		if math.IsNaN(c.want) != (len(got) == 0) || len(got) == 1 && math.Abs(math.Log2(got[0])-c.want) > 1e-9 {
			t.Errorf("%s of %v: %v; want 2^%g", c.objective, c.values, got, c.want)
		}
	}
}

// Boxes cover an axis from end to end without gaps.
func TestCover(t *testing.T) {
	for _, c := range []struct{ from, to, n, reach, side, first, last, size, count int }{
		{0, 20, 20, 4, 3, 4, 13, 3, 4},       // 4 to 16
		{0, 10, 10, 4, 3, 0, 7, 3, 4},        // no room for 3 voxels 4 from the ends
		{0, 11, 11, 4, 3, 4, 4, 3, 1},        // just enough
		{0, 2, 2, 4, 3, 0, 0, 2, 1},          // a short axis
		{0, 112, 112, 2, 40, 2, 70, 40, 3},   // 2 to 110
		{10, 90, 100, 15, 40, 15, 45, 40, 2}, // of a region, 15 to 85
	} {
		starts, size := cover(c.from, c.to, c.n, c.reach, c.side)
		if len(starts) != c.count || starts[0] != c.first || starts[len(starts)-1] != c.last || size != c.size {
			t.Errorf("%+v: %v of %d", c, starts, size)
		}
		for k := 1; k < len(starts); k++ {
			if starts[k] > starts[k-1]+size || starts[k] <= starts[k-1] {
				t.Errorf("%+v: a gap in %v", c, starts)
			}
		}
	}
}
