package phantom

import "math"

// Shape is an object of constant contrast: an ellipsoid or a box. Shapes add up if
// they overlap.
type Shape struct {
	Name   string
	Box    bool       // a box instead of an ellipsoid
	Centre [3]float64 // mm
	// Half holds the half axes in mm. An infinite Half[2] makes an elliptical
	// cylinder, or a rod of rectangular section, along z.
	Half  [3]float64
	Angle float64 // rotation about z through the centre, radians
	Value float64 // added to what the shape lies in
}

// section is the cut of a shape at one z: an ellipse or a rectangle.
type section struct {
	box      bool
	cx, cy   float64 // mm
	a, b     float64 // half axes, mm
	sin, cos float64 // of the rotation
	value    float64
}

// at returns the section at z; ok is false if the shape does not reach z.
func (s Shape) at(z float64) (c section, ok bool) {
	c = section{box: s.Box, cx: s.Centre[0], cy: s.Centre[1], a: s.Half[0], b: s.Half[1], value: s.Value}
	c.sin, c.cos = math.Sincos(s.Angle)
	if math.IsInf(s.Half[2], 1) {
		return c, true
	}
	t := (z - s.Centre[2]) / s.Half[2]
	if !(math.Abs(t) < 1) {
		return c, false
	}
	if !s.Box {
		shrink := math.Sqrt(1 - t*t)
		c.a, c.b = c.a*shrink, c.b*shrink
	}
	return c, true
}

// contains says whether the point (x, y) lies inside.
func (c section) contains(x, y float64) bool {
	dx, dy := x-c.cx, y-c.cy
	u, v := (dx*c.cos+dy*c.sin)/c.a, (dy*c.cos-dx*c.sin)/c.b
	if c.box {
		return math.Abs(u) <= 1 && math.Abs(v) <= 1
	}
	return u*u+v*v <= 1
}

// bounds returns half the extent of the section along x and y.
func (c section) bounds() (hx, hy float64) {
	if c.box {
		return math.Abs(c.a*c.cos) + math.Abs(c.b*c.sin), math.Abs(c.a*c.sin) + math.Abs(c.b*c.cos)
	}
	return math.Hypot(c.a*c.cos, c.b*c.sin), math.Hypot(c.a*c.sin, c.b*c.cos)
}

// chord returns the length inside the section of the line
// x cos(theta) + y sin(theta) = s, in mm.
func (c section) chord(sin, cos, s float64) float64 {
	// In the frame of the section the line has the normal (n0, n1) and the
	// distance d from the centre.
	n0, n1 := cos*c.cos+sin*c.sin, sin*c.cos-cos*c.sin
	d := s - c.cx*cos - c.cy*sin
	if !c.box {
		alpha2 := c.a*c.a*n0*n0 + c.b*c.b*n1*n1
		if d*d >= alpha2 {
			return 0
		}
		return 2 * c.a * c.b * math.Sqrt(alpha2-d*d) / alpha2
	}
	// The line is (d n0 - t n1, d n1 + t n0); clip t to both slabs.
	lo, hi := math.Inf(-1), math.Inf(1)
	for _, slab := range [2][3]float64{{d * n0, -n1, c.a}, {d * n1, n0, c.b}} {
		p, v, half := slab[0], slab[1], slab[2]
		if math.Abs(v) < 1e-12 {
			if math.Abs(p) > half {
				return 0
			}
			continue
		}
		t0, t1 := (-half-p)/v, (half-p)/v
		lo, hi = max(lo, min(t0, t1)), min(hi, max(t0, t1))
	}
	return max(hi-lo, 0)
}
