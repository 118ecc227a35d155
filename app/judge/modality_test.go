package judge_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/internal/shareddata"
	"quell/volume"
)

// Low-contrast CT of HU + 1000 without a unit, ten repeats of a disc of water. Its noise falls from the middle
// to the edge by a third, so that sigma is compared with the median of what the repeats show at each place.
func TestResearchCT(t *testing.T) {
	for _, dose := range []string{"dose_010", "dose_055", "dose_100"} {
		for _, kind := range []string{"signal_absent", "signal_present"} {
			s := loadShared(t, filepath.Join("lcd-fda/fbp", dose, kind, kind+".mhd"))
			if water, ct := noise.Hounsfield(s); !ct || water != 1000 {
				t.Errorf("%s, %s: water at %g, CT %v", dose, kind, water, ct)
				continue
			}
			f, err := denoise.FactsOf(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			truth := repeatedNoise(s)
			t.Logf("%s, %s: sigma %.2f, repeats %.2f", dose, kind, f.Noise.Sigma, truth)
			if math.Abs(f.Noise.Sigma/truth-1) > 0.06 || f.Noise.Confidence != noise.High {
				t.Errorf("%s, %s: sigma %.2f (%s), repeats %.2f", dose, kind, f.Noise.Sigma, f.Noise.Confidence, truth)
			}
			if f.Trust() != 1 {
				t.Errorf("%s, %s: automatic values use %.2f of sigma", dose, kind, f.Trust())
			}
		}
	}
}

// repeatedNoise returns the median over the tissue of the standard deviation over slices that repeat each other.
func repeatedNoise(v *volume.Volume) float64 {
	n := v.Dims[2]
	var sds []float64
	for i := range v.SliceVoxels() {
		sum, squares := 0.0, 0.0
		for z := range n {
			x := float64(v.Plane(z)[i])
			sum, squares = sum+x, squares+x*x
		}
		mean := sum / float64(n)
		if mean > 900 && mean < 1100 {
			sds = append(sds, math.Sqrt((squares-mean*sum)/float64(n-1)))
		}
	}
	slices.Sort(sds)
	return sds[len(sds)/2] / 0.9628 // the median of the standard deviation of ten normal values
}

// magnitudes are the MR series, templates and others of the shared data that are no CT.
var magnitudes = []string{
	"nifti/niivue/FLAIR.nii.gz", "nifti/niivue/pcasl.nii.gz", "nifti/niivue/chris_t1.nii.gz", "nifti/niivue/avg152T1_RL_nifti.nii.gz",
	"nifti/nibabel/reoriented_anat_moved.nii", "nifti/nibabel/example4d.nii.gz", "nifti/nibabel/example_nifti2.nii.gz", "nifti/nibabel/anatomical.nii", "nifti/nibabel/functional.nii",
	"template/t1-181x217x51-truth.nii.gz", "template/t1-181x217x51-noisy-sigma10.nii.gz", "template/mni152-2009-t1-1mm.nii.gz",
	"mr/ge-temporal", "mr/philips-pcasl-classic", "mr/philips-slope", "mr/philips-t1-170", "mr/siemens-12bit", "mr/siemens-enhanced-xa10", "mr/siemens-mosaic",
}

// No MR series, template or other file of the shared data is a CT, as it is and scaled so that each of its
// tissues comes to lie where soft tissue of a CT does, with and without noise about 0.
func TestNoMagnitudeOfTheSharedDataIsACT(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	for _, name := range magnitudes {
		v := *loadShared(t, name)
		v.Modality = ""
		if _, ct := noise.Hounsfield(&v); ct {
			t.Errorf("%s is a CT", name)
		}
		bright := brightest(&v)
		for scale := 0.7; scale < 2.6; scale *= 1.12 {
			for _, sigma := range []float32{0, 10, 40} {
				part := every(&v, 16)
				for i := range part.Data {
					part.Data[i] = part.Data[i]*float32(1000*scale)/bright + sigma*float32(noise.Normal(7, uint64(i), 0))
				}
				if water, ct := noise.Hounsfield(part); ct {
					t.Errorf("%s, its brightest at %.0f, noise of %g: a CT with water at %g", name, 1000*scale, sigma, water)
				}
			}
		}
	}
}

// brightest returns the value that a hundredth of the voxels exceeds.
func brightest(v *volume.Volume) float32 {
	x := slices.Clone(v.Data)
	slices.Sort(x)
	return x[len(x)*99/100]
}

// every returns n slices of v, evenly spread, at most all.
func every(v *volume.Volume, n int) *volume.Volume {
	step := (v.Dims[2] + n - 1) / n
	g := v.Geometry
	g.Dims[2] = (v.Dims[2] + step - 1) / step
	out := volume.New(g)
	for z := range g.Dims[2] {
		copy(out.Plane(z), v.Plane(z*step))
	}
	return out
}

func loadShared(t *testing.T, name string) *volume.Volume {
	t.Helper()
	in, err := open.Open(t.Context(), job.Input{Path: shareddata.Path(t, name)}, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	return in.Volume
}

// A stated modality reaches the volume, the facts and what is refused; a DICOM series keeps the name of its own.
func TestModalityIsStated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.mha")
	header := "ObjectType = Image\nNDims = 3\nDimSize = 32 32 2\nElementType = MET_SHORT\nElementSpacing = 1 1 1\nElementByteOrderMSB = False\nElementDataFile = LOCAL\n"
	data := make([]byte, 2*32*32*2)
	for i := 0; i < len(data); i += 2 {
		data[i] = byte(40 + i/2*7919%5)
	}
	if err := os.WriteFile(path, append([]byte(header), data...), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, modality := range []string{"", "CT", "MR"} {
		in, err := open.Open(t.Context(), job.Input{Path: path, Modality: modality}, job.Events{})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		if _, ct := noise.Hounsfield(in.Volume); in.Volume.Modality != modality || in.Modality != modality || ct != (modality == "CT") {
			t.Errorf("%q: the volume is %q, the series %q, a CT %v", modality, in.Volume.Modality, in.Modality, ct)
		}
		stabilised := apptest.MustRecipe("nlm", 2).With(denoise.Stabilise.Name, denoise.Number(5))
		err = run.CheckRecipe(in.Series, stabilised, false)
		if refused := err != nil && strings.Contains(err.Error(), "is a CT"); refused != (modality == "CT") {
			t.Errorf("%q: stabilising Rician noise: %v", modality, err)
		}
	}
	if _, err := open.Open(t.Context(), job.Input{Path: path, Modality: "PT"}, job.Events{}); err == nil || !strings.Contains(err.Error(), "CT and MR") {
		t.Errorf("a modality that cannot be stated: %v", err)
	}
}

// No value of a real series stands alone, as text that is burnt in does, and all count in the range.
func TestNothingOfTheSharedDataStandsAlone(t *testing.T) {
	for _, name := range magnitudes {
		part := every(loadShared(t, name), 12)
		e, err := noise.Of(t.Context(), part)
		if err != nil {
			t.Fatal(err)
		}
		lo, hi, err := part.Range(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Range(lo, hi); got != float64(hi)-float64(lo) {
			t.Errorf("%s: a range of %g, of values from %g to %g", name, got, lo, hi)
		}
	}
}
