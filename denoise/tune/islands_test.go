package tune_test

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"
	"testing"

	"quell/volume"
)

// Anatomy has no list of objects that a result must keep. They are found in the truth
// alone, before any noise and without any result: what hangs together in a slice on one
// side of a level and lies alone.

const (
	levels     = 24  // that are tried, at equal distances over the values of the foreground
	alone      = 4   // pixels around an object that lie on the other side of the level
	leastPart  = 9   // pixels inside an object
	mostPixels = 800 // of an object: a larger one is no detail
)

// islands returns the insides of the objects of a truth. Of islands that overlap it is
// the one that stands out of white noise most.
func islands(v *volume.Volume, use func(i int) bool) (regions [][]bool) {
	var values []float32
	for i, a := range v.Data {
		if use(i) {
			values = append(values, a)
		}
	}
	slices.Sort(values)
	type island struct {
		inside []int
		stands float64
	}
	var all []island
	least, most := values[len(values)/1000], values[len(values)-1-len(values)/1000]
	for k := 1; k < levels; k++ {
		level := least + (most-least)*float32(k)/levels
		for _, dark := range []bool{true, false} {
			beyond := func(i int) bool { return dark == (v.Data[i] < level) }
			for _, part := range connected(v.Geometry, beyond) {
				if inside, stands := standing(v, part, beyond, use); stands > 0 {
					all = append(all, island{inside, stands})
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b island) int { return cmp.Compare(b.stands, a.stands) })
	taken := make([]bool, len(v.Data))
	for _, a := range all {
		if slices.ContainsFunc(a.inside, func(i int) bool { return taken[i] }) {
			continue
		}
		region := make([]bool, len(v.Data))
		for _, i := range a.inside {
			region[i], taken[i] = true, true
		}
		regions = append(regions, region)
	}
	return regions
}

// connected returns the parts of the slices with pixels that hang together and
// belong.
func connected(g volume.Geometry, belongs func(i int) bool) (parts [][]int) {
	seen := make([]bool, g.Voxels())
	nx, ny := g.Dims[0], g.Dims[1]
	for first := range seen {
		if seen[first] || !belongs(first) {
			continue
		}
		seen[first] = true
		part := []int{first}
		for k := 0; k < len(part); k++ {
			x, y := part[k]%nx, part[k]/nx%ny
			for _, d := range [][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
				next := part[k] + d[1]*nx + d[0]
				if x+d[0] < 0 || x+d[0] >= nx || y+d[1] < 0 || y+d[1] >= ny || seen[next] || !belongs(next) {
					continue
				}
				seen[next] = true
				part = append(part, next)
			}
		}
		parts = append(parts, part)
	}
	return parts
}

// standing returns the inside of a part, the pixels with all four neighbours in it, and its
// contrast over the standard error that white noise of 1 gives it. The contrast is 0 if the
// part is too small or too large, does not lie alone, or has its surroundings beyond the
// foreground.
func standing(v *volume.Volume, part []int, beyond, use func(i int) bool) (inside []int, stands float64) {
	nx, ny := v.Dims[0], v.Dims[1]
	if len(part) < leastPart || len(part) > mostPixels {
		return nil, 0
	}
	in := make(map[int]bool, len(part))
	for _, i := range part {
		in[i] = true
	}
	ring := map[int]bool{}
	for _, i := range part {
		x, y := i%nx, i/nx%ny
		if min(x, y, nx-1-x, ny-1-y) < alone || !use(i) {
			return nil, 0
		}
		if in[i-1] && in[i+1] && in[i-nx] && in[i+nx] {
			inside = append(inside, i)
		}
		for dy := -alone; dy <= alone; dy++ {
			for dx := -alone; dx <= alone; dx++ {
				near := i + dy*nx + dx
				switch {
				case dx*dx+dy*dy > alone*alone || in[near]:
				case beyond(near) || !use(near):
					return nil, 0
				default:
					ring[near] = true
				}
			}
		}
	}
	if len(inside) < leastPart {
		return nil, 0
	}
	mean := func(at iter.Seq[int]) float64 {
		sum, n := 0.0, 0.0
		for i := range at {
			sum, n = sum+float64(v.Data[i]), n+1
		}
		return sum / n
	}
	contrast := math.Abs(mean(slices.Values(inside)) - mean(maps.Keys(ring)))
	return inside, contrast / math.Sqrt(1/float64(len(inside))+1/float64(len(ring)))
}

// A disc that lies alone is found once, without its border; not if another is near, it is
// not of the foreground, or it is cut off.
func TestIslands(t *testing.T) {
	g := volume.NewGeometry([3]int{40, 30, 2}, [3]float64{1, 1, 1})
	disc := func(v *volume.Volume, cx, cy, z, r int, a float32) {
		for y := range g.Dims[1] {
			for x := range g.Dims[0] {
				if (x-cx)*(x-cx)+(y-cy)*(y-cy) <= r*r {
					v.Data[g.Index(x, y, z)] += a
				}
			}
		}
	}
	all := func(int) bool { return true }
	for name, c := range map[string]struct {
		draw func(v *volume.Volume)
		use  func(i int) bool
		want int
	}{
		"a dark disc":      {func(v *volume.Volume) { disc(v, 20, 15, 1, 4, -9) }, all, 1},
		"a bright disc":    {func(v *volume.Volume) { disc(v, 20, 15, 0, 4, 9) }, all, 1},
		"one of two steps": {func(v *volume.Volume) { disc(v, 20, 15, 0, 6, 5); disc(v, 20, 15, 0, 3, 5) }, all, 1},
		"two apart":        {func(v *volume.Volume) { disc(v, 10, 15, 0, 4, -9); disc(v, 24, 15, 0, 4, -9) }, all, 2},
		"two at a time":    {func(v *volume.Volume) { disc(v, 10, 15, 0, 4, -9); disc(v, 22, 15, 0, 4, -9) }, all, 0},
		"at the rim":       {func(v *volume.Volume) { disc(v, 7, 15, 0, 4, -9) }, all, 0},
		"off the rim":      {func(v *volume.Volume) { disc(v, 8, 15, 0, 4, -9) }, all, 1},
		"in the air":       {func(v *volume.Volume) { disc(v, 20, 15, 0, 4, -9) }, func(i int) bool { return i%40 != 12 }, 0},
		"beside the air":   {func(v *volume.Volume) { disc(v, 20, 15, 0, 4, -9) }, func(i int) bool { return i%40 != 11 }, 1},
		"too small":        {func(v *volume.Volume) { disc(v, 20, 15, 0, 2, -9) }, all, 0},
		"nothing":          {func(*volume.Volume) {}, all, 0},
	} {
		v := volume.New(g)
		for i := range v.Data { // even levels are told apart
			v.Data[i] = float32(i%7) / 10
		}
		c.draw(v)
		regions := islands(v, c.use)
		if len(regions) != c.want {
			t.Errorf("%s: %d objects, want %d", name, len(regions), c.want)
		}
		if name != "a dark disc" || len(regions) != 1 {
			continue
		}
		for i, inside := range regions[0] {
			x, y, z := i%40-20, i/40%30-15, i/1200
			if want := z == 1 && max(x, -x)+max(y, -y) < 5 && x*x+y*y <= 9; inside != want && (x*x+y*y <= 4 || x*x+y*y > 16) {
				t.Errorf("%s: at %d, %d inside is %v", name, x, y, inside)
			}
		}
	}
}
