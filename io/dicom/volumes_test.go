package dicom_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"path"
	"path/filepath"
	"testing"

	"quell/io/dicom"
	"quell/io/dicom/dicomtest"
	"quell/volume"
)

// volumeFacts is what dcm2niix makes of a series (testdata/volumes.py).
type volumeFacts struct {
	Dims    [3]int
	Affine  volume.Affine // LPS+
	Volumes []string      // SHA-256 of the voxels of each as little endian float32
}

func readVolumeFacts(t testing.TB) map[string]volumeFacts {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "volumes.json"))
	if err != nil {
		t.Fatal(err)
	}
	var f map[string]volumeFacts
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

func voxelHash(v *volume.Volume) string {
	h := sha256.New()
	var b []byte
	for z := range v.Dims[2] {
		b = b[:0]
		for _, x := range v.Plane(z) {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// TestVolumesAgreeWithDcm2niix compares every voxel of every volume, their
// order in time and the affine of multi-frame images, mosaics and series of
// several volumes with what dcm2niix makes of the same files.
func TestVolumesAgreeWithDcm2niix(t *testing.T) {
	for name, f := range readVolumeFacts(t) {
		t.Run(path.Base(name), func(t *testing.T) {
			c, err := dicom.Scan(context.Background(), dicomtest.PublicSeries(t, name), nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(c.Entries) != len(f.Volumes) {
				t.Fatalf("%d volumes, want %d", len(c.Entries), len(f.Volumes))
			}
			for i, e := range c.Entries {
				if e.Geometry.Dims != f.Dims {
					t.Fatalf("%s: %v, want %v", e.Part, e.Geometry.Dims, f.Dims)
				}
				// dcm2niix computes in single precision: see compareWithDcm2niix.
				if want := volume.FromAffine(f.Dims, f.Affine); !e.Geometry.SameGrid(want, 2e-3) {
					t.Errorf("%s: affine %v, want %v", e.Part, e.Geometry.Affine, f.Affine)
				}
				if got := voxelHash(dicomtest.Load(t, c, i).Volume); got != f.Volumes[i] {
					t.Errorf("%s: the voxels differ", e.Part)
				}
			}
		})
	}
}
