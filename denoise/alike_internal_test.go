package denoise

import (
	"context"
	"math"
	"sync/atomic"
	"testing"

	"quell/denoise/noise"
	"quell/volume"
)

// scene is waves of a period in voxels with noise of sigma 10, white or shared by
// neighbours along x.
type scene struct {
	height, period float64
	shared         bool
}

func (s scene) volumes(dims [3]int, spacing float64) (truth, noisy *volume.Volume, f Facts) {
	truth = volume.New(volume.NewGeometry(dims, [3]float64{spacing, spacing, spacing}))
	noisy = truth.Clone()
	for i := range truth.Data {
		x, y, z := float64(i%dims[0]), float64(i/dims[0]%dims[1]), uint64(i/(dims[0]*dims[1]))
		truth.Data[i] = float32(100 + s.height*math.Sin(2*math.Pi*x/s.period)*math.Sin(2*math.Pi*y/s.period))
		n := noise.Normal(z, uint64(i), 0)
		if s.shared {
			n = (n + noise.Normal(z, uint64(i)+1, 0)) / math.Sqrt2
		}
		noisy.Data[i] = truth.Data[i] + float32(10*n)
	}
	f.Noise = noise.Known(10)
	if s.shared {
		c := &noise.Correlation{Across: [3]float64{1}}
		mid := c.InPlane[noise.MaxLag][noise.MaxLag-1 : noise.MaxLag+2]
		mid[0], mid[1], mid[2] = 0.5, 1, 0.5
		f.Noise.Correlation = c
	}
	f.Foreground = func(int) bool { return true }
	return truth, noisy, f
}

// trueErrors returns the errors of the means at each t, by the definition.
func trueErrors(truth, noisy *volume.Volume) (errors [alikeSteps]float64) {
	g := truth.Geometry
	for k := range errors {
		width := 10 * 10 / math.Pow(2, float64(k)/2)
		for i := range noisy.Data {
			x, y, z := i%g.Dims[0], i/g.Dims[0]%g.Dims[1], i/g.SliceVoxels()
			v := float64(noisy.Data[i])
			num, den := v, 1.0
			for dy := -2; dy <= 2; dy++ {
				for dx := -2; dx <= 2; dx++ {
					if (dx != 0 || dy != 0) && x+dx >= 0 && x+dx < g.Dims[0] && y+dy >= 0 && y+dy < g.Dims[1] {
						other := float64(noisy.At(x+dx, y+dy, z))
						w := math.Exp(-0.5 * (float64(dx*dx+dy*dy)*g.Spacing[0]*g.Spacing[0] + (other-v)*(other-v)/(width*width)))
						num, den = num+w*other, den+w
					}
				}
			}
			e := num/den - float64(truth.Data[i])
			errors[k] += e * e
		}
	}
	return errors
}

// What is measured without the truth is the t of the least error, in noise that is
// white or correlated, for fine structure and for coarse.
func TestAlikeIsWhereTheErrorIsLeast(t *testing.T) {
	for _, c := range []struct {
		scene
		spacing float64
		lo, hi  float64 // the t of the least error
	}{
		{scene{height: 60, period: 12}, 1, 4, 4.3}, {scene{height: 60, period: 8}, 1, 2, 3}, {scene{height: 30, period: 8}, 1, 3, 5},
		{scene{height: 60, period: 8, shared: true}, 1, 2, 3}, {scene{height: 60, period: 8}, 1.5, 2.5, 6},
	} {
		truth, noisy, f := c.volumes([3]int{64, 64, 3}, c.spacing)
		got, err := f.alike(t.Context(), noisy)
		if err != nil {
			t.Fatal(err)
		}
		want := MostAlike * leastRisk(trueErrors(truth, noisy))
		if math.Abs(math.Log(got/want)) > 0.12 || want < c.lo || want > c.hi {
			t.Errorf("%+v: %.3f sigma; the least error is at %.3f, want it from %g to %g", c, got, want, c.lo, c.hi)
		}
	}
	// Even tissue: the more alike, the better.
	_, noisy, f := scene{period: 1e9}.volumes([3]int{64, 64, 1}, 1)
	if got, err := f.alike(t.Context(), noisy); err != nil || got != MostAlike {
		t.Errorf("even: %g, %v; want %g", got, err, MostAlike)
	}
}

// A large volume is sampled, every seventh voxel here.
func TestAlikeOfALargeVolume(t *testing.T) {
	s := scene{height: 60, period: 12}
	_, small, f := s.volumes([3]int{96, 96, 3}, 1)
	_, large, g := s.volumes([3]int{256, 256, 4}, 1)
	var seen atomic.Int64
	g.Foreground = func(i int) bool {
		if i%7 != 0 {
			t.Errorf("voxel %d is looked at", i)
		}
		seen.Add(1)
		return true
	}
	a, err := f.alike(t.Context(), small)
	if err != nil {
		t.Fatal(err)
	}
	b, err := g.alike(t.Context(), large)
	if err != nil || math.Abs(math.Log(a/b)) > 0.1 || seen.Load() != (256*256*4+6)/7 {
		t.Errorf("%g of a small volume, %g of a large one (%d voxels), %v", a, b, seen.Load(), err)
	}
}

// If a sample holds little foreground, more of it is looked at.
func TestAlikeOfALittleForeground(t *testing.T) {
	_, v, f := scene{height: 60, period: 8}.volumes([3]int{512, 512, 1}, 0.7) // every 13th voxel, with 48 neighbours
	for size, want := range map[int]int{13 * alikeEnough: alikeEnough, 13*alikeEnough - 13: 13*alikeEnough - 13, alikeVoxels: alikeVoxels} {
		var seen atomic.Int64
		f.Foreground = func(i int) bool {
			in := i < size
			if in {
				seen.Add(1)
			}
			return in
		}
		got, err := f.alike(t.Context(), v)
		first := int64(0)
		if want == size { // after the sample
			first = int64(size+12) / 13
		}
		if err != nil || got == 0 || seen.Load() != int64(want)+first {
			t.Errorf("a foreground of %d voxels: %g from %d of them, %v; want %d", size, got, seen.Load(), err, want)
		}
	}
}

// What was padding has no part, and the unit of the values none.
func TestAlikeOfPaddedAndScaledVolumes(t *testing.T) {
	_, part, f := scene{height: 60, period: 12}.volumes([3]int{48, 64, 3}, 1)
	want, err := f.alike(t.Context(), part)
	if err != nil {
		t.Fatal(err)
	}
	for _, padding := range []float32{1e6, 100} { // far from the tissue, so that it has no weight, and like it
		padded := volume.New(volume.NewGeometry([3]int{60, 64, 3}, [3]float64{1, 1, 1}))
		padded.Mask = make([]bool, len(padded.Data))
		for i := range padded.Data {
			x, y, z := i%60, i/60%64, i/(60*64)
			if padded.Data[i] = padding; x < 48 {
				padded.Data[i], padded.Mask[i] = part.At(x, y, z), true
			}
		}
		g := f
		g.Foreground = func(i int) bool { return padded.Mask[i] }
		if got, err := g.alike(t.Context(), padded); err != nil || math.Abs(got-want) > 1e-9 {
			t.Errorf("beside padding of %g: %g, %v; want %g", padding, got, err, want)
		}
	}
	for _, c := range []float64{0x1p-40, 0x1p40} {
		scaled := part.Clone()
		for i := range scaled.Data {
			scaled.Data[i] *= float32(c)
		}
		g := f
		g.Noise.Sigma *= c
		if got, err := g.alike(t.Context(), scaled); err != nil || got != want {
			t.Errorf("times %g: %g, %v; want %g", c, got, err, want)
		}
	}
}

// Nothing is measured if there are too few voxels, too far apart, or no noise that counts.
func TestLimitsOfAlike(t *testing.T) {
	of := func(spacing float64, voxels int, change func(*Facts)) float64 {
		_, v, f := scene{height: 60, period: 12}.volumes([3]int{40, 40, 1}, spacing)
		f.Foreground = func(i int) bool { return i < voxels }
		change(&f)
		got, err := f.alike(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	same := func(*Facts) {}
	for _, c := range []struct {
		name    string
		spacing float64
		voxels  int
		change  func(*Facts)
		some    bool
	}{
		{"enough", 1, alikeVoxels, same, true}, {"few", 1, alikeVoxels - 1, same, false},
		{"2.35 mm", 2.35, 1600, same, true}, {"2.4 mm", 2.4, 1600, same, false},
		{"no noise", 1, 1600, func(f *Facts) { f.Noise.Sigma = 0 }, false},
		{"negligible noise", 1, 1600, func(f *Facts) { f.Noise.Negligible = true }, false},
	} {
		if got := of(c.spacing, c.voxels, c.change); (got > 0) != c.some {
			t.Errorf("%s: %g", c.name, got)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, v, f := scene{}.volumes([3]int{8, 8, 1}, 1)
	if _, err := f.alike(ctx, v); err == nil {
		t.Error("no error though it was cancelled")
	}
	// The neighbourhood reaches 2 mm, and 8 voxels at most.
	for spacing, n := range map[float64]int{1: 24, 0.5: 80, 3: 8, 0.25: 288, 0.1: 288} {
		if all, _ := neighbours(volume.NewGeometry([3]int{9, 9, 9}, [3]float64{spacing, spacing, 1}), nil); len(all) != n {
			t.Errorf("%g mm: %d neighbours; want %d", spacing, len(all), n)
		}
	}
}

// The vertex of the parabola through the least and its neighbours, or the end.
func TestLeastRisk(t *testing.T) {
	for _, c := range []struct {
		risk [alikeSteps]float64
		at   float64 // as a number of steps
	}{
		{[alikeSteps]float64{9, 4, 1, 2, 5, 9, 9}, 2.25}, {[alikeSteps]float64{9, 4, 2, 1, 4, 9, 9}, 3 - 0.25},
		{[alikeSteps]float64{0, 1, 2, 3, 4, 5, 6}, 0}, {[alikeSteps]float64{6, 5, 4, 3, 2, 1, 0}, 6}, {[alikeSteps]float64{}, 0},
	} {
		if got, want := leastRisk(c.risk), math.Pow(2, -c.at/2); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v: %g; want %g", c.risk, got, want)
		}
	}
}
