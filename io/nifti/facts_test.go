package nifti

import (
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quell/internal/shareddata"
	"quell/io/raster"
	"quell/series"
	"quell/volume"
)

// fact is what nibabel reads from one file (testdata/facts.py).
type fact struct {
	Shape   []int
	Dtype   string
	Affine  volume.Affine // RAS+
	Volumes int
	First   voxelFact
	Last    voxelFact
}

type voxelFact struct {
	Finite                   int
	Sum, Weighted, Magnitude float64
}

func loadFacts(t *testing.T, name string) map[string]fact {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var facts map[string]fact
	if err := json.Unmarshal(b, &facts); err != nil {
		t.Fatal(err)
	}
	return facts
}

// TestAgreesWithNibabel compares grid and voxels, of the first and of the last
// volume, of every file in testdata.
func TestAgreesWithNibabel(t *testing.T) {
	fsys := os.DirFS("testdata")
	for name, want := range loadFacts(t, "facts.json") {
		t.Run(name, func(t *testing.T) { checkFile(t, fsys, name, want) })
	}
}

// TestAgreesWithNibabelOnRealFiles does so for public images that are too large for
// the repository.
func TestAgreesWithNibabelOnRealFiles(t *testing.T) {
	for name, want := range loadFacts(t, "facts-real.json") {
		t.Run(name, func(t *testing.T) {
			file, _, _ := strings.Cut(name, " ") // after it: the component
			shareddata.Path(t, file)
			checkFile(t, os.DirFS(shareddata.Path(t, ".")), name, want)
		})
	}
}

// checkFile compares a file with what nibabel reads. name may end in a component:
// "rgb24.nii red".
func checkFile(t *testing.T, fsys fs.FS, name string, want fact) {
	t.Helper()
	name, component, _ := strings.Cut(name, " ")
	c := Component(component)
	info, err := Open.ReadHeader(fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	if info.Volumes != want.Volumes || info.Datatype != want.Dtype {
		t.Errorf("header: %d volumes of %s, want %d of %s", info.Volumes, info.Datatype, want.Volumes, want.Dtype)
	}
	if (c != "") != slices.Contains(info.Components, c) {
		t.Errorf("header: components %v", info.Components)
	}
	s, err := ReadComponent(t.Context(), fsys, name, 0, c)
	if err != nil {
		t.Fatal(err)
	}
	if s.Volume.Geometry != info.Geometry {
		t.Errorf("header and volume differ in geometry")
	}
	checkGrid(t, s.Volume.Geometry, want)
	checkVoxels(t, s.Volume, want.First)
	if s, err = ReadComponent(t.Context(), fsys, name, want.Volumes-1, c); err != nil {
		t.Fatal(err)
	}
	checkVoxels(t, s.Volume, want.Last)
}

func checkGrid(t *testing.T, g volume.Geometry, want fact) {
	t.Helper()
	for c := range 3 {
		n := 1
		if c < len(want.Shape) {
			n = want.Shape[c]
		}
		if g.Dims[c] != n {
			t.Fatalf("dims %v, want %v", g.Dims, want.Shape)
		}
	}
	// Both start from the same float32 fields; a quaternion's arithmetic may
	// round differently.
	ras := g.Affine.FlipXY()
	for r := range ras {
		for c := range ras[r] {
			if math.Abs(ras[r][c]-want.Affine[r][c]) > 1e-6 {
				t.Fatalf("affine %v, want %v", ras, want.Affine)
			}
		}
	}
}

func checkVoxels(t *testing.T, v *volume.Volume, want voxelFact) {
	t.Helper()
	var got voxelFact
	for i, x := range v.Data {
		if !v.Valid(i) {
			continue
		}
		got.Finite++
		got.Sum += float64(x)
		got.Weighted += float64(x) * float64((i+1)%97)
		got.Magnitude += math.Abs(float64(x))
	}
	tolerance := 1e-12 * want.Magnitude
	if got.Finite != want.Finite || math.Abs(got.Sum-want.Sum) > tolerance || math.Abs(got.Weighted-want.Weighted) > 97*tolerance {
		t.Errorf("voxels %+v, want %+v", got, want)
	}
}

func TestFindings(t *testing.T) {
	for name, want := range map[string]string{
		"int16-le.nii":           "",
		"four-d.nii":             "volumes",
		"vector.nii":             "volumes",
		"holes.nii":              "padding padding",
		"no-codes.nii":           "orientation",
		"analyze-le.hdr":         "orientation",
		"slope-nan.nii":          "scaling",
		"uint32-le.nii":          "precision",
		"offset-zero.nii":        "",
		"trailing-ones.nii":      "",
		"two-members.nii.gz":     "",
		"nibabel/functional.nii": "volumes",
	} {
		s, err := Read(t.Context(), os.DirFS("testdata"), name)
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for _, f := range s.Findings {
			kinds = append(kinds, string(f.Kind))
		}
		if got := strings.Join(kinds, " "); got != want {
			t.Errorf("%s: findings %q, want %q", name, got, want)
		}
	}
}

func TestSplitExt(t *testing.T) {
	for name, want := range map[string]bool{
		"a.nii": true, "a/b.NII.GZ": true, "a.hdr": true, "a.img.gz": true, "a.b.nii": true,
		"a.gz": false, "nii": false, "a.dcm": false, "a.nii.zip": false, "": false,
	} {
		if _, ext, _ := splitExt(name); (ext != "") != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

// TestTruncated4D: a truncated 4-D file still gives the volumes that it holds.
func TestTruncated4D(t *testing.T) {
	b := sample(t, "four-d.nii") // 4 volumes of 120 bytes
	fsys := fstest.MapFS{"a.nii": {Data: b[:352+300]}}
	if _, err := ReadVolume(t.Context(), fsys, "a.nii", 2); err == nil || !strings.Contains(err.Error(), "get a complete copy") {
		t.Errorf("the truncated volume: %v", err)
	}
	s, err := ReadVolume(t.Context(), fsys, "a.nii", 1)
	if err != nil || s.Findings[0].Kind != series.Missing || s.Findings[0].Severity != series.Warning {
		t.Errorf("a complete volume: %v", err)
	}
	info, err := Open.ReadHeader(fsys, "a.nii")
	if err != nil || info.Volumes != 4 || info.Bytes != 480 || info.Findings[0].Kind != series.Missing {
		t.Errorf("%+v, %v", info, err)
	}
}

// TestSources: a source gives the file, the volume and the scale.
func TestSources(t *testing.T) {
	fsys := os.DirFS("testdata")
	s, err := ReadVolume(t.Context(), fsys, "four-d.nii", 2)
	if err != nil {
		t.Fatal(err)
	}
	if src := s.Sources[0]; len(s.Sources) != 1 || src.FS != fsys || src.Name != "four-d.nii" || src.Frame != 2 || src.Slope != 1 || src.Position != s.Volume.Affine.Column(3) {
		t.Errorf("%+v", s.Sources)
	}
	if s, err = Read(t.Context(), fsys, "scaled.nii"); err != nil || s.Sources[0].Inter != -1024.5 || s.Sources[0].Slope != float64(float32(0.1)) {
		t.Errorf("%+v, %v", s.Sources, err)
	}
}

func TestRefusals(t *testing.T) {
	fsys := os.DirFS("testdata")
	for name, want := range map[string]string{
		"rgb24.nii":              "luminance, red, green or blue",
		"complex64-le.nii":       "magnitude, phase, real or imaginary",
		"refused-complex256.nii": "256-bit",
		"refused-float128.nii":   "128-bit",
		"nothing.nii":            "no such file",
		"nibabel":                "folder",
		"facts.py":               "not a NIfTI",
	} {
		_, err := Read(t.Context(), fsys, name)
		if err == nil || !strings.HasPrefix(err.Error(), name+": ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want it to name the file and %q", name, err, want)
		}
	}
	for name, c := range map[string]Component{"rgb24.nii": raster.Phase, "complex64-le.nii": raster.Red, "int16-le.nii": raster.Magnitude} {
		if _, err := ReadComponent(t.Context(), fsys, name, 0, c); err == nil || !strings.HasPrefix(err.Error(), name+": its voxels are ") {
			t.Errorf("%s of %s: %v", c, name, err)
		}
	}
	if _, err := ReadVolume(t.Context(), fsys, "four-d.nii", 4); err == nil || !strings.Contains(err.Error(), "1 to 4") {
		t.Errorf("volume 4 of 4: %v", err)
	}
}

func TestNonFiniteVoxelsBecomePadding(t *testing.T) {
	s, err := Read(t.Context(), os.DirFS("testdata"), "holes.nii")
	if err != nil {
		t.Fatal(err)
	}
	v := s.Volume
	lo, _, _ := v.Range(t.Context())
	for i, valid := range v.Mask {
		hole := i == v.Index(0, 0, 0) || i == v.Index(1, 2, 1) || i == v.Index(4, 3, 2)
		if valid == hole {
			t.Errorf("voxel %d: valid is %v", i, valid)
		}
		if hole && v.Data[i] != lo {
			t.Errorf("voxel %d holds %v, want the smallest value %v", i, v.Data[i], lo)
		}
	}
}

func BenchmarkReadCompressed(b *testing.B) {
	for _, name := range []string{"nifti/niivue/chris_t1.nii.gz", "template/t1-181x217x51-noisy-sigma10.nii.gz", "template/mni152-2009-t1-1mm.nii.gz"} {
		b.Run(name, func(b *testing.B) {
			dir, file := filepath.Split(shareddata.Path(b, name))
			for b.Loop() {
				s, err := Read(b.Context(), os.DirFS(dir), file)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(4 * len(s.Volume.Data)))
			}
		})
	}
}
