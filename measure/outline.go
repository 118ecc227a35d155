package measure

import (
	"math"
	"slices"

	"quell/volume"
)

// Shape says what the points of an outline mean.
type Shape int

// The shapes.
const (
	Box      Shape = iota // the rectangle with two opposite corners
	Ellipse               // the ellipse that fits into that rectangle
	Freehand              // the polygon with these corners; if it crosses itself, what an odd number of turns surrounds
	Line                  // from the first point to the second; it holds no pixel
)

// Outline is a shape on a picture. Points are (column, row) in pixels; the centre of a
// pixel has whole coordinates.
type Outline struct {
	Shape  Shape        `json:"shape"`
	Points [][2]float64 `json:"points"`
}

// Bounds returns the smallest and the largest coordinates of the points; NaN without any.
func (o Outline) Bounds() (lo, hi [2]float64) {
	for c := range lo {
		lo[c], hi[c] = math.Inf(1), math.Inf(-1)
		for _, p := range o.Points {
			lo[c], hi[c] = min(lo[c], p[c]), max(hi[c], p[c])
		}
		if len(o.Points) == 0 {
			lo[c], hi[c] = math.NaN(), math.NaN()
		}
	}
	return lo, hi
}

// Pixels returns the pixels of a picture of width x height with their centres inside, as
// row*width + column in rising order. A shape that is too small to hold a centre has the
// pixel in which its own centre lies, so that a click selects one; a line has none.
func (o Outline) Pixels(width, height int) []int {
	lo, hi := o.Bounds()
	if o.Shape == Line || !(hi[0]-lo[0] < math.MaxInt32 && hi[1]-lo[1] < math.MaxInt32) {
		return nil
	}
	var out []int
	for row := clamp(math.Ceil(lo[1]), height); row < clamp(math.Floor(hi[1])+1, height); row++ {
		spans := o.spans(float64(row), lo, hi)
		for i := 0; i+1 < len(spans); i += 2 {
			for col := clamp(math.Ceil(spans[i]), width); col < clamp(math.Floor(spans[i+1])+1, width); col++ {
				out = append(out, row*width+col)
			}
		}
	}
	if col, row := math.Round((lo[0]+hi[0])/2), math.Round((lo[1]+hi[1])/2); len(out) == 0 &&
		col >= 0 && col < float64(width) && row >= 0 && row < float64(height) {
		out = append(out, int(row)*width+int(col))
	}
	return out
}

// clamp returns x, at least 0 and at most n.
func clamp(x float64, n int) int { return int(min(max(x, 0), float64(n))) }

// spans returns the columns at which the line through the centres of a row enters and
// leaves the shape.
func (o Outline) spans(row float64, lo, hi [2]float64) []float64 {
	switch o.Shape {
	case Box:
		return []float64{lo[0], hi[0]}
	case Ellipse:
		// (x/a)^2 + (y/b)^2 = 1
		a, b, y := (hi[0]-lo[0])/2, (hi[1]-lo[1])/2, row-(lo[1]+hi[1])/2
		half := a
		if b > 0 {
			half = a * math.Sqrt(max(1-(y/b)*(y/b), 0))
		}
		middle := (lo[0] + hi[0]) / 2
		return []float64{middle - half, middle + half}
	}
	var at []float64
	for i, p := range o.Points {
		q := o.Points[(i+1)%len(o.Points)]
		// A corner on the row belongs to the edge below it alone, so that it counts once.
		if (p[1] <= row) != (q[1] <= row) {
			at = append(at, p[0]+(row-p[1])/(q[1]-p[1])*(q[0]-p[0]))
		}
	}
	slices.Sort(at)
	return at
}

// Area returns the area of the shape in pixels, 0 for a line. Of a polygon that crosses
// itself it is the area of the parts to the left less the area of the parts to the
// right.
func (o Outline) Area() float64 {
	lo, hi := o.Bounds()
	switch o.Shape {
	case Box:
		return (hi[0] - lo[0]) * (hi[1] - lo[1])
	case Ellipse:
		return math.Pi / 4 * (hi[0] - lo[0]) * (hi[1] - lo[1])
	case Freehand:
		sum := 0.0
		for i, p := range o.Points {
			q := o.Points[(i+1)%len(o.Points)]
			sum += p[0]*q[1] - q[0]*p[1]
		}
		return math.Abs(sum) / 2
	}
	return 0
}

// PixelArea returns the area in mm² of a pixel of the slices of a geometry; its edges
// need not be at right angles: of a tilted gantry, coronal pixels are sheared.
func PixelArea(g volume.Geometry) float64 { return g.Affine.Column(0).Cross(g.Affine.Column(1)).Norm() }

// Distance returns the distance in mm between two voxel indices, which may be fractional.
func Distance(g volume.Geometry, from, to [3]float64) float64 {
	return g.Affine.Apply(to[0], to[1], to[2]).Sub(g.Affine.Apply(from[0], from[1], from[2])).Norm()
}

// roundness is how many corners an ellipse has if it is drawn.
const roundness = 64

// Corners returns the corners of the closed polygon that is drawn for the shape, of a line
// its ends.
func (o Outline) Corners() [][2]float64 {
	if o.Shape == Freehand || o.Shape == Line {
		return o.Points
	}
	lo, hi := o.Bounds()
	if o.Shape == Box {
		return [][2]float64{lo, {hi[0], lo[1]}, hi, {lo[0], hi[1]}}
	}
	out := make([][2]float64, roundness)
	for i := range out {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / roundness)
		out[i] = [2]float64{(lo[0]+hi[0])/2 + cos*(hi[0]-lo[0])/2, (lo[1]+hi[1])/2 + sin*(hi[1]-lo[1])/2}
	}
	return out
}

// Handles returns the points by which the shape can be changed: the corners of a rectangle
// or an ellipse in their order around it, the ends of a line.
func (o Outline) Handles() [][2]float64 {
	switch o.Shape {
	case Freehand:
		return nil
	case Line:
		return o.Points
	}
	a, b := o.Points[0], o.Points[1]
	return [][2]float64{a, {b[0], a[1]}, b, {a[0], b[1]}}
}
