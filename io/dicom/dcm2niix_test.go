package dicom_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/internal/shareddata"
	"quell/io/dicom"
	"quell/io/dicom/derive"
	"quell/io/dicom/dicomtest"
	"quell/series"
	"quell/volume"
)

// converted returns what dcm2niix makes of a folder: the files by their endings.
func converted(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := t.TempDir()
	if text, err := exec.Command("dcm2niix", "-b", "n", "-z", "n", "-f", "x", "-o", out, dir).CombinedOutput(); err != nil {
		t.Fatalf("dcm2niix of %s: %v\n%s", dir, err, text)
	}
	files := map[string][]byte{}
	for _, name := range dicomtest.Names(t, out) {
		data, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = data
	}
	return files
}

// sameNIfTI reports whether two NIfTI-1 files have the same dimensions, spacing, affine and voxels.
func sameNIfTI(a, b []byte) bool {
	part := func(data []byte) []byte {
		voxels := int(math.Float32frombits(binary.LittleEndian.Uint32(data[108:])))
		return bytes.Join([][]byte{data[40:56], data[70:96], data[112:120], data[252:328], data[voxels:]}, nil)
	}
	return len(a) > 352 && len(b) > 352 && bytes.Equal(part(a), part(b))
}

// diffusion are generated series of every maker, in an oblique plane.
func diffusion() map[string]dicomtest.Diffusion {
	out := map[string]dicomtest.Diffusion{}
	for _, maker := range []string{"Standard", "Siemens", "Siemens mosaic", "Siemens B-matrix", "GE", "GE scaled", "Philips", "UIH", "Canon", "Enhanced"} {
		out[maker] = dicomtest.Diffusion{Maker: maker, Row: volume.Vec{0.8, 0, 0.6}, Column: volume.Vec{0, 1, 0}, Gradients: dicomtest.Interleaved()}
	}
	return out
}

// TestVolumesKeepTheirGradients: a derived diffusion series has the gradients of its source, whatever
// its maker; de-identified in the attributes of the standard, as the maker's are removed.
func TestVolumesKeepTheirGradients(t *testing.T) {
	for maker, d := range diffusion() {
		dir, _ := dicomtest.OnDisk(t, d.Files())
		want := dicomtest.Scan(t, os.DirFS(dir)).Entries[0].Group
		if want.Gradients == nil || !want.Gradients.Directed() {
			t.Fatalf("%s: no gradients", maker)
		}
		for what, derived := range map[string]derive.Derived{"as it is": dicomtest.TestDerived, "de-identified": dicomtest.Hidden("s"), "compressed": {Compress: dicom.RLE}} {
			out, report, _ := writeVolumes(t, dir, 0, dicomtest.DiffusionSlices, derived, func(int, []float32) {})
			back := dicomtest.Scan(t, os.DirFS(out)).Entries
			if back[0].Group == nil || back[0].Group.Gradients == nil || len(back[0].Group.Gradients.Volumes) != len(want.Gradients.Volumes) || back[0].UID != report.SeriesUID {
				t.Errorf("%s, %s: %d volumes, %+v", maker, what, len(back), back[0].Group)
				continue
			}
			for v, g := range back[0].Group.Gradients.Volumes {
				if w := want.Gradients.Volumes[v]; math.Abs(g.B-w.B) > 1e-3 || g.Direction.Sub(w.Direction).Norm() > 1e-6 {
					t.Errorf("%s, %s: volume %d has %v, want %v", maker, what, v, g, w)
				}
			}
		}
	}
}

// words returns the words of a text.
func words(b []byte) string { return strings.Join(strings.Fields(string(b)), " ") }

// TestVolumesInDcm2niix asks dcm2niix: it makes of a derived 4-D series what it makes of its source,
// one file with the same voxels, volumes in the same order, affine, b-values and gradients.
func TestVolumesInDcm2niix(t *testing.T) {
	if _, err := exec.LookPath("dcm2niix"); err != nil {
		t.Skip("dcm2niix is not installed")
	}
	check := func(t *testing.T, dir string) {
		n := len(dicomtest.Scan(t, os.DirFS(dir)).Entries)
		out, report, _ := writeVolumes(t, dir, 0, dicomtest.Scan(t, os.DirFS(dir)).Entries[0].Geometry.Dims[2], dicomtest.TestDerived, func(int, []float32) {})
		if len(report.Warnings) != 0 {
			t.Errorf("%v", report.Warnings)
		}
		want, got := converted(t, dir), converted(t, out)
		if len(got) != len(want) || want["x.nii"] == nil {
			t.Fatalf("%d files of the derived series, %d of the source of %d volumes", len(got), len(want), n)
		}
		if !sameNIfTI(got["x.nii"], want["x.nii"]) {
			t.Error("another x.nii")
		}
		for _, name := range []string{"x.bval", "x.bvec"} {
			if !bytes.Equal(got[name], want[name]) {
				t.Errorf("%s is %s, want %s", name, got[name], want[name])
			}
		}
		if volumes := int(binary.LittleEndian.Uint16(got["x.nii"][48:])); volumes != n {
			t.Errorf("%d volumes, not %d", volumes, n)
		}
	}
	for maker, d := range diffusion() {
		t.Run(maker, func(t *testing.T) {
			dir, _ := dicomtest.OnDisk(t, d.Files())
			check(t, dir)
		})
	}
	for _, name := range []string{"mr/ge-temporal", "mr/philips-slope", "mr/siemens-mosaic/ep2d_Asc_2", "mr/siemens-enhanced-xa10"} {
		t.Run(name, func(t *testing.T) { check(t, shareddata.Path(t, name)) })
	}
}

// TestNewVolumesInDcm2niix likewise of volumes without a DICOM source.
func TestNewVolumesInDcm2niix(t *testing.T) {
	if _, err := exec.LookPath("dcm2niix"); err != nil {
		t.Skip("dcm2niix is not installed")
	}
	gradients := []series.Gradient{{}, {B: 1000, Direction: volume.Vec{0.48, 0.6, 0.64}}, {}}
	var places []series.Place
	for _, g := range gradients {
		places = append(places, series.Place{{Axis: "b-value", Value: fmt.Sprint(g.B)}})
	}
	out, _ := writeNewVolumes(t, places, 0, gradients...)
	if g := dicomtest.Scan(t, os.DirFS(out)).Entries[0].Group; g == nil || g.Gradients == nil || !slices.Equal(g.Gradients.Volumes, gradients) {
		t.Errorf("gradients of %+v", g)
	}
	files := converted(t, out)
	nii := files["x.nii"]
	if len(nii) < 352 || binary.LittleEndian.Uint16(nii[48:]) != 3 || words(files["x.bval"]) != "0 1000 0" || words(files["x.bvec"]) != "0 -0.48 0 0 -0.6 0 0 -0.64 0" {
		t.Fatalf("%d files, b-values %s, gradients %s", len(files), files["x.bval"], files["x.bvec"])
	}
	var voxels []uint16
	for b := nii[352:]; len(b) > 0; b = b[2:] {
		voxels = append(voxels, binary.LittleEndian.Uint16(b))
	}
	if !slices.Equal(voxels[:24], make([]uint16, 24)) || !slices.Equal(voxels[24:48], voxels[48:]) || slices.Max(voxels) != 23 {
		t.Errorf("voxels %v", voxels)
	}
}

// TestVolumesForValidator asks dciodvfy: it finds no error that the source does not have.
func TestVolumesForValidator(t *testing.T) {
	for _, name := range []string{"mr/ge-temporal", "mr/siemens-mosaic/ep2d_Asc_2", "mr/siemens-enhanced-xa10"} {
		dir := shareddata.Path(t, name)
		c := dicomtest.Scan(t, os.DirFS(dir))
		out, _, _ := writeVolumes(t, dir, 0, c.Entries[0].Geometry.Dims[2], dicomtest.TestDerived, func(int, []float32) {})
		dicomtest.WantNoNewComplaints(t, name, filepath.Join(out, dicomtest.SliceName(0)), filepath.Join(dir, c.Entries[0].Stack[0].Name))
	}
	out, _ := writeNewVolumes(t, []series.Place{{{Axis: "b-value", Value: "0"}}, {{Axis: "b-value", Value: "1000"}}}, 0)
	if found := dicomtest.Complaints(t, filepath.Join(out, dicomtest.SliceName(3))); found != nil {
		t.Errorf("a new series: %v", found)
	}
}
