package volume

import "math"

// Plane is one of the three patient planes. In an oblique volume it is the plane of
// voxels nearest to it.
type Plane int

// The planes.
const (
	Axial    Plane = iota // seen from the feet
	Coronal               // seen from the front
	Sagittal              // seen from the patient's left
)

// String returns "axial", "coronal" or "sagittal".
func (p Plane) String() string {
	switch p {
	case Axial:
		return "axial"
	case Coronal:
		return "coronal"
	case Sagittal:
		return "sagittal"
	}
	return "unknown plane"
}

// planes lists, for every plane, the patient axis (0 left, 1 posterior, 2 head) along
// screen x, along screen y (downwards) and through the slices. The sign is -1 if the
// radiological convention shows that axis reversed: patient right on screen left,
// anterior at the top or left, head at the top. The third direction is the cross
// product of the first two, as scanners order their slices, so that slice numbers on
// the screen are the numbers of the series.
var planes = [...][3]struct {
	axis int
	sign float64
}{
	Axial:    {{0, 1}, {1, 1}, {2, 1}},
	Coronal:  {{0, 1}, {2, -1}, {1, 1}},
	Sagittal: {{1, 1}, {2, -1}, {0, -1}},
}

// View describes how one plane of a volume is shown on a screen. It holds no voxels.
// "index" below is the number of a slice along the view, from 0 to Size[2]-1.
type View struct {
	Plane   Plane
	Axis    [3]int     // the voxel axis along screen x, along screen y (downwards) and through the slices
	Flip    [3]bool    // whether that voxel axis runs against the screen's direction
	Size    [3]int     // pixels wide, pixels high, slices
	Pixel   [2]float64 // mm between pixels along screen x and y
	Step    float64    // mm between slices
	Letters [4]string  // patient direction at the left, right, top and bottom edge: R L A P H F; oblique up to three, the strongest first
}

// View returns the view of plane p. Each voxel axis is assigned to exactly one
// patient axis so that all three together match best; therefore the three views of a
// volume are different cuts however oblique it is. An affine without directions (zero
// or not finite) counts as axis-aligned.
func (g Geometry) View(p Plane) View {
	if p < Axial || p > Sagittal {
		p = Axial
	}
	dirs, owner := g.directions()
	w := View{Plane: p}
	for s, want := range planes[p] {
		a := owner[want.axis]
		w.Axis[s] = a
		w.Size[s] = g.Dims[a]
		w.Flip[s] = dirs[a][want.axis]*want.sign < 0
	}
	w.Pixel = [2]float64{g.Spacing[w.Axis[0]], g.Spacing[w.Axis[1]]}
	w.Step = g.Spacing[w.Axis[2]]
	for s := range 2 {
		d := dirs[w.Axis[s]]
		if w.Flip[s] {
			d = d.Scale(-1)
		}
		w.Letters[2*s], w.Letters[2*s+1] = directionLetters(d.Scale(-1)), directionLetters(d)
	}
	return w
}

// Turn says how a picture stands relative to the radiological convention: mirrored left to
// right first, then turned clockwise. The zero Turn is the convention.
type Turn struct {
	Mirrored bool `json:"mirrored,omitempty"`
	Quarters int  `json:"quarters,omitempty"` // 0 to 3
}

// Mirror returns the turn with the picture as it stands mirrored: left to right, or top to
// bottom if upright is false.
func (t Turn) Mirror(upright bool) Turn {
	quarters := -t.Quarters
	if !upright {
		quarters += 2
	}
	return Turn{Mirrored: !t.Mirrored, Quarters: (quarters + 4) % 4}
}

// Clockwise returns the turn with the picture as it stands turned by a quarter.
func (t Turn) Clockwise() Turn { return Turn{Mirrored: t.Mirrored, Quarters: (t.Quarters + 1) % 4} }

// Turned returns the view mirrored and turned; the slices keep their order.
func (w View) Turned(t Turn) View {
	if t.Mirrored {
		w.Flip[0] = !w.Flip[0]
		w.Letters[0], w.Letters[1] = w.Letters[1], w.Letters[0]
	}
	for range (t.Quarters%4 + 4) % 4 {
		w.Axis[0], w.Axis[1] = w.Axis[1], w.Axis[0]
		w.Flip[0], w.Flip[1] = !w.Flip[1], w.Flip[0]
		w.Size[0], w.Size[1] = w.Size[1], w.Size[0]
		w.Pixel[0], w.Pixel[1] = w.Pixel[1], w.Pixel[0]
		left, right, top, bottom := w.Letters[0], w.Letters[1], w.Letters[2], w.Letters[3]
		w.Letters = [4]string{bottom, top, left, right}
	}
	return w
}

// Of returns the view of a part of the volume.
func (w View) Of(part Geometry) View {
	for s, a := range w.Axis {
		w.Size[s] = part.Dims[a]
	}
	return w
}

// To returns the place of point (column, row) of a slice in another view of the same
// plane.
func (w View) To(other View, at [2]float64) (there [2]float64) {
	for s, a := range other.Axis[:2] {
		from := 0
		if w.Axis[1] == a {
			from = 1
		}
		there[s] = at[from]
		if w.Flip[from] != other.Flip[s] {
			there[s] = float64(w.Size[from]-1) - at[from]
		}
	}
	return there
}

// Acquired returns the plane of the volume's own slices (through axis z).
func (g Geometry) Acquired() Plane {
	for p := Axial; p <= Sagittal; p++ {
		if g.View(p).Axis[2] == 2 {
			return p
		}
	}
	return Axial
}

// directions returns the unit direction of every voxel axis and, for every
// patient axis, the voxel axis that is assigned to it.
func (g Geometry) directions() (dirs [3]Vec, owner [3]int) {
	for a := range dirs {
		dirs[a] = g.Affine.Column(a).Unit()
		for _, x := range dirs[a] {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				dirs[a] = Vec{}
			}
		}
	}
	most := -1.0
	for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		along := 0.0
		for p, a := range order {
			along += math.Abs(dirs[a][p])
		}
		// Ignore rounding: of orders that match equally well, as at 45 degrees, the
		// first is taken.
		if along > most+1e-6 {
			most, owner = along, order
		}
	}
	for p, a := range owner {
		if dirs[a] == (Vec{}) {
			dirs[a][p] = 1
		}
	}
	return dirs, owner
}

// obliqueLetter is the smallest component of a unit direction that gets a letter: the
// sine of about 11 degrees, so that a tilted gantry is shown and the few degrees by
// which every patient lies askew are not.
const obliqueLetter = 0.2

// directionLetters names a unit direction in LPS+: "L", or "PH" for an oblique
// one, the strongest first.
func directionLetters(d Vec) string {
	names := [3][2]byte{{'R', 'L'}, {'A', 'P'}, {'F', 'H'}}
	var out []byte
	for range 3 {
		c := 0
		for k := range d {
			if math.Abs(d[k]) > math.Abs(d[c]) {
				c = k
			}
		}
		if math.Abs(d[c]) < obliqueLetter {
			break
		}
		side := 0
		if d[c] > 0 {
			side = 1
		}
		out = append(out, names[c][side])
		d[c] = 0
	}
	return string(out)
}

// Region returns the box of voxels shown at slice index, one voxel thick.
func (w View) Region(index int) Region {
	var r Region
	for s, a := range w.Axis {
		r.Max[a] = w.Size[s]
	}
	through := w.along(2, index)
	r.Min[w.Axis[2]], r.Max[w.Axis[2]] = through, through+1
	return r
}

// Slice returns the geometry of slice index of g as a picture: Size[0] x Size[1] pixels at
// their places in the patient.
func (w View) Slice(g Geometry, index int) Geometry {
	var a Affine
	for s, axis := range w.Axis {
		column := g.Affine.Column(axis)
		if w.Flip[s] {
			column = column.Scale(-1)
		}
		a.SetColumn(s, column)
	}
	first := w.Voxel(0, 0, index)
	a.SetColumn(3, g.Affine.Apply(float64(first[0]), float64(first[1]), float64(first[2])))
	return Geometry{Dims: [3]int{w.Size[0], w.Size[1], 1}, Spacing: [3]float64{w.Pixel[0], w.Pixel[1], w.Step}, Affine: a}
}

// Voxel returns the voxel that pixel (col, row) of slice index shows; a pixel
// outside the picture gives a voxel outside the volume.
func (w View) Voxel(col, row, index int) [3]int {
	var v [3]int
	for s, n := range [3]int{col, row, index} {
		v[w.Axis[s]] = w.along(s, n)
	}
	return v
}

// Locate is the inverse of Voxel.
func (w View) Locate(voxel [3]int) (col, row, index int) {
	return w.along(0, voxel[w.Axis[0]]), w.along(1, voxel[w.Axis[1]]), w.along(2, voxel[w.Axis[2]])
}

// along turns a screen coordinate into a voxel coordinate and back.
func (w View) along(s, n int) int {
	if w.Flip[s] {
		return w.Size[s] - 1 - n
	}
	return n
}

// Extract returns the values that the view shows at slice index: Size[0] *
// Size[1] of them, row by row from the top left. dst is reused if it is large
// enough, so that a viewer that passes its last result does not allocate.
//
// v is the volume that the view was made from. For a volume that holds only
// w.Region(index), such as the result of a preview, use
//
//	w.Of(v.Geometry).Extract(dst, v, 0)
func (w View) Extract(dst []float32, v *Volume, index int) []float32 {
	return extract(dst, v.Data, w, v.Geometry, index)
}

// ExtractMask is Extract for the mask; nil if every voxel is valid.
func (w View) ExtractMask(dst []bool, v *Volume, index int) []bool {
	if v.Mask == nil {
		return nil
	}
	return extract(dst, v.Mask, w, v.Geometry, index)
}

// extract walks the plane with one stride per screen axis.
func extract[T any](dst, data []T, w View, g Geometry, index int) []T {
	cols, rows := w.Size[0], w.Size[1]
	if cap(dst) < cols*rows {
		dst = make([]T, cols*rows)
	}
	dst = dst[:cols*rows]

	strides := [3]int{1, g.Dims[0], g.Dims[0] * g.Dims[1]}
	first := w.Voxel(0, 0, index)
	start := g.Index(first[0], first[1], first[2])
	dx, dy := strides[w.Axis[0]], strides[w.Axis[1]]
	if w.Flip[0] {
		dx = -dx
	}
	if w.Flip[1] {
		dy = -dy
	}
	for row := range rows {
		line := dst[row*cols : (row+1)*cols]
		from := start + row*dy
		if dx == 1 {
			copy(line, data[from:from+cols])
			continue
		}
		for col := range line {
			line[col] = data[from+col*dx]
		}
	}
	return dst
}
