package lcd

import (
	"context"
	"math"

	"quell/denoise/noise"
	"quell/phantom"
	"quell/volume"
)

// Task is an object, and its imaging.
type Task struct {
	Name    string    `json:"name"`
	Object  string    `json:"object"` // that holds the inserts
	Unit    string    `json:"unit"`   // of contrast and noise
	Level   string    `json:"level"`  // the meaning of a level
	Levels  []float64 `json:"levels"`
	Inserts []Insert  `json:"inserts"`
	pixel   float64   // mm
	// images returns n slices of a level without and with the inserts, with the same noise.
	images func(ctx context.Context, level float64, n int, seed uint64) (absent, present *volume.Volume, err error)
}

// Insert is a disc of a contrast.
type Insert struct {
	Contrast float64 `json:"contrast"`
	Diameter float64 `json:"mm"`
	column   int
	row      int
}

// pixels is the side of an image.
const pixels = 256

// CT is the FDA's task: discs in a cylinder of water, at the places of the FDA's phantom. Small ones
// have more contrast.
func CT() Task {
	t := Task{
		Name: "fda-lcd", Object: "water", Unit: "HU", Level: "dose in %", Levels: []float64{100, 55, 10},
		Inserts: []Insert{{14, 3, 160, 94}, {7, 5, 95, 95}, {5, 7, 95, 160}, {3, 10, 160, 160}},
		pixel:   0.7,
	}
	t.images = t.scans
	return t
}

// MR is its counterpart: discs in the white matter of a head, one in each quadrant, in noise of a
// magnitude. A level is the value of white matter over the SD of the noise.
func MR() Task {
	t := Task{
		Name: "mr-lcd", Object: "white matter of the value 165", Unit: "units of the image", Level: "SNR", Levels: []float64{20, 10, 5},
		Inserts: []Insert{{12, 2, 162, 84}, {8, 3, 94, 84}, {5, 5, 94, 172}, {3, 8, 162, 172}},
		pixel:   0.9,
	}
	t.images = t.magnitudes
	return t
}

const (
	cylinder = 170 // mm, the diameter of the water
	views    = 360
	fullDose = 3.55e4 // photons of a detector element at a dose of 100 %, for noise of 23.3 HU as in the images of the FDA
	white    = 165    // value of white matter
)

// add puts the inserts into a phantom.
func (t Task) add(p *phantom.Phantom) {
	at := func(k int) float64 { return (float64(k) - float64(pixels-1)/2) * t.pixel }
	for _, i := range t.Inserts {
		p.Shapes = append(p.Shapes, cylinderOf(at(i.column), at(i.row), i.Diameter/2, i.Diameter/2, i.Contrast))
	}
}

// cylinderOf is an elliptical cylinder along z.
func cylinderOf(x, y, halfX, halfY, value float64) phantom.Shape {
	return phantom.Shape{Centre: [3]float64{x, y}, Half: [3]float64{halfX, halfY, math.Inf(1)}, Value: value}
}

// scans images the cylinder of water. What the inserts add is that of a slice without noise.
func (t Task) scans(ctx context.Context, dose float64, n int, seed uint64) (absent, present *volume.Volume, err error) {
	image := func(slices int, with bool, photons float64) (*volume.Volume, error) {
		g := volume.NewGeometry([3]int{pixels, pixels, slices}, [3]float64{t.pixel, t.pixel, 1})
		p := phantom.Phantom{Kind: "ct", Geometry: g, Unit: "HU", Background: -1000, Shapes: []phantom.Shape{cylinderOf(0, 0, cylinder/2, cylinder/2, 1000)}}
		if with {
			t.add(&p)
		}
		return p.Image(ctx, phantom.Scan{Views: views, Photons: photons, Recon: phantom.Recon{Method: "fbp", Kernel: "soft"}, Seed: seed})
	}
	without, err := image(1, false, 0)
	if err != nil {
		return nil, nil, err
	}
	with, err := image(1, true, 0)
	if err != nil {
		return nil, nil, err
	}
	if absent, err = image(n, false, fullDose*dose/100); err != nil {
		return nil, nil, err
	}
	present = absent.Clone()
	for z := range n {
		for i, x := range present.Plane(z) {
			present.Plane(z)[i] = x + with.Data[i] - without.Data[i]
		}
	}
	return absent, present, nil
}

// magnitudes adds Rician noise to a head: scalp, skull, fluid, grey and white matter, ventricles.
func (t Task) magnitudes(ctx context.Context, snr float64, n int, seed uint64) (absent, present *volume.Volume, err error) {
	image := func(with bool) (*volume.Volume, error) {
		g := volume.NewGeometry([3]int{pixels, pixels, n}, [3]float64{t.pixel, t.pixel, 3})
		p := phantom.Phantom{Kind: "mr", Geometry: g, Shapes: []phantom.Shape{
			cylinderOf(0, 0, 92, 108, 230), cylinderOf(0, 0, 87, 103, -215), cylinderOf(0, 0, 83, 99, 25),
			cylinderOf(0, 0, 80, 96, 75), cylinderOf(0, 0, 74, 90, white-115),
			cylinderOf(-9, 2, 5, 18, 40-white), cylinderOf(9, 2, 5, 18, 40-white),
		}}
		if with {
			t.add(&p)
		}
		v, err := p.Voxels(ctx)
		if err != nil {
			return nil, err
		}
		return noise.AddNoise(ctx, v, noise.Rician, white/snr, seed)
	}
	if absent, err = image(false); err != nil {
		return nil, nil, err
	}
	present, err = image(true)
	return absent, present, err
}
