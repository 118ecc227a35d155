package gpu

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"quell/denoise"
	"quell/volume"
)

// realDevices returns engines on one and on all GPUs, with running workers. The test
// is skipped if there is one GPU.
func realDevices(t testing.TB) (one, all *Engine) {
	t.Helper()
	all = realEngine(t, Options{})
	if len(all.devices) < 2 {
		t.Skip("only one GPU")
	}
	for _, d := range all.devices {
		s, err := d.acquire(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		d.release(s)
	}
	return realEngine(t, Options{Devices: 1}), all
}

// shareAll has every run shared that several devices can share.
func shareAll(t testing.TB) {
	before := worthSharing
	worthSharing = 0
	t.Cleanup(func() { worthSharing = before })
}

// All GPUs of the machine together give the same bits as one.
func TestDevicesShare(t *testing.T) {
	one, all := realDevices(t)
	shareAll(t)
	t.Log(all.Info().Device)
	plain := denoise.Input{Volume: noisy([3]int{256, 240, 200})}
	masked := plain
	masked.Mask = make([]bool, plain.Volume.Voxels())
	for i := range masked.Mask {
		masked.Mask[i] = i%1000 > 50
	}
	mapped := plain
	mapped.Noise = &volume.Volume{Geometry: plain.Volume.Geometry, Data: make([]float32, plain.Volume.Voxels())}
	for i := range mapped.Noise.Data {
		mapped.Noise.Data[i] = 15 + 10*float32(i%256)/256
	}
	number := denoise.Number
	for _, c := range []struct {
		name, filter string
		dims         int
		params       map[string]denoise.Value
		in           denoise.Input
	}{
		{"nlm", "nlm", 3, map[string]denoise.Value{"h": number(20), "search-radius": number(4), "patch-radius": number(2)}, plain},
		{"nlm, mask", "nlm", 3, map[string]denoise.Value{"h": number(20)}, masked},
		{"nlm, noise map", "nlm", 3, map[string]denoise.Value{"h": number(1.2)}, mapped},
		{"nlm, 2-D", "nlm", 2, map[string]denoise.Value{"h": number(20)}, plain},
		{"bnlm", "bnlm", 3, map[string]denoise.Value{"h": number(20)}, plain},
		{"bilateral", "bilateral", 3, map[string]denoise.Value{"sigma-range": number(60)}, plain},
		{"median", "median", 3, nil, plain},
		{"gaussian", "gaussian", 3, nil, masked},
		{"odct", "odct", 3, map[string]denoise.Value{"sigma": number(20)}, plain},
		{"prinlm", "prinlm", 3, map[string]denoise.Value{"sigma": number(20), "h": number(10)}, plain},
		{"slab", "slab", 3, map[string]denoise.Value{"guide-sigma": number(5)}, plain},
		{"lpa", "lpa", 2, map[string]denoise.Value{"sigma": number(20)}, plain},
		{"sadct", "sadct", 2, map[string]denoise.Value{"sigma": number(20)}, plain},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := recipe(t, c.filter, c.dims, c.params).ResolveFor(t.Context(), c.in)
			if err != nil {
				t.Fatal(err)
			}
			p, err := r.Bind(c.in.Volume.Geometry)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range []*Engine{one, all} { // of 20 blocks, at which some filters are divided
				pace(t, e, p, c.in.Volume, 20*blockTime)
			}
			for _, region := range []volume.Region{plain.Volume.Bounds(), volume.Slices(plain.Volume.Geometry, 5, 190)} {
				want, err := one.Run(t.Context(), r, c.in, region, nil)
				if err != nil {
					t.Fatal(err)
				}
				ctx, log := denoise.LogDevices(t.Context())
				got, err := all.Run(ctx, r, c.in, region, nil)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got.Data, want.Data) {
					t.Errorf("%v differs", region)
				}
				t.Logf("%+v", log.All())
				if len(log.All()) != len(all.devices) {
					t.Errorf("%d devices; want %d", len(log.All()), len(all.devices))
				}
			}
		})
	}
}

// One GPU and all of them by turns on Horacek's filter, end to end, for volumes of more and
// more slices: x is the ratio of the medians. It shows from which size on sharing pays.
func BenchmarkDevices(b *testing.B) {
	for _, c := range []struct {
		depth int
		cold  bool
	}{{48, false}, {96, false}, {192, false}, {300, false}, {548, false}, {548, true}} {
		name := fmt.Sprintf("Horacek_512_512_%d/resident", c.depth)
		if c.cold {
			name = fmt.Sprintf("Horacek_512_512_%d/cold", c.depth)
		}
		b.Run(name, func(b *testing.B) {
			one, all := realDevices(b)
			shareAll(b)
			in := noisy([3]int{512, 512, c.depth})
			r := benchRecipe(b, "nlm", 3, map[string]denoise.Value{
				"h": denoise.Number(20), "patch-radius": denoise.Number(2), "search-radius": denoise.Number(4), "patch-weights": denoise.Word("uniform"),
			}, in.Geometry)
			ctx, log := denoise.LogDevices(context.Background())
			run := func(e *Engine, ctx context.Context) (float64, []float32) {
				if c.cold {
					in.Data = slices.Clone(in.Data)
				}
				start := time.Now()
				out, err := e.Run(ctx, r, denoise.Input{Volume: in}, in.Bounds(), nil)
				if err != nil {
					b.Fatal(err)
				}
				return time.Since(start).Seconds() * 1e3, out.Data
			}
			for range 3 {
				_, want := run(one, context.Background())
				if _, got := run(all, context.Background()); !slices.Equal(got, want) {
					b.Fatal("the results differ")
				}
			}
			var times [2][]float64
			runs, busy := 0, make([]time.Duration, len(all.devices))
			for i, d := range all.devices {
				busy[i] = -d.busy
			}
			for b.Loop() {
				runs++
				for i, e := range []*Engine{one, all} {
					took, _ := run(e, ctx)
					times[i] = append(times[i], took)
				}
			}
			median := func(all []float64) float64 {
				slices.Sort(all)
				return all[len(all)/2]
			}
			b.ReportMetric(median(times[0]), "one-ms")
			b.ReportMetric(median(times[1]), "all-ms")
			b.ReportMetric(times[1][0], "all-least-ms")
			b.ReportMetric(median(times[0])/median(times[1]), "x")
			b.ReportMetric(0, "ns/op")
			for i, d := range all.devices {
				b.ReportMetric((busy[i]+d.busy).Seconds()*1e3/float64(runs), fmt.Sprintf("kernel%d-ms", i))
			}
			b.Logf("%+v", log.All())
		})
	}
}
