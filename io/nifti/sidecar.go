package nifti

import (
	"encoding/json"
	"io/fs"
	"strings"

	"quell/series"
	"quell/volume"
)

// sidecar is what the JSON file of BIDS next to an image states of k-space, in the names of dcm2niix. The axis is i, j or k of
// the image, with a minus if phases are numbered backwards.
type sidecar struct {
	PhaseEncodingDirection         string
	PhaseEncodingAxis              string // without its sign
	AcquisitionMatrixPE            float64
	ReconMatrixPE                  float64 // pixels along the phases, before anything resampled the image
	BaseResolution                 float64 // of the readout
	PercentPhaseFOV                float64
	PercentSampling                float64
	PartialFourier                 float64
	ParallelReductionFactorInPlane float64
}

// sidecarEncoding reads how many frequencies an MR was acquired with from NAME.json next to NAME.nii. A file that is no such
// JSON, or that was made for another grid, states nothing.
func sidecarEncoding(fsys fs.FS, name string, g volume.Geometry) volume.Encoding {
	base, _, _ := splitExt(name)
	text, err := readText(fsys, base+".json")
	var s sidecar
	if err != nil || text == nil || json.Unmarshal(text, &s) != nil {
		return volume.Encoding{}
	}
	k := series.KSpace{
		Readout: count(s.BaseResolution), Phases: count(s.AcquisitionMatrixPE),
		Field: s.PercentPhaseFOV / 100, Sampling: s.PercentSampling / 100, Partial: s.PartialFourier, Parallel: s.ParallelReductionFactorInPlane,
	}
	axis := s.PhaseEncodingDirection
	if axis == "" {
		axis = s.PhaseEncodingAxis
	}
	switch strings.TrimSuffix(axis, "-") {
	case "i":
	case "j":
		k.PhaseAxis = 1
	default:
		return volume.Encoding{}
	}
	if recon := count(s.ReconMatrixPE); recon > 0 && recon != g.Dims[k.PhaseAxis] {
		return volume.Encoding{}
	}
	return k.Encoding()
}

// count returns a number of the file if it counts frequencies, else 0.
func count(n float64) int {
	if n >= 1 && n <= maxFrequencies {
		return int(n)
	}
	return 0
}

// maxFrequencies is more than any scanner acquires.
const maxFrequencies = 1 << 16
