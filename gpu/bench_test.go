package gpu

import (
	"context"
	stdmaps "maps"
	"slices"
	"testing"
	"time"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/enginetest"
	"quell/denoise/equalise"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/phantom"
	"quell/volume"
)

// The experiments of the papers end to end: from a volume in memory to the result in
// memory, through the worker. In "resident" the volume is on the device already, as
// in every run after the first on a series; "cold" uploads it. ms is the median,
// kernel-ms the time on the GPU by events.
func BenchmarkVolumes(b *testing.B) {
	number, choice := denoise.Number, denoise.Word
	for _, c := range []struct {
		name   string
		dims   [3]int
		filter string
		d      int
		params map[string]denoise.Value
	}{
		{"Zheng_bilateral2D_1024_17", [3]int{1024, 1024, 1}, "bilateral", 2, map[string]denoise.Value{"sigma-spatial": number(4), "voxel-units": denoise.Bool(true), "radius": denoise.List(8), "sigma-range": number(60)}},
		{"Zheng_nlm2D_1024_7_17", [3]int{1024, 1024, 1}, "nlm", 2, map[string]denoise.Value{"h": number(20), "patch-radius": number(3), "search-radius": number(8), "patch-weights": choice("uniform")}},
		{"Upadhya_nlm3D_3_7", [3]int{181, 217, 51}, "nlm", 3, map[string]denoise.Value{"h": number(10), "patch-radius": number(1), "search-radius": number(3)}},
		{"Upadhya_nlm3D_3_17", [3]int{181, 217, 51}, "nlm", 3, map[string]denoise.Value{"h": number(10), "patch-radius": number(1), "search-radius": number(8)}},
		{"Bethel_bilateral3D_23", [3]int{256, 256, 120}, "bilateral", 3, map[string]denoise.Value{"sigma-spatial": number(5.5), "voxel-units": denoise.Bool(true), "radius": denoise.List(11), "sigma-range": number(75)}},
		{"Horacek_nlm3D_5_9", [3]int{512, 512, 548}, "nlm", 3, map[string]denoise.Value{"h": number(20), "patch-radius": number(2), "search-radius": number(4), "patch-weights": choice("uniform")}},
		{"Klepaczko_lpa_256_181", [3]int{256, 256, 181}, "lpa", 2, map[string]denoise.Value{"sigma": number(20)}},
		{"Foi_sadct_256", [3]int{256, 256, 1}, "sadct", 2, map[string]denoise.Value{"sigma": number(20)}},
		{"Manjon_odct3D", [3]int{181, 217, 51}, "odct", 3, map[string]denoise.Value{"sigma": number(10)}},
		{"Manjon_prinlm3D_7", [3]int{181, 217, 51}, "prinlm", 3, map[string]denoise.Value{"sigma": number(10), "h": number(5)}},
		{"prinlm3D_7_wiener_6", [3]int{181, 217, 51}, "prinlm", 3, map[string]denoise.Value{"sigma": number(10), "h": number(5), "wiener": number(6)}},
		{"bnlm3D_7", [3]int{181, 217, 51}, "bnlm", 3, map[string]denoise.Value{"h": number(10)}},
		{"bnlm3D_7_blocks_3_step_1", [3]int{181, 217, 51}, "bnlm", 3, map[string]denoise.Value{"h": number(10), "block-step": number(1)}},
		{"bnlm3D_7_blocks_5_step_1_all", [3]int{181, 217, 51}, "bnlm", 3, map[string]denoise.Value{"h": number(10), "block-radius": number(2), "block-step": number(1), "candidates": choice("all")}},
		{"bnlm3D_3_blocks_7_step_1", [3]int{127, 181, 24}, "bnlm", 3, map[string]denoise.Value{"h": number(10), "block-radius": number(3), "block-step": number(1), "search-radius": number(1)}},
		{"slab_5_slices", [3]int{512, 512, 548}, "slab", 3, map[string]denoise.Value{"guide-sigma": number(5), "reach": number(2)}},
		{"slab_7_slices", [3]int{512, 512, 548}, "slab", 3, map[string]denoise.Value{"guide-sigma": number(5), "reach": number(3)}},
		{"slab_5_slices_equalised", [3]int{512, 512, 548}, "slab", 3, map[string]denoise.Value{"guide-sigma": number(5), "reach": number(2), "strength": number(60)}},
		{"median3D_3", [3]int{256, 256, 120}, "median", 3, nil},
		{"gaussian3D_9", [3]int{256, 256, 120}, "gaussian", 3, map[string]denoise.Value{"radius": denoise.List(4), "sigma-spatial": number(2), "voxel-units": denoise.Bool(true)}},
	} {
		in := noisy(c.dims)
		r := benchRecipe(b, c.filter, c.d, c.params, in.Geometry)
		for _, cold := range []bool{false, true} {
			name := c.name + "/resident"
			if cold {
				name = c.name + "/cold"
			}
			b.Run(name, func(b *testing.B) {
				e := realEngine(b, Options{Devices: 1})
				measure(b, e, r, denoise.Input{Volume: in}, in.Bounds(), func() {
					if cold {
						in.Data = slices.Clone(in.Data)
					}
				})
			})
		}
	}
}

// A preview: one slice of a volume that is on the device already.
func BenchmarkPreviews(b *testing.B) {
	for _, c := range []struct {
		name   string
		dims   [3]int
		filter string
		d      int
		params map[string]denoise.Value
	}{
		{"nlm3D_512_defaults", [3]int{512, 512, 300}, "nlm", 3, map[string]denoise.Value{"h": denoise.Number(20)}},
		{"nlm3D_512_5_9", [3]int{512, 512, 300}, "nlm", 3, map[string]denoise.Value{"h": denoise.Number(20), "patch-radius": denoise.Number(2), "search-radius": denoise.Number(4)}},
		{"nlm2D_512_5_21", [3]int{512, 512, 300}, "nlm", 2, map[string]denoise.Value{"h": denoise.Number(20), "patch-radius": denoise.Number(2), "search-radius": denoise.Number(10)}},
		{"bilateral3D_512_defaults", [3]int{512, 512, 300}, "bilateral", 3, map[string]denoise.Value{"sigma-range": denoise.Number(60)}},
		{"lpa_512", [3]int{512, 512, 300}, "lpa", 2, map[string]denoise.Value{"sigma": denoise.Number(20)}},
		{"sadct_512", [3]int{512, 512, 300}, "sadct", 2, map[string]denoise.Value{"sigma": denoise.Number(20)}},
		{"odct3D_512", [3]int{512, 512, 300}, "odct", 3, map[string]denoise.Value{"sigma": denoise.Number(20)}},
		{"prinlm3D_512", [3]int{512, 512, 300}, "prinlm", 3, map[string]denoise.Value{"sigma": denoise.Number(20), "h": denoise.Number(10)}},
		{"bnlm3D_512", [3]int{512, 512, 300}, "bnlm", 3, map[string]denoise.Value{"h": denoise.Number(20)}},
		{"slab_512", [3]int{512, 512, 300}, "slab", 3, map[string]denoise.Value{"guide-sigma": denoise.Number(5)}},
		{"median3D_512", [3]int{512, 512, 300}, "median", 3, nil},
		{"gaussian3D_512", [3]int{512, 512, 300}, "gaussian", 3, nil},
		{"nlm3D_1024_5_9", [3]int{1024, 1024, 60}, "nlm", 3, map[string]denoise.Value{"h": denoise.Number(20), "patch-radius": denoise.Number(2), "search-radius": denoise.Number(4)}},
	} {
		b.Run(c.name, func(b *testing.B) {
			e := realEngine(b, Options{Devices: 1})
			in := noisy(c.dims)
			r := benchRecipe(b, c.filter, c.d, c.params, in.Geometry)
			z := c.dims[2] / 2
			measure(b, e, r, denoise.Input{Volume: in}, volume.Slices(in.Geometry, z, z+1), func() {})
		})
	}
}

// A sagittal and a coronal preview read a strip of every axial slice.
func BenchmarkReformats(b *testing.B) {
	in := noisy([3]int{512, 512, 512})
	r := benchRecipe(b, "nlm", 3, map[string]denoise.Value{"h": denoise.Number(20)}, in.Geometry)
	for axis, name := range []string{"sagittal_512", "coronal_512"} {
		b.Run(name, func(b *testing.B) {
			e := realEngine(b, Options{Devices: 1})
			slice := in.Bounds()
			slice.Min[axis], slice.Max[axis] = 284, 285
			measure(b, e, r, denoise.Input{Volume: in}, slice, func() {})
		})
	}
}

// The cost of a noise sigma, its correlation and a noise map, on a volume, on one axial
// slice and on one sagittal slice.
func BenchmarkNoiseKnown(b *testing.B) {
	v := noisy([3]int{512, 512, 120})
	sigma := &volume.Volume{Geometry: v.Geometry, Data: make([]float32, len(v.Data))}
	for i := range sigma.Data {
		sigma.Data[i] = 15 + 10*float32(i%512)/512
	}
	axial, sagittal := volume.Slices(v.Geometry, 60, 61), v.Bounds()
	sagittal.Min[0], sagittal.Max[0] = 284, 285
	for _, c := range []struct {
		name   string
		params map[string]denoise.Value
		noise  *volume.Volume
	}{
		{"plain", nil, nil},
		{"sigma", map[string]denoise.Value{"sigma": denoise.Number(20)}, nil},
		{"correlated", map[string]denoise.Value{"sigma": denoise.Number(20), "correlation": denoise.List(60, 20, -10, -20, 10)}, nil},
		{"map", nil, sigma},
		{"map_sigma", map[string]denoise.Value{"sigma": denoise.Number(20)}, sigma},
	} {
		in := denoise.Input{Volume: v, Noise: c.noise}
		params := map[string]denoise.Value{"h": denoise.Number(20)}
		stdmaps.Copy(params, c.params)
		r := benchRecipe(b, "nlm", 3, params, v.Geometry)
		if c.noise != nil {
			var err error
			if r, err = r.ResolveFor(context.Background(), in); err != nil {
				b.Fatal(err)
			}
		}
		for name, region := range map[string]volume.Region{"volume": v.Bounds(), "axial": axial, "sagittal": sagittal} {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				measure(b, realEngine(b, Options{Devices: 1}), r, in, region, func() {})
			})
		}
	}
}

// Preselection and blocks compared with nlm of the same search region, on a CT of 512
// x 512 x 128 voxels: Horacek found that selection slows a GPU down.
func BenchmarkPreselect(b *testing.B) {
	in := noisy([3]int{512, 512, 128})
	on := denoise.Bool(true)
	three, five := denoise.Number(3), denoise.Number(5)
	for _, c := range []struct {
		name, filter string
		params       map[string]denoise.Value
	}{
		{"nlm_7", "nlm", map[string]denoise.Value{"search-radius": three}},
		{"nlm_7_preselect", "nlm", map[string]denoise.Value{"search-radius": three, "preselect": on}},
		{"bnlm_7", "bnlm", map[string]denoise.Value{"search-radius": three}},
		{"bnlm_7_preselect", "bnlm", map[string]denoise.Value{"search-radius": three, "preselect": on}},
		{"nlm_11", "nlm", map[string]denoise.Value{"search-radius": five}},
		{"nlm_11_preselect", "nlm", map[string]denoise.Value{"search-radius": five, "preselect": on}},
		{"bnlm_11", "bnlm", map[string]denoise.Value{"search-radius": five}},
		{"nlm_9_patch_5", "nlm", map[string]denoise.Value{"search-radius": denoise.Number(4), "patch-radius": denoise.Number(2)}},
		{"nlm_9_patch_5_preselect", "nlm", map[string]denoise.Value{"search-radius": denoise.Number(4), "patch-radius": denoise.Number(2), "preselect": on}},
	} {
		c.params["h"] = denoise.Number(20)
		r := benchRecipe(b, c.filter, 3, c.params, in.Geometry)
		b.Run(c.name, func(b *testing.B) {
			measure(b, realEngine(b, Options{Devices: 1}), r, denoise.Input{Volume: in}, in.Bounds(), func() {})
		})
	}
}

// The comparison of a volume in memory with the one on the device needs no GPU.
func BenchmarkUnchanged(b *testing.B) {
	in := noisy([3]int{512, 512, 512})
	known := fingerprints(in, 0, 512)
	whole := in.Bounds()
	sagittal, coronal, axial := whole, whole, whole
	sagittal.Min[0], sagittal.Max[0] = 280, 289
	coronal.Min[1], coronal.Max[1] = 280, 289
	axial.Min[2], axial.Max[2] = 280, 289
	for _, c := range []struct {
		name string
		r    volume.Region
	}{{"whole", whole}, {"sagittal", sagittal}, {"coronal", coronal}, {"axial", axial}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if !unchanged(in, c.r, known[c.r.Min[2]:]) {
					b.Fatal("changed")
				}
			}
		})
	}
}

func benchRecipe(b *testing.B, filter string, dims int, params map[string]denoise.Value, g volume.Geometry) denoise.Recipe {
	b.Helper()
	r, err := denoise.NewRecipe(filter, dims)
	if err != nil {
		b.Fatal(err)
	}
	for name, v := range params {
		r = r.With(name, v)
	}
	if r, err = r.Resolve(g, denoise.Facts{Lo: -250, Hi: 250, Noise: noise.Known(20)}); err != nil {
		b.Fatal(err)
	}
	if s := r.Mixed(); s < 1 {
		r = r.Equalised(100*s, equalise.Weights{0.4, 0, -0.1, 0, 0, -0.5, 0, -0.2, 0.1, -0.2, -0.2, 0.6, -0.5, 0.5, 0.4, -0.4})
	}
	return r
}

// measure reports the medians of the iterations.
func measure(b *testing.B, e *Engine, r denoise.Recipe, in denoise.Input, region volume.Region, before func()) {
	measureRuns(b, e, before, func() {
		if _, err := e.Run(context.Background(), r, in, region, nil); err != nil {
			b.Fatal(err)
		}
	})
}

func measureRuns(b *testing.B, e *Engine, before, run func()) {
	for range 3 {
		run()
	}
	d := e.devices[0]
	var whole, kernel []float64
	for b.Loop() {
		before()
		busy, start := d.busy, time.Now()
		run()
		whole = append(whole, time.Since(start).Seconds()*1e3)
		kernel = append(kernel, (d.busy-busy).Seconds()*1e3)
	}
	slices.Sort(whole)
	slices.Sort(kernel)
	b.ReportMetric(whole[len(whole)/2], "ms")
	b.ReportMetric(whole[len(whole)*95/100], "p95-ms")
	b.ReportMetric(kernel[len(kernel)/2], "kernel-ms")
	b.ReportMetric(0, "ns/op")
}

// 4-D series, from all volumes in memory to the result in memory.
func BenchmarkSeries(b *testing.B) {
	for _, c := range []struct {
		name    string
		dims    [3]int
		volumes int
	}{{"96_96_19_67", [3]int{96, 96, 19}, 67}, {"96_96_19_120", [3]int{96, 96, 19}, 120}, {"96_96_19_160", [3]int{96, 96, 19}, 160}} {
		in, g, r := benchSeries(b, c.dims, c.volumes)
		slab := denoise.Slab{To: c.dims[2], End: c.dims[2]}
		b.Run(c.name, func(b *testing.B) {
			e := realEngine(b, Options{})
			measureRuns(b, e, func() { in.Data = slices.Clone(in.Data) }, func() {
				if _, err := e.RunSeries(b.Context(), r, g, in, slab, nil); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

// benchSeries returns a series and its recipe.
func benchSeries(t testing.TB, dims [3]int, volumes int) (denoise.SeriesPart, volume.Geometry, denoise.Recipe) {
	t.Helper()
	g := volume.NewGeometry(dims, [3]float64{2, 2, 2})
	r, err := recipe(t, "lowrank", 3, map[string]denoise.Value{"sigma": denoise.Number(1)}).FitTo(g, volumes)
	if err == nil {
		r, err = r.Resolve(g, denoise.Facts{Hi: 1})
	}
	if err != nil {
		t.Fatal(err)
	}
	return enginetest.SeriesScene(dims, volumes), g, r
}

// The search for the best strength on a volume of 256 x 256 x 20 voxels with known
// noise (target 100 ms, and 2 s on two cores): on the GPU by two runs for each strength
// and half of the boxes, and on the processor by the closed form of nlm.
func BenchmarkSearch(b *testing.B) {
	p, err := phantom.New("mr", phantom.Size{Dims: [3]int{256, 256, 20}, Spacing: [3]float64{0.9, 0.9, 1}})
	if err != nil {
		b.Fatal(err)
	}
	v, err := p.Voxels(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	if v, err = noise.AddNoise(b.Context(), v, noise.Gaussian, 10, 1); err != nil {
		b.Fatal(err)
	}
	for _, device := range []string{"gpu", "processor"} {
		for filter, dims := range map[string]int{"nlm": 3, "bilateral": 3, "lpa": 2} {
			b.Run(filter+"/"+device, func(b *testing.B) {
				engine := denoise.Engine(cpu.New())
				if device == "gpu" {
					engine = realEngine(b, Options{Devices: 1})
				}
				r, err := denoise.NewRecipe(filter, dims)
				if err != nil {
					b.Fatal(err)
				}
				var points, voxels int
				for b.Loop() {
					c, err := tune.Search(b.Context(), engine, denoise.Input{Volume: v}, r, noise.Known(10), tune.Options{})
					if err != nil {
						b.Fatal(err)
					}
					points, voxels = len(c.Points), c.Points[c.Best].Voxels
				}
				b.ReportMetric(float64(points), "strengths")
				b.ReportMetric(float64(voxels), "voxels")
			})
		}
	}
}
