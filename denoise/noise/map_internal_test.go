package noise

import (
	"math"
	"testing"

	"quell/volume"
)

// Between its nodes a map is linear along every axis.
func TestMapIsInterpolatedLinearly(t *testing.T) {
	g := volume.NewGeometry([3]int{33, 21, 17}, [3]float64{1, 1, 1})
	n := newNodes(g)
	for k := range n.dims[2] {
		for j := range n.dims[1] {
			for i := range n.dims[0] {
				n.sigma[(k*n.dims[1]+j)*n.dims[0]+i] = 5 + 0.1*float64(i)*n.step[0] + 0.2*float64(j)*n.step[1] - 0.05*float64(k)*n.step[2]
			}
		}
	}
	plane := make([]float32, g.SliceVoxels())
	for z := range g.Dims[2] {
		n.interpolate(plane, z)
		for y := range g.Dims[1] {
			for x := range g.Dims[0] {
				want := 5 + 0.1*float64(x) + 0.2*float64(y) - 0.05*float64(z)
				if got := float64(plane[y*g.Dims[0]+x]); math.Abs(got-want) > 1e-5 {
					t.Fatalf("at %d, %d, %d: %g, want %g", x, y, z, got, want)
				}
			}
		}
	}
}

// Nodes without windows continue their neighbours; a map without any stays empty.
func TestMapIsExtended(t *testing.T) {
	n := newNodes(volume.NewGeometry([3]int{40, 40, 40}, [3]float64{1, 1, 1}))
	if n.extend() {
		t.Error("an empty map was extended")
	}
	n.sigma[len(n.sigma)/2] = 3
	if !n.extend() {
		t.Fatal("a node was not found")
	}
	for i, s := range n.sigma {
		if s != 3 {
			t.Fatalf("node %d has %g, want 3", i, s)
		}
	}
}
