package nifti

import (
	"strings"
	"testing"
	"testing/fstest"

	"quell/volume"
)

// TestSidecar reads what the JSON file of BIDS next to an image states of k-space.
func TestSidecar(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{5, 4, 3}, [3]float64{1, 1, 1}))
	v.Data[7] = 3
	const siemens = `"BaseResolution": 64, "AcquisitionMatrixPE": 48, "ReconMatrixPE": 4, "PartialFourier": 0.75, "EchoTime": 0.03, "ImageType": ["M"]`
	for name, c := range map[string]struct {
		text string
		want volume.Encoding
	}{
		"phases along y":        {`{"PhaseEncodingDirection": "j-", ` + siemens + `}`, volume.Encoding{{64}, {48, 0, 64}}},
		"without a sign":        {`{"PhaseEncodingAxis": "j", ` + siemens + `}`, volume.Encoding{{64}, {48, 0, 64}}},
		"another grid":          {`{"PhaseEncodingDirection": "i", ` + siemens + `}`, volume.Encoding{}},
		"phases along x":        {`{"PhaseEncodingDirection": "i", "BaseResolution": 64, "AcquisitionMatrixPE": 24, "ReconMatrixPE": 5, "ParallelReductionFactorInPlane": 2}`, volume.Encoding{{24, 0, 48}, {64}}},
		"smaller field of view": {`{"PhaseEncodingDirection": "j", "AcquisitionMatrixPE": 48, "PercentPhaseFOV": 75}`, volume.Encoding{{}, {48, 64}}},
		"reduced sampling":      {`{"PhaseEncodingDirection": "j", "BaseResolution": 64, "AcquisitionMatrixPE": 64, "PercentSampling": 62.5}`, volume.Encoding{{64}, {64, 0, 40}}},
		"across slices":         {`{"PhaseEncodingDirection": "k", ` + siemens + `}`, volume.Encoding{}},
		"no direction":          {`{` + siemens + `}`, volume.Encoding{}},
		"no numbers":            {`{"PhaseEncodingDirection": "j"}`, volume.Encoding{}},
		"absurd numbers":        {`{"PhaseEncodingDirection": "j", "BaseResolution": -5, "AcquisitionMatrixPE": 1e300, "PartialFourier": -1}`, volume.Encoding{}},
		"another type":          {`{"PhaseEncodingDirection": ["j"], ` + siemens + `}`, volume.Encoding{}},
		"damaged":               {`{"PhaseEncodingDirection": "j", `, volume.Encoding{}},
		"empty":                 {"", volume.Encoding{}},
	} {
		for _, of := range []string{"scan.nii", "scan.nii.gz"} {
			files := fstest.MapFS{of: {Data: fileOf(t, v, "float32", strings.TrimPrefix(of, "scan"))}, "scan.json": {Data: []byte(c.text)}, "other.json": {Data: []byte(`{"PhaseEncodingDirection": "j", "BaseResolution": 32}`)}}
			s, err := Read(t.Context(), files, of)
			if err != nil || s.Encoding != c.want {
				t.Errorf("%s: %v, %v; want %v", name, s.Encoding, err, c.want)
			}
			if info, err := Open.ReadHeader(files, of); err != nil || info.Encoding != c.want {
				t.Errorf("%s: the header alone: %v, %v", name, info.Encoding, err)
			}
		}
	}
}
