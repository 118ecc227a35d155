package lesions

import (
	"context"
	"slices"
	"testing"
	"time"

	"quell/denoise"
	"quell/denoise/cpu"
	_ "quell/denoise/filter"
	"quell/denoise/noise"
	"quell/volume"
)

// device is the CPU with an overhead, so that crops are stacked.
type device struct{ denoise.Engine }

func (d device) Info() denoise.Info {
	info := d.Engine.Info()
	info.Overhead = time.Millisecond
	return info
}

// noisyScene is noise on a ramp.
func noisyScene(t *testing.T, dims [3]int) *volume.Volume {
	t.Helper()
	v := volume.New(volume.NewGeometry(dims, [3]float64{1, 1, 2}))
	for i := range v.Data {
		v.Data[i] = 100 + 0.2*float32(i%dims[0])
	}
	v, err := noise.AddNoise(context.Background(), v, noise.Gaussian, 5, 3)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestCropsGiveTheValuesOfTheWhole runs every filter on crops and on the whole volume.
func TestCropsGiveTheValuesOfTheWhole(t *testing.T) {
	ctx := context.Background()
	in := denoise.Input{Volume: noisyScene(t, [3]int{36, 34, 14})}
	in.Mask = slices.Repeat([]bool{true}, len(in.Volume.Data))
	in.Mask[in.Volume.Index(20, 16, 7)] = false
	boxes := []volume.Region{
		{Min: [3]int{17, 14, 5}, Max: [3]int{22, 19, 8}},
		{Min: [3]int{12, 15, 6}, Max: [3]int{17, 20, 9}},
		{Min: [3]int{0, 2, 0}, Max: [3]int{5, 7, 3}},
		{Min: [3]int{31, 29, 11}, Max: [3]int{36, 34, 14}},
	}
	for _, f := range denoise.Filters() {
		for dims := 2; dims <= 3; dims++ {
			r, err := denoise.NewRecipe(f.Name, dims)
			if err != nil {
				continue // in these dimensions there is none
			}
			if r, err = r.ResolveFor(ctx, in); err != nil {
				t.Fatal(err)
			}
			p, err := r.Bind(in.Volume.Geometry)
			if err != nil {
				t.Fatal(err)
			}
			crops := make([]crop, len(boxes))
			for i, b := range boxes {
				crops[i] = cropOf(in, b, [3]int{}, p)
			}
			alone, err := runAll(ctx, cpu.New(), r, p.Lattice, crops)
			if err != nil {
				t.Fatal(err)
			}
			piled, err := runAll(ctx, device{cpu.New()}, r, p.Lattice, crops)
			if err != nil {
				t.Fatal(err)
			}
			for i, b := range boxes {
				want, err := cpu.New().Run(ctx, r, in, b, nil)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(want.Data, alone[i].Data) {
					t.Errorf("%s in %d dimensions: crop %d differs from the whole", f.Name, dims, i)
				}
				if !slices.Equal(want.Data, piled[i].Data) {
					t.Errorf("%s in %d dimensions: the piled crop %d differs from the whole", f.Name, dims, i)
				}
			}
		}
	}
}

// TestCropsUnderANoiseMap: a crop has the usual sigma of the whole map.
func TestCropsUnderANoiseMap(t *testing.T) {
	ctx := context.Background()
	in := denoise.Input{Volume: noisyScene(t, [3]int{36, 34, 3})}
	in.Noise = volume.New(in.Volume.Geometry)
	for i := range in.Noise.Data {
		in.Noise.Data[i] = 3 + 0.1*float32(i%36)
	}
	in = Request{Input: in}.input()
	r, err := denoise.NewRecipe("nlm", 2)
	if err != nil {
		t.Fatal(err)
	}
	if r, err = r.ResolveFor(ctx, in); err != nil {
		t.Fatal(err)
	}
	p, err := r.Bind(in.Volume.Geometry)
	if err != nil {
		t.Fatal(err)
	}
	box := volume.Region{Min: [3]int{25, 14, 1}, Max: [3]int{30, 19, 2}}
	got, err := runAll(ctx, cpu.New(), r, p.Lattice, []crop{cropOf(in, box, [3]int{}, p)})
	if err != nil {
		t.Fatal(err)
	}
	want, err := cpu.New().Run(ctx, r, in, box, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(want.Data, got[0].Data) {
		t.Error("the crop differs from the whole")
	}
}
