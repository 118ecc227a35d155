package apptest

import (
	"math"
	"testing"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/phantom"
	"quell/series"
	"quell/volume"
)

// LargestDifference returns by how much the values of two volumes of the same dims differ at most.
func LargestDifference(t *testing.T, a, b *volume.Volume) float64 {
	t.Helper()
	if a.Dims != b.Dims {
		t.Fatalf("dims %v and %v", a.Dims, b.Dims)
	}
	worst := 0.0
	for i := range a.Data {
		worst = max(worst, math.Abs(float64(a.Data[i])-float64(b.Data[i])))
	}
	return worst
}

// Wavy returns a series whose values rise and fall, with no symmetry.
func Wavy(nx, ny, nz int) *series.Series {
	v := volume.New(volume.NewGeometry([3]int{nx, ny, nz}, [3]float64{0.5, 0.75, 2}))
	for i := range v.Data {
		v.Data[i] = float32((i*i*7+i*13)%201) - 50
	}
	return &series.Series{Meta: series.Meta{Format: "NIfTI-1"}, Volume: v, Sources: []series.Source{{}}}
}

// MustRecipe returns the recipe of a filter with its defaults.
func MustRecipe(filter string, dims int) denoise.Recipe {
	r, err := denoise.NewRecipe(filter, dims)
	if err != nil {
		panic(err)
	}
	return r
}

// FoundFacts returns the facts of v.
func FoundFacts(t testing.TB, v *volume.Volume) denoise.Facts {
	t.Helper()
	f, err := denoise.FactsOf(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// RampedDisc is a disc with Gaussian noise of sigma 5 at its left edge and 15 at its
// right, and the true map of it.
func RampedDisc(t *testing.T) (noisy *series.Series, sigma *volume.Volume) {
	t.Helper()
	clean := Disc(64, 3)
	v, err := noise.AddNoise(t.Context(), clean.Volume, noise.Gaussian, 10, 3)
	if err != nil {
		t.Fatal(err)
	}
	with := *clean
	with.Volume, noisy = v, &with
	sigma = volume.New(clean.Volume.Geometry)
	for i, a := range clean.Volume.Data {
		share := 0.5 + float32(i%64)/63
		sigma.Data[i] = 10 * share
		noisy.Volume.Data[i] = a + share*(noisy.Volume.Data[i]-a)
	}
	return noisy, sigma
}

// Disc is a bright ellipse with a hole on a dark ground: edges and even parts.
func Disc(n, nz int) *series.Series {
	v := volume.New(volume.NewGeometry([3]int{n, n, nz}, [3]float64{1, 1, 1}))
	for z := range nz {
		for y := range n {
			for x := range n {
				dx, dy := float64(x)-float64(n)/2, float64(y)-float64(n)/2
				r := math.Hypot(dx, dy*1.2)
				if r < 0.45*float64(n) && math.Hypot(dx-4, dy) > 0.1*float64(n) {
					v.Data[v.Index(x, y, z)] = 200
				}
			}
		}
	}
	return &series.Series{Meta: series.Meta{Format: "NIfTI-1"}, Volume: v, Sources: []series.Source{{}}}
}

// Grainy is the MR phantom with Gaussian noise.
func Grainy(t *testing.T, sigma float64) *series.Series {
	t.Helper()
	p, err := phantom.New("mr", phantom.Size{Dims: [3]int{80, 96, 6}, Spacing: [3]float64{2.2, 2.2, 2.2}})
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.Voxels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if sigma > 0 {
		if v, err = noise.AddNoise(t.Context(), v, noise.Gaussian, sigma, 5); err != nil {
			t.Fatal(err)
		}
	}
	s := Wavy(80, 96, 6)
	s.Volume = v
	return s
}

// Gappy is grainy with slices missing between the second and the third.
func Gappy(t *testing.T) *series.Series {
	t.Helper()
	s := Grainy(t, 10)
	s.Irregular, s.Sources = 3, nil
	for _, z := range []float64{0, 2.2, 8.8, 11, 13.2, 15.4} {
		s.Sources = append(s.Sources, series.Source{Position: volume.Vec{0, 0, z}})
	}
	return s
}
