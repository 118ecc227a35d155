package kernels

import (
	"math"
	"slices"
	"testing"

	"quell/denoise"
	"quell/denoise/dct"
	"quell/denoise/filter/correlation"
	"quell/volume"
)

// passLaunch returns the launch of a pass of a filter on part of a volume, its box a voxel
// larger than the region and its reach.
func passLaunch(t *testing.T, r denoise.Recipe, pass string, dims [3]int, region volume.Region) Launch {
	t.Helper()
	g := volume.NewGeometry(dims, [3]float64{1, 1, 1})
	p, err := r.Bind(g)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range p.Passes {
		if q.Name != pass {
			continue
		}
		part := Part{Dims: dims, Region: region, Voxels: Buffer{Address: 1, Box: g.Bounds()}, Mask: Buffer{Address: 2, Box: g.Bounds()}, Out: 3}
		for i := range q.Inputs {
			part.Inputs = append(part.Inputs, Buffer{Address: uint64(10 + i), Box: region.Grow(q.Reach, g)})
		}
		ls, err := Launches(p, q, part)
		if err != nil || len(ls) != 1 {
			t.Fatalf("%+v, %v", ls, err)
		}
		return ls[0]
	}
	t.Fatalf("%s has no pass %s", r, pass)
	return Launch{}
}

// TestODCTLaunches checks which kernel computes blocks of what size, and what it gets.
func TestODCTLaunches(t *testing.T) {
	region := volume.Region{Min: [3]int{1, 2, 0}, Max: [3]int{31, 12, 1}}
	set := map[string]denoise.Value{"sigma": denoise.Number(10), "threshold": denoise.Number(3), "correlation": denoise.List(0)}
	for _, c := range []struct {
		dims   int
		volume [3]int
		size   [3]int32
		kernel string
		grid   int
		block  [3]int
	}{
		{3, [3]int{40, 30, 20}, [3]int32{4, 4, 4}, "odct_3d", 2 * 2 * 1, [3]int{32, 12, 1}},
		{2, [3]int{40, 30, 20}, [3]int32{8, 8, 1}, "odct_2d", 2 * 1 * 1, [3]int{32, 4, 1}},
		{3, [3]int{40, 30, 3}, [3]int32{4, 4, 3}, "odct_any", 3, [3]int{128, 1, 1}},
		{2, [3]int{40, 12, 1}, [3]int32{8, 8, 1}, "odct_2d", 2, [3]int{32, 4, 1}},
		{3, [3]int{40, 12, 1}, [3]int32{4, 4, 1}, "odct_any", 3, [3]int{128, 1, 1}},
	} {
		l := passLaunch(t, recipe(t, "odct", c.dims, set), "threshold", c.volume, region)
		p := decoded[dctParams](t, l)
		if l.Module != "odct" || l.Kernel != c.kernel || l.Grid != [3]int{c.grid, 1, 1} || l.Block != c.block || l.Shared != 0 {
			t.Errorf("%d-D of %v: %+v", c.dims, c.volume, l)
		}
		n := float64(c.size[0] * c.size[1] * c.size[2])
		if p.Size != c.size || math.Abs(float64(p.Limits[0])/float64(p.Unit)-30*math.Sqrt(n)) > 1e-3 || p.Limits[int(n)-1] != p.Limits[0] || math.Abs(float64(p.Back*p.Unit)*n-1) > 1e-6 {
			t.Errorf("%d-D of %v: size %v, unit %g, limit %g, back %g", c.dims, c.volume, p.Size, p.Unit, p.Limits, p.Back)
		}
		if p.In.Address != 10 || p.Voxels.Address != 1 || p.Mask.Address != 2 || p.Out.Address != 3 || p.Pilot.Address != 0 {
			t.Errorf("%+v", p)
		}
		if p.Out.Min != [3]int32{1, 2, 0} || p.Out.Max != [3]int32{31, 12, 1} || p.Dims != indices(c.volume) {
			t.Errorf("%+v", p)
		}
		for axis, n := range c.size {
			for k := range n {
				for i := range (n + 1) / 2 {
					want := 1.0
					if k > 0 {
						want = math.Sqrt2 * math.Cos(math.Pi*float64((2*i+1)*k)/float64(2*n))
					}
					if math.Abs(float64(p.Rows[axis][k][i])-want) > 1e-6 {
						t.Errorf("sample %d of row %d of %d is %g; want %g", i, k, n, p.Rows[axis][k][i], want)
					}
				}
			}
		}
	}
}

// TestPrinlmLaunches checks the kernels of the passes after the prefilter.
func TestPrinlmLaunches(t *testing.T) {
	dims, region := [3]int{90, 60, 20}, volume.Region{Min: [3]int{1, 2, 3}, Max: [3]int{66, 20, 5}}
	set := map[string]denoise.Value{"h": denoise.Number(5), "sigma": denoise.Number(10), "search-radius": denoise.Number(2), "wiener": denoise.Number(6), "correlation": denoise.List(0)}
	r := recipe(t, "prinlm", 3, set)
	if l := passLaunch(t, r, "threshold", dims, region); l.Kernel != "odct_3d" || math.Abs(float64(decoded[dctParams](t, l).Limits[63]/decoded[dctParams](t, l).Unit)-27*8) > 1e-3 {
		t.Errorf("%+v", l)
	}
	l := passLaunch(t, r, "mean", dims, region)
	p := decoded[prinlmParams](t, l)
	if l.Module != "prinlm" || l.Kernel != "prinlm_mean" || l.Grid != [3]int{(65*18*2 + 255) / 256, 1, 1} || l.Block != [3]int{256, 1, 1} || p.Radius != [3]int32{1, 1, 1} || p.In.Address != 10 {
		t.Errorf("%+v, %+v", l, p)
	}
	for _, one := range []bool{false, true} {
		centre := "max"
		if one {
			centre = "one"
		}
		l = passLaunch(t, r.With("centre", denoise.Word(centre)), "average", dims, region)
		p = decoded[prinlmParams](t, l)
		// 36 columns and 20 rows of three numbers.
		if l.Kernel != "prinlm_average" || l.Grid != [3]int{3 * 2 * 2, 1, 1} || l.Block != [3]int{32, 4, 1} || l.Shared != 36*20*3*4 || p.Columns != 36 {
			t.Errorf("%+v", l)
		}
		scale := math.Sqrt(math.Log2E/4) / 5
		if p.Scale[0] != float32(scale) || p.Scale[1] != float32(scale*math.Sqrt(3)) || p.Inverse != 1.0/5 || (p.One == 1) != one || p.Radius != [3]int32{2, 2, 2} {
			t.Errorf("%+v", p)
		}
		if p.In.Address != 10 || p.Guide.Address != 11 || p.Mean.Address != 12 || p.Voxels.Address != 1 || p.Mask.Address != 2 || p.Out.Address != 3 {
			t.Errorf("%+v", p)
		}
	}
	if l = passLaunch(t, r.With("search-radius", denoise.Number(30)), "average", dims, region); decoded[prinlmParams](t, l).Columns != 64 || l.Shared != 64*76*3*4 {
		t.Errorf("%+v", l)
	}
	for sigma, want := range map[float64]float64{10: 0.1, 0: 0} {
		l = passLaunch(t, r.With("sigma", denoise.Number(sigma)), "wiener", dims, region)
		d := decoded[dctParams](t, l)
		if l.Module != "wiener" || l.Kernel != "wiener_6" || l.Grid != [3]int{3 * 2 * 1, 1, 1} || l.Block != [3]int{32, 16, 1} || d.Size != [3]int32{6, 6, 6} {
			t.Errorf("%+v", l)
		}
		if got := float64(d.Limits[5*8+5]*d.Unit) * math.Sqrt(216); math.Abs(got-want) > 1e-6 || d.In.Address != 10 || d.Pilot.Address != 11 {
			t.Errorf("factor %g; want %g; %+v", got, want, d)
		}
	}
	if l = passLaunch(t, r, "wiener", [3]int{90, 60, 5}, region); l.Kernel != "wiener_5" || l.Grid != [3]int{6, 1, 1} {
		t.Errorf("%+v", l)
	}
}

// In correlated noise every coefficient has a threshold of its own, the processor's; a
// coefficient of the Wiener stage's pilot is divided by its deviation in the noise.
func TestLimitsInCorrelatedNoise(t *testing.T) {
	region := volume.Region{Max: [3]int{30, 20, 5}}
	list := []int{60, 20, -10, -5, 40, 10}
	set := map[string]denoise.Value{"sigma": denoise.Number(10), "threshold": denoise.Number(3), "correlation": denoise.List(list...)}
	noise := correlation.New(list)
	for _, dims := range []int{2, 3} {
		p := decoded[dctParams](t, passLaunch(t, recipe(t, "odct", dims, set), "threshold", [3]int{40, 30, 20}, region))
		size := [3]int{int(p.Size[0]), int(p.Size[1]), int(p.Size[2])}
		if want := (dct.Rule{Threshold: 30, Spectrum: noise.Spectrum(size)}).Limits(size); !slices.Equal(p.Limits[:], want) || want[0] <= want[63] {
			t.Errorf("%d-D: %v; want %v", dims, p.Limits, want)
		}
	}
	delete(set, "threshold")
	set["wiener"], set["h"] = denoise.Number(5), denoise.Number(9)
	p := decoded[dctParams](t, passLaunch(t, recipe(t, "prinlm", 3, set), "wiener", [3]int{40, 30, 20}, region))
	size := [3]int{5, 5, 5}
	spectrum := noise.Spectrum(size)
	for kz := range 5 {
		for ky := range 5 {
			for kx := range 5 {
				got := float64(p.Limits[8*ky+kx]*p.Unit) * math.Sqrt(125) * float64(p.Rows[3][kz][0]/p.Rows[2][kz][0])
				if want := 1 / (10 * spectrum.At(kx, ky, kz)); math.Abs(got/want-1) > 1e-5 {
					t.Errorf("coefficient (%d, %d, %d) has the factor %g; want %g", kx, ky, kz, got, want)
				}
			}
		}
	}
}
