package volume

import "fmt"

// Region is a box of voxels, half open: Min is inside, Max is not.
type Region struct {
	Min [3]int `json:"min"`
	Max [3]int `json:"max"`
}

// Slices returns the region of the slices z0 <= z < z1 of a geometry.
func Slices(g Geometry, z0, z1 int) Region {
	return Region{Min: [3]int{0, 0, z0}, Max: [3]int{g.Dims[0], g.Dims[1], z1}}
}

// Dims returns the number of voxels along each axis.
func (r Region) Dims() [3]int {
	return [3]int{r.Max[0] - r.Min[0], r.Max[1] - r.Min[1], r.Max[2] - r.Min[2]}
}

// Voxels returns the number of voxels inside; an empty region has none.
func (r Region) Voxels() int {
	n := 1
	for _, d := range r.Dims() {
		n *= max(d, 0)
	}
	return n
}

// In reports whether every voxel of r is inside g.
func (r Region) In(g Geometry) bool {
	for c := range 3 {
		if r.Min[c] < 0 || r.Max[c] > g.Dims[c] {
			return false
		}
	}
	return true
}

// Validate returns an error if the region is empty or reaches outside g.
func (r Region) Validate(g Geometry) error {
	if r.Voxels() == 0 {
		return fmt.Errorf("volume: region %v-%v is empty", r.Min, r.Max)
	}
	if !r.In(g) {
		return fmt.Errorf("volume: region %v-%v reaches outside %v", r.Min, r.Max, g.Dims)
	}
	return nil
}

// Grow returns r with a margin of m[c] voxels on both sides of each axis,
// clipped to g: the input that a filter with that reach needs.
func (r Region) Grow(m [3]int, g Geometry) Region {
	for c := range 3 {
		r.Min[c] = max(r.Min[c]-m[c], 0)
		r.Max[c] = min(r.Max[c]+m[c], g.Dims[c])
	}
	return r
}

// Offset returns r moved by -origin: the same voxels, counted from origin.
func (r Region) Offset(origin [3]int) Region {
	for c := range 3 {
		r.Min[c] -= origin[c]
		r.Max[c] -= origin[c]
	}
	return r
}

// Mirror returns the index that replaces i on an axis of n voxels: the volume
// continues as in a mirror that repeats the edge voxel, with period 2n.
func Mirror(i, n int) int {
	if 0 <= i && i < n { // most are, and divisions are slow
		return i
	}
	i %= 2 * n
	if i < 0 {
		i += 2 * n
	}
	if i >= n {
		i = 2*n - 1 - i
	}
	return i
}
