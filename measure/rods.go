package measure

import (
	"cmp"
	"context"
	"math"
	"slices"
)

const (
	// rodLevels is how many levels between the darkest and the brightest pixel are looked at, and as many again
	// that part the pixels into equal numbers, for rods of little contrast.
	rodLevels = 48
	// leastRod and mostRod bound the radius of a rod: in pixels, and as a share of the smaller side of the slice.
	leastRod, mostRod = 5, 0.25
	// mostOval is the relative deviation from a disc of the same area, in both half axes.
	mostOval = 0.15
	// triedRods bounds how many candidates are fitted, and mostRods how many rods are returned.
	triedRods, mostRods = 24, 8
	// besideRod is how far the region about a rod goes beyond its rim: the widths of the edge and of the level beyond.
	besideRod = 9
)

// Rod is a disc that was found in a slice.
type Rod struct {
	Outline Outline // the ellipse that RimOf takes
	Middle  [2]float64
	Radius  float64 // mm
	Height  float64 // inside less outside, in the unit of the slice
}

// RodsOf finds discs on an even ground by themselves, the cross sections of rods, with the highest total contrast over noise
// first: what RimOf accepts of the round parts that are brighter or darker than some level. counts says which pixels a
// disc may hold, nil for all. There is none if the contrast is too low, see leastTotal.
func RodsOf(ctx context.Context, s Slice, counts func(i int) bool) ([]Rod, error) {
	var found []round
	smooth := s.smoothed()
	for _, level := range levelsOf(smooth, s.Mask) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, above := range []bool{true, false} {
			found = append(found, roundParts(s, smooth, level, above)...)
		}
	}
	slices.SortStableFunc(found, func(a, b round) int { return cmp.Compare(a.oval, b.oval) })
	var kept []round
	for _, r := range found {
		if !slices.ContainsFunc(kept, r.same) && (counts == nil || r.counts(s, counts)) {
			kept = append(kept, r)
		}
	}
	var rods []Rod
	totals := map[[2]float64]float64{}
	for k, r := range kept {
		if k == triedRods {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		again := func(o Rod) bool {
			return math.Hypot((o.Middle[0]-r.middle[0])*s.Pixel[0], (o.Middle[1]-r.middle[1])*s.Pixel[1]) < o.Radius
		}
		if slices.ContainsFunc(rods, again) {
			continue
		}
		if rod, total, ok := r.fit(s); ok {
			rods = append(rods, rod)
			totals[rod.Middle] = total
		}
	}
	slices.SortStableFunc(rods, func(a, b Rod) int { return cmp.Compare(totals[b.Middle], totals[a.Middle]) })
	return rods[:min(len(rods), mostRods)], nil
}

// round is a round part of a slice.
type round struct {
	middle [2]float64 // pixels
	radius float64    // mm
	oval   float64    // how far it is from a disc
}

// same reports whether two parts are one disc, by another level.
func (r round) same(o round) bool {
	return math.Hypot(r.middle[0]-o.middle[0], r.middle[1]-o.middle[1]) < 2 && math.Abs(r.radius-o.radius) < 0.25*o.radius
}

// counts reports whether the middle pixel does.
func (r round) counts(s Slice, counts func(i int) bool) bool {
	return counts(int(r.middle[1]+0.5)*s.Width + int(r.middle[0]+0.5))
}

// fit finds the rim of the disc. The region about it shrinks until no neighbour lies in it.
func (r round) fit(s Slice) (rod Rod, total float64, ok bool) {
	for _, beside := range []float64{besideRod, 7, 5.5} {
		o := Outline{Shape: Ellipse, Points: make([][2]float64, 2)}
		larger := max(s.Pixel[0], s.Pixel[1])
		inside := true
		for c, n := range []int{s.Width, s.Height} {
			half := (r.radius + beside*larger) / s.Pixel[c]
			o.Points[0][c], o.Points[1][c] = r.middle[c]-half, r.middle[c]+half
			inside = inside && o.Points[0][c] >= 0 && o.Points[1][c] <= float64(n-1)
		}
		if !inside {
			continue
		}
		rim, err := RimOf(s, o)
		if err != nil {
			continue
		}
		if math.Abs(rim.Radius-r.radius) > 0.25*r.radius {
			continue
		}
		m, err := rim.MTF(s)
		if err != nil {
			continue
		}
		relative := float64(m.F50.Error) / float64(m.F50.At)
		if !(relative >= 0) {
			relative = 1
		}
		return Rod{Outline: o, Middle: r.middle, Radius: rim.Radius, Height: -m.Height}, math.Abs(m.Height) * rim.Radius / (1 + relative), true
	}
	return Rod{}, 0, false
}

// smoothed returns the mean of 3 x 3 pixels about each, so that the parts of a noisy slice hang together.
func (s Slice) smoothed() []float32 {
	out := make([]float32, len(s.Values))
	for y := range s.Height {
		for x := range s.Width {
			var sum float64
			n := 0
			for dy := max(y-1, 0); dy <= min(y+1, s.Height-1); dy++ {
				for dx := max(x-1, 0); dx <= min(x+1, s.Width-1); dx++ {
					sum, n = sum+float64(s.Values[dy*s.Width+dx]), n+1
				}
			}
			out[y*s.Width+x] = float32(sum / float64(n))
		}
	}
	return out
}

// levelsOf returns levels between the values, in rising order, each once.
func levelsOf(values []float32, mask []bool) []float32 {
	var all []float32
	for i, v := range values {
		if mask == nil || mask[i] {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.Sort(all)
	lo, hi := float64(all[len(all)/1000]), float64(all[len(all)-1-len(all)/1000])
	var levels []float32
	for k := 1; k < rodLevels; k++ {
		levels = append(levels, float32(lo+(hi-lo)*float64(k)/rodLevels), all[len(all)*k/rodLevels])
	}
	slices.Sort(levels)
	return slices.Compact(levels)
}

// roundParts returns the round parts of a slice on one side of a level that touch neither its border nor padding.
func roundParts(s Slice, values []float32, level float32, above bool) (out []round) {
	belongs := func(i int) bool { return (values[i] > level) == above && (s.Mask == nil || s.Mask[i]) }
	seen := make([]bool, len(values))
	var stack []int
	most := mostRod * math.Min(float64(s.Width)*s.Pixel[0], float64(s.Height)*s.Pixel[1])
	for first := range values {
		if seen[first] || !belongs(first) {
			continue
		}
		seen[first] = true
		stack = append(stack[:0], first)
		var n, sx, sy, xx, xy, yy float64
		open := true // it does not touch the border
		for len(stack) > 0 {
			i := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			col, row := i%s.Width, i/s.Width
			if col == 0 || row == 0 || col == s.Width-1 || row == s.Height-1 {
				open = false
			}
			x, y := float64(col)*s.Pixel[0], float64(row)*s.Pixel[1]
			n, sx, sy, xx, xy, yy = n+1, sx+x, sy+y, xx+x*x, xy+x*y, yy+y*y
			for _, j := range [4]int{i - 1, i + 1, i - s.Width, i + s.Width} {
				if j >= 0 && j < len(values) && !seen[j] && (j/s.Width == row || j%s.Width == col) && belongs(j) {
					seen[j] = true
					stack = append(stack, j)
				}
			}
		}
		area := n * s.Pixel[0] * s.Pixel[1]
		radius := math.Sqrt(area / math.Pi)
		if !open || radius < leastRod*max(s.Pixel[0], s.Pixel[1]) || radius > most {
			continue
		}
		mx, my := sx/n, sy/n
		xx, xy, yy = xx/n-mx*mx, xy/n-mx*my, yy/n-my*my
		half, root := (xx+yy)/2, math.Hypot((xx-yy)/2, xy)
		// The half axes of the ellipse with these moments: of a full disc its radius.
		long, short := 2*math.Sqrt(half+root), 2*math.Sqrt(max(half-root, 0))
		oval := max(math.Abs(long/radius-1), math.Abs(short/radius-1))
		if oval <= mostOval {
			out = append(out, round{[2]float64{mx / s.Pixel[0], my / s.Pixel[1]}, radius, oval})
		}
	}
	return out
}
