package tune_test

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"quell/denoise/enginetest"
	"quell/denoise/noise"
	"quell/denoise/noise/noisetest"
	"quell/internal/shareddata"
	"quell/io/dicom"
	"quell/phantom"
	"quell/volume"
)

// Data sets for the tables of lesions that no rule was made on: other anatomies and phantoms, k-space that the scanner
// filtered, CT of other kernels, other doses and seeds. What a table of the first round made us change is reported on the
// second.

// repeated is a scene with noise of other seeds.
type repeated struct {
	scene
	again func(seed uint64) *volume.Volume
}

// heldRound returns the round that the value of an environment variable asks for.
func heldRound(mode string) (round int, ok bool) {
	round = slices.Index([]string{"held", "held2"}, mode)
	return round, round >= 0
}

// late reports whether the time of a table is nearly over: what it has counted is then printed.
func late(t *testing.T) bool {
	d, ok := t.Deadline()
	return ok && time.Until(d) < 2*time.Minute
}

// heldOut are the data sets of a round, 0 or 1.
func heldOut(t *testing.T, round int) []repeated {
	t.Helper()
	seed := uint64(5000 + 100*round)
	of := func(name string, truth *volume.Volume, noisy func(seed uint64) *volume.Volume) repeated {
		seed++
		return repeated{scene{name: name, truth: truth, noisy: noisy(seed)}, noisy}
	}
	slab := func(v *volume.Volume, first, n int) *volume.Volume {
		return v.Crop(volume.Slices(v.Geometry, first, first+n))
	}
	white := func(name string, truth *volume.Volume, share float64) repeated {
		sigma := share * float64(slices.Max(truth.Data))
		return of(name, truth, func(seed uint64) *volume.Volume { return withNoise(t, name, truth, noise.Rician, sigma, seed).noisy })
	}
	kspace := func(name, scanner string, truth *volume.Volume, share float64) repeated {
		k := noisetest.Scanners[slices.IndexFunc(noisetest.Scanners, func(k noisetest.KSpace) bool { return k.Name == scanner })]
		sigma := share * float64(slices.Max(truth.Data))
		return of(name+" "+scanner, k.Scan(truth, 0, 0), func(seed uint64) *volume.Volume { return k.Scan(truth, sigma, seed) })
	}
	quiet := func(v *volume.Volume) *volume.Volume { return quietened(t, v, 3, 0.025*float64(slices.Max(v.Data))) }
	mni := slab(read(t, "template/mni152-2009-t1-1mm.nii.gz"), 66+30*round, 9)
	chris := quiet(slab(read(t, "nifti/niivue/chris_t1.nii.gz"), 62+56*round, 9))
	sagittal := quiet(slab(series(t, "mr/philips-t1-170"), 66+28*round, 9))
	p, err := phantom.New("mr", phantom.Size{Dims: [3]int{150 + 26*round, 170 + 10*round, 9}, Spacing: [3]float64{1.3 - 0.2*float64(round), 1.3 - 0.2*float64(round), 2}})
	if err != nil {
		t.Fatal(err)
	}
	head, err := p.Voxels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	made := func(scenes func(seed uint64) scene) repeated {
		s := scenes(1)
		return of(s.name, s.truth, func(seed uint64) *volume.Volume { return scenes(seed).noisy })
	}
	ct := func(kind string, side int, spacing float64, k kernel, photons float64) repeated {
		return made(projected(t, kind, side, spacing, k, photons))
	}
	scanned := func(name string, v *volume.Volume, k kernel, hu float64) repeated {
		return made(onHead(t, name, middle(v, 280), k, hu))
	}
	tilted, thick := series(t, "ct/ge-head-tilted"), series(t, "ct/philips-head-study")
	if round == 0 {
		return []repeated{
			kspace("MNI", "hamming", mni, 0.03), white("chris_t1", chris, 0.035), kspace("sagittal T1", "phase 60 %", sagittal, 0.03), kspace("phantom mr", "gauss 0.6", head, 0.035),
			ct("abdomen", 200, 1.7, soft, 3e5), ct("ct", 200, 1.05, medium, 3e5), scanned("tilted head CT", slab(tilted, 15, 2), sharp, 7), scanned("thick head CT", slab(thick, 14, 2), medium, 5),
		}
	}
	return []repeated{
		kspace("MNI", "phase 60 %", mni, 0.025), kspace("chris_t1", "gauss 0.4", chris, 0.03), white("sagittal T1", sagittal, 0.04), kspace("phantom mr", "ellipse", head, 0.03),
		ct("abdomen", 200, 1.6, medium, 4e5), ct("ct", 208, 1, soft, 3e5), scanned("tilted head CT", slab(tilted, 18, 2), medium, 6), scanned("thick head CT", slab(thick, 16, 2), sharp, 8),
	}
}

// series is the series of a folder of the shared data that is taken by default.
func series(t *testing.T, name string) *volume.Volume {
	t.Helper()
	return seriesIn(t, os.DirFS(shareddata.Path(t, name)))
}

func seriesIn(t *testing.T, files fs.FS) *volume.Volume {
	t.Helper()
	c, err := dicom.Scan(t.Context(), files, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Load(t.Context(), c.Default, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s.Volume
}

// kernel is a reconstruction as a mixture of those of the phantom: shares of the sharp and of the soft kernel, and the
// blur in pixels of what comes out.
type kernel struct {
	name        string
	sharp, blur float64
}

var (
	sharp    = kernel{"sharp", 1, 0}
	medium   = kernel{"medium", 0.5, 0}
	soft     = kernel{"soft", 0, 0}
	verySoft = kernel{"very soft", 0, 0.7}
)

// image reconstructs a phantom. A filter of the projections is linear, so that a mixture of images is one of a mixture of
// kernels.
func (k kernel) image(t *testing.T, p phantom.Phantom, scan phantom.Scan) *volume.Volume {
	t.Helper()
	var out *volume.Volume
	for name, share := range map[string]float64{"sharp": k.sharp, "soft": 1 - k.sharp} {
		if share == 0 {
			continue
		}
		scan.Recon = phantom.Recon{Method: "fbp", Kernel: name}
		v, err := p.Image(t.Context(), scan)
		if err != nil {
			t.Fatal(err)
		}
		for i := range v.Data {
			v.Data[i] *= float32(share)
			if out != nil {
				v.Data[i] += out.Data[i]
			}
		}
		out = v
	}
	if k.blur > 0 {
		return filtered(t, enginetest.RecipeOf(t, "gaussian", 2, fmt.Sprintf("sigma-spatial=%g", k.blur*p.Geometry.Spacing[0])), out)
	}
	return out
}

// projected is a phantom of CT, two slices.
func projected(t *testing.T, kind string, side int, spacing float64, k kernel, photons float64) func(seed uint64) scene {
	t.Helper()
	p, err := phantom.New(kind, phantom.Size{Dims: [3]int{side, side, 2}, Spacing: [3]float64{spacing, spacing, 2.5}})
	if err != nil {
		t.Fatal(err)
	}
	scan := phantom.Scan{Views: 2 * side}
	truth := k.image(t, p, scan)
	scan.Photons = photons
	return func(seed uint64) scene {
		scan.Seed = seed
		return scene{
			name: fmt.Sprintf("phantom %s %s %.0e", kind, k.name, photons), truth: truth, noisy: k.image(t, p, scan),
			regions: objects(p, "disc", "ventricle", "rod", "bar", "sphere"),
		}
	}
}

// onHead is slices of a head CT, made quiet, with the noise of a reconstruction of the phantom on their grid, of hu in soft
// tissue. Of that the middle is taken.
func onHead(t *testing.T, name string, v *volume.Volume, k kernel, hu float64) func(seed uint64) scene {
	t.Helper()
	head := quietened(t, v, 2, 6)
	p, err := phantom.New("ct", phantom.Size{Dims: head.Dims, Spacing: head.Spacing})
	if err != nil {
		t.Fatal(err)
	}
	scan := phantom.Scan{Views: 400}
	clean := k.image(t, p, scan)
	scan.Photons = 1e5
	truth := middle(head, 200)
	return func(seed uint64) scene {
		scan.Seed = seed
		noisy := k.image(t, p, scan)
		squares, n := 0.0, 0.0
		for i, a := range clean.Data {
			if noisy.Data[i] -= a; a > 20 && a < 60 {
				squares, n = squares+float64(noisy.Data[i])*float64(noisy.Data[i]), n+1
			}
		}
		for i, a := range head.Data {
			noisy.Data[i] = a + noisy.Data[i]*float32(hu/math.Sqrt(squares/n))
		}
		return scene{name: name + " " + k.name, truth: truth, noisy: middle(noisy, 200), regions: details(t, truth)}
	}
}

// middle returns the middle square of a side of all slices.
func middle(v *volume.Volume, side int) *volume.Volume {
	x, y := v.Dims[0]/2-side/2, v.Dims[1]/2-side/2
	return v.Crop(volume.Region{Min: [3]int{x, y, 0}, Max: [3]int{x + side, y + side, v.Dims[2]}})
}
