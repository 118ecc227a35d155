package dicom_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"quell/assets"
	"quell/io/dicom"
	"quell/io/dicom/dicomtest"
	"quell/series"
	"quell/volume"
)

// facts is what pydicom, numpy and dcm2niix say of a series
// (testdata/facts.py writes them).
type facts struct {
	Dims     [3]int
	Order    []string // file names along the normal
	Affine   [3][4]float64
	SHA256   string // of the voxels as little endian float32
	Min, Max float64
	Mean     float64
	Modality string
	Padding  int // voxels with the padding value
	DCM2NIIX *struct {
		Shape  [3]int
		Affine [3][4]float64 // RAS+, of dcm2niix's own axes
	}
}

func readFacts(t testing.TB) map[string]facts {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "facts.json"))
	if err != nil {
		t.Fatal(err)
	}
	var f map[string]facts
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestSeriesAgreeWithPydicom compares every voxel, the order of slices and the
// affine with what pydicom and numpy make of the same files.
func TestSeriesAgreeWithPydicom(t *testing.T) {
	for name, f := range readFacts(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			fsys := assets.Series
			if name != "bundled" {
				fsys = dicomtest.PublicSeries(t, name)
			}
			c := dicomtest.Scan(t, fsys)
			s := dicomtest.Load(t, c, c.Default)
			v := s.Volume
			if v.Dims != f.Dims || s.Modality != f.Modality {
				t.Fatalf("%s of %v, want %s of %v", s.Modality, v.Dims, f.Modality, f.Dims)
			}
			for z, src := range s.Sources {
				if src.Name != f.Order[z] {
					t.Fatalf("slice %d is %s, want %s", z, src.Name, f.Order[z])
				}
			}
			for r := range f.Affine {
				for c := range f.Affine[r] {
					// Cosines in files are rounded; ours are made unit vectors.
					if d := v.Affine[r][c] - f.Affine[r][c]; math.Abs(d) > 1e-6 {
						t.Errorf("affine %v, want %v", v.Affine, f.Affine)
					}
				}
			}
			h := sha256.New()
			var sum float64
			for _, x := range v.Data {
				h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
				sum += float64(x)
			}
			if got := hex.EncodeToString(h.Sum(nil)); got != f.SHA256 {
				t.Errorf("voxels differ: mean %g, want %g", sum/float64(len(v.Data)), f.Mean)
			}
			if n := maskedVoxels(v.Mask); n != f.Padding {
				t.Errorf("%d voxels of padding, want %d", n, f.Padding)
			}
			if f.DCM2NIIX != nil {
				compareWithDcm2niix(t, v.Geometry, f.DCM2NIIX.Shape, f.DCM2NIIX.Affine)
			}
		})
	}
}

// compareWithDcm2niix checks that each corner of the volume is a corner of
// dcm2niix's, which has its own order and direction of axes. It takes the step
// between slices from two of them, in single precision: over 169 slices that is
// 1.4e-3 mm from the place in the last slice's header.
func compareWithDcm2niix(t *testing.T, g volume.Geometry, shape [3]int, affine [3][4]float64) {
	t.Helper()
	corners := func(dims [3]int, a volume.Affine) []volume.Vec {
		var out []volume.Vec
		for i := range 8 {
			at := func(c int) float64 { return float64((i >> c & 1) * (dims[c] - 1)) }
			out = append(out, a.Apply(at(0), at(1), at(2)))
		}
		return out
	}
	theirs := corners(shape, volume.Affine(affine).FlipXY())
	for _, p := range corners(g.Dims, g.Affine) {
		if !slices.ContainsFunc(theirs, func(q volume.Vec) bool { return p.Sub(q).Norm() < 2e-3 }) {
			t.Errorf("corner %v is none of dcm2niix's %v", p, theirs)
		}
	}
}

// TestBundledSeries compares the bundled series with its README.
func TestBundledSeries(t *testing.T) {
	c := dicomtest.Scan(t, assets.Series)
	if len(c.Entries) != 1 || c.Files != 9 || c.Entries[0].Slices != 9 {
		t.Fatalf("%d files, entries %+v", c.Files, c.Entries)
	}
	e := c.Entries[0]
	if e.Patient != "REMOVED" || e.StudyDate != "" {
		t.Errorf("patient %q, study of %q", e.Patient, e.StudyDate)
	}
	if e.Bytes >= 5_000_000 {
		t.Errorf("%d bytes", e.Bytes)
	}
	if len(e.Findings) != 1 || e.Findings[0].Kind != "tilt" {
		t.Errorf("findings %v", e.Findings)
	}
}

// TestMixedStudy opens a whole CT study: an axial series with localizers, colour pages and directory
// files.
func TestMixedStudy(t *testing.T) {
	c := dicomtest.Scan(t, dicomtest.PublicSeries(t, "ct/philips-head-study"))
	if e := c.Entries[c.Default]; e.Number != "201" || e.Slices != 28 || e.Err != nil {
		t.Errorf("default %+v", e)
	}
	dicomtest.Finding(t, c.Findings, "index")
	images := 0
	for _, e := range c.Entries {
		images += e.Slices
	}
	for _, e := range c.Entries {
		if e.Number == "401" {
			images += len(dicomtest.Finding(t, e.Findings, series.Excluded).Files)
			break
		}
	}
	if images != 35 {
		t.Errorf("%d images are in an entry or a finding, want 35", images)
	}
}

// TestTimeSeries splits ten repeats of fifteen slices that differ only in their instance number.
func TestTimeSeries(t *testing.T) {
	c := dicomtest.Scan(t, dicomtest.PublicSeries(t, "mr/ge-temporal"))
	if len(c.Entries) != 10 {
		t.Fatalf("%d volumes, want 10", len(c.Entries))
	}
	for _, e := range c.Entries {
		if e.Slices != 15 || math.Abs(e.Geometry.Spacing[2]-5) > 1e-3 {
			t.Errorf("%s: %d slices, spacing %v", e.Part, e.Slices, e.Geometry.Spacing)
		}
	}
}

// TestRealExport exports the bundled series unchanged: every pixel and position is the same.
func TestRealExport(t *testing.T) {
	c := dicomtest.Scan(t, assets.Series)
	s := dicomtest.Load(t, c, 0)
	out := filepath.Join(t.TempDir(), "out")
	r, err := dicomtest.WriteAs(context.Background(), out, s, s.Volume, dicomtest.TestDerived, nil)
	if err != nil || r.Files != 9 || r.Clipped != 0 || len(r.Warnings) != 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	back := dicomtest.Load(t, dicomtest.Scan(t, os.DirFS(out)), 0)
	if back.Volume.Geometry != s.Volume.Geometry || !slices.Equal(back.Volume.Data, s.Volume.Data) || !slices.Equal(back.Volume.Mask, s.Volume.Mask) {
		t.Error("the export differs from the series")
	}
}

func BenchmarkLoad(b *testing.B) {
	c, err := dicom.Scan(context.Background(), assets.Series, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(c.Entries[0].Bytes)
	for b.Loop() {
		if _, err := c.Load(context.Background(), 0, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	for b.Loop() {
		if _, err := dicom.Scan(context.Background(), assets.Series, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func maskedVoxels(mask []bool) int {
	n := 0
	for _, valid := range mask {
		if !valid {
			n++
		}
	}
	return n
}
