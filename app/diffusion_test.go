package app_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"quell/app"
	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
	"quell/volume"
)

var update = flag.Bool("update", false, "write the facts of testdata/diffusion.json by dcm2niix")

// diffusionFacts are the facts in a 4-D NIfTI file and its gradients, whatever the order and direction
// of its axes.
type diffusionFacts struct {
	Volumes    []int         // which of the acquired volumes each is
	Corners    [4]volume.Vec // position in mm, LPS+, of the first pixel, the last of its row, of its column, of the last slice
	B          []float64     // s/mm2
	Directions []volume.Vec  // in the patient, LPS+
}

// plane is the orientation of an image.
type plane struct{ row, column volume.Vec }

var diffusionPlanes = map[string]plane{
	"axial":                 {volume.Vec{1, 0, 0}, volume.Vec{0, 1, 0}},
	"coronal":               {volume.Vec{1, 0, 0}, volume.Vec{0, 0, -1}},
	"sagittal":              {volume.Vec{0, 1, 0}, volume.Vec{0, 0, -1}},
	"oblique":               {volume.Vec{0.96, 0.28, 0}, volume.Vec{-0.28 * 0.8, 0.96 * 0.8, 0.6}},
	"twice oblique coronal": {volume.Vec{0.96, 0, 0.28}, volume.Vec{0.28 * 0.6, 0.8, -0.96 * 0.6}.Unit()},
}

// diffusionCases are series of each maker in planes of all kinds, counted in both ways.
func diffusionCases() map[string]dicomtest.Diffusion {
	cases := map[string]dicomtest.Diffusion{}
	for _, maker := range []string{"Standard", "Siemens", "Siemens mosaic", "GE", "GE scaled", "Philips", "UIH", "Canon", "Enhanced"} {
		for name, p := range diffusionPlanes {
			d := dicomtest.Diffusion{Maker: maker, Row: p.row, Column: p.column, Gradients: dicomtest.Interleaved()}
			cases[maker+", "+name] = d
			if name == "axial" && maker != "Enhanced" && maker != "Siemens mosaic" {
				d.Descending = true
				cases[maker+", descending"] = d
				d.Descending, d.ByPosition = false, true
				cases[maker+", by position"] = d
				d.Enc, d.ByPosition = part10.ImplicitLE, false
				cases[maker+", implicit"] = d
			}
		}
	}
	return cases
}

// table reads lines of numbers.
func table(t *testing.T, path string) (rows [][]float64) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		var row []float64
		for _, word := range strings.Fields(line) {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	return rows
}

// factsOfDiffusion reads a NIfTI file of a generated series and the gradients next to it, if
// there are any.
func factsOfDiffusion(t *testing.T, path string) (f diffusionFacts) {
	t.Helper()
	c, err := open.Scan(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for i := range c.Entries {
		s, err := c.Load(t.Context(), i, nil)
		if err != nil {
			t.Fatal(err)
		}
		v := s.Volume
		f.Volumes = append(f.Volumes, int(v.Data[0])/1000)
		if i > 0 {
			continue
		}
		const cols, rows, slices = dicomtest.DiffusionCols, dicomtest.DiffusionRows, dicomtest.DiffusionSlices
		base := 1000 * f.Volumes[0]
		for n, value := range []int{0, cols - 1, cols * (rows - 1), 100 * (slices - 1)} {
			at := -1
			for k, x := range v.Data {
				if int(math.Round(float64(x))) == base+value {
					at = k
				}
			}
			if at < 0 {
				t.Errorf("%s: no voxel of %v is %d", path, v.Dims, base+value)
				return f
			}
			f.Corners[n] = v.Affine.Apply(float64(at%v.Dims[0]), float64(at/v.Dims[0]%v.Dims[1]), float64(at/v.Dims[0]/v.Dims[1]))
		}
		base1 := strings.TrimSuffix(strings.TrimSuffix(path, ".gz"), ".nii")
		if _, err := os.Stat(base1 + ".bval"); err != nil {
			continue
		}
		f.B = table(t, base1+".bval")[0]
		if _, err := os.Stat(base1 + ".bvec"); err != nil {
			continue
		}
		// FSL: along the voxel axes, x with the other sign if the determinant of the affine is positive.
		components := table(t, base1+".bvec")
		for n := range components[0] {
			var d volume.Vec
			for k := range 3 {
				axis := v.Affine.Column(k).Unit()
				if k == 0 && v.Affine.Det() > 0 {
					axis = axis.Scale(-1)
				}
				d = d.Add(axis.Scale(components[k][n]))
			}
			f.Directions = append(f.Directions, d)
		}
	}
	return f
}

// differ says what two readings differ in; "" for nothing. A direction of b-value 0 does not
// count: it has none, and dcm2niix writes what the file has there.
func (f diffusionFacts) differ(from diffusionFacts) string {
	if !slices.Equal(f.Volumes, from.Volumes) {
		return fmt.Sprintf("volumes %v, want %v", f.Volumes, from.Volumes)
	}
	for i := range f.Corners {
		if f.Corners[i].Sub(from.Corners[i]).Norm() > 2e-3 { // dcm2niix computes in single precision
			return fmt.Sprintf("corners %v, want %v", f.Corners, from.Corners)
		}
	}
	if len(f.B) != len(from.B) || len(f.Directions) != len(from.Directions) {
		return fmt.Sprintf("%d b-values and %d directions, want %d and %d", len(f.B), len(f.Directions), len(from.B), len(from.Directions))
	}
	for i := range f.B {
		if math.Abs(f.B[i]-from.B[i]) > 0.01 || f.B[i] > 0 && f.Directions[i].Sub(from.Directions[i]).Norm() > 0.01 {
			return fmt.Sprintf("volume %d: b %g along %v, want %g along %v", i, f.B[i], f.Directions[i], from.B[i], from.Directions[i])
		}
	}
	return ""
}

// truth is what the facts of a generated series have to be.
func truth(d dicomtest.Diffusion) (f diffusionFacts) {
	for i, g := range d.Gradients {
		f.Volumes, f.B, f.Directions = append(f.Volumes, i), append(f.B, g.B), append(f.Directions, g.Direction)
	}
	p := d.Position(0)
	f.Corners = [4]volume.Vec{p, p.Add(d.Row.Scale(2 * (dicomtest.DiffusionCols - 1))), p.Add(d.Column.Scale(2 * (dicomtest.DiffusionRows - 1))), d.Position(dicomtest.DiffusionSlices - 1)}
	return f
}

// TestDiffusionFromDICOM converts series of each maker to NIfTI: volumes in the order of
// acquisition, their positions and their gradients are what the files were made of, and what
// dcm2niix reads from them (testdata/diffusion.json, written by this test with -update).
func TestDiffusionFromDICOM(t *testing.T) {
	facts := map[string]diffusionFacts{}
	path := filepath.Join("testdata", "diffusion.json")
	if !*update {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &facts); err != nil {
			t.Fatal(err)
		}
	}
	cases := diffusionCases()
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		d := cases[name]
		dir := apptest.WriteDiffusion(t, d)
		// dcm2niix takes files that are counted position by position for files of one volume, but
		// for makers that count so.
		asked := !d.ByPosition || strings.HasPrefix(name, "GE") || strings.HasPrefix(name, "Philips")
		if *update && asked {
			facts[name] = byDcm2niix(t, dir)
		}
		out := filepath.Join(t.TempDir(), "out.nii.gz")
		if _, err := app.Do(t.Context(), job.Job{Input: job.Input{Path: dir}, Output: job.Output{Path: out}}, job.Events{}); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := factsOfDiffusion(t, out)
		if text := got.differ(truth(d)); text != "" {
			t.Errorf("%s: %s", name, text)
		}
		if want, ok := facts[name]; ok != asked {
			t.Errorf("%s: testdata/diffusion.json has facts of it: %v", name, ok)
		} else if text := got.differ(want); asked && text != "" {
			t.Errorf("%s: by dcm2niix %s", name, text)
		}
	}
	if *update {
		var lines []string
		for _, name := range slices.Sorted(maps.Keys(facts)) {
			line, err := json.Marshal(facts[name])
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, fmt.Sprintf("%q: %s", name, line))
		}
		if err := os.WriteFile(path, []byte("{\n"+strings.Join(lines, ",\n")+"\n}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDiffusionFacts asks dcm2niix, if it is installed, whether its facts still hold.
func TestDiffusionFacts(t *testing.T) {
	var facts map[string]diffusionFacts
	data, err := os.ReadFile(filepath.Join("testdata", "diffusion.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &facts); err != nil {
		t.Fatal(err)
	}
	cases := diffusionCases()
	for name, want := range facts {
		if text := byDcm2niix(t, apptest.WriteDiffusion(t, cases[name])).differ(want); text != "" {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// byDcm2niix returns the facts of the file that dcm2niix makes of a folder.
func byDcm2niix(t *testing.T, dir string) diffusionFacts {
	t.Helper()
	program, err := exec.LookPath("dcm2niix")
	if err != nil {
		t.Skip("dcm2niix is not installed")
	}
	out := t.TempDir()
	if text, err := exec.CommandContext(t.Context(), program, "-z", "n", "-f", "out", "-o", out, dir).CombinedOutput(); err != nil {
		t.Fatalf("dcm2niix: %v: %s", err, text)
	}
	return factsOfDiffusion(t, filepath.Join(out, "out.nii"))
}
