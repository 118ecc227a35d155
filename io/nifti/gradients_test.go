package nifti_test

import (
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"quell/io/nifti"
	"quell/series"
	"quell/volume"
)

// gridOf returns a grid with voxel axes along the given vectors, LPS+.
func gridOf(x, y, z volume.Vec) volume.Geometry {
	var a volume.Affine
	for c, v := range []volume.Vec{x, y, z} {
		a.SetColumn(c, v)
	}
	return volume.FromAffine([3]int{4, 3, 2}, a)
}

// TestGradientFilesNames: NAME.bval and NAME.bvec, whatever the case of the ending.
func TestGradientFilesNames(t *testing.T) {
	for name, want := range map[string]string{"a/dwi.nii": "a/dwi", "a/dwi.nii.gz": "a/dwi", "DWI.NII.GZ": "DWI", "x.y.nii": "x.y"} {
		if b, v := nifti.GradientFiles(name); b != want+".bval" || v != want+".bvec" {
			t.Errorf("%s: %s, %s", name, b, v)
		}
	}
}

// TestFormatGradients writes components along the voxel axes, the first with the other sign if
// the determinant is positive.
func TestFormatGradients(t *testing.T) {
	x, y, z := volume.Vec{2, 0, 0}, volume.Vec{0, 3, 0}, volume.Vec{0, 0, 4}
	g := &series.Gradients{Volumes: []series.Gradient{{}, {B: 1000, Direction: volume.Vec{0.36, 0.48, 0.8}}, {B: 2995.5, Direction: volume.Vec{1, 0, 0}}}}
	for name, c := range map[string]struct {
		grid volume.Geometry
		bvec string
	}{
		"right-handed": {gridOf(x, y, z), "0 -0.36 -1\n0 0.48 0\n0 0.8 0\n"},
		"left-handed":  {gridOf(x, y.Scale(-1), z), "0 0.36 1\n0 -0.48 0\n0 0.8 0\n"},
		"turned":       {gridOf(y, z, x), "0 -0.48 0\n0 0.8 0\n0 0.36 1\n"},
	} {
		bval, bvec := nifti.FormatGradients(g, c.grid)
		if string(bval) != "0 1000 2995.5\n" || string(bvec) != c.bvec {
			t.Errorf("%s:\n%s%s", name, bval, bvec)
		}
	}
	// Without any direction there is no .bvec, unless nothing is weighted.
	if bval, bvec := nifti.FormatGradients(&series.Gradients{Volumes: []series.Gradient{{B: 0}, {B: 700}}}, gridOf(x, y, z)); string(bval) != "0 700\n" || bvec != nil {
		t.Errorf("no directions: %q, %q", bval, bvec)
	}
	if _, bvec := nifti.FormatGradients(&series.Gradients{Volumes: []series.Gradient{{}, {}}}, gridOf(x, y, z)); string(bvec) != "0 0\n0 0\n0 0\n" {
		t.Errorf("nothing weighted: %q", bvec)
	}
	// Files that were read are copied.
	g.BVal, g.BVec = []byte("0\t1e3 2995.5 \r\n"), []byte("x")
	if bval, bvec := nifti.FormatGradients(g, gridOf(x, y, z)); string(bval) != string(g.BVal) || string(bvec) != "x" {
		t.Errorf("copied: %q, %q", bval, bvec)
	}
}

// TestReadGradients reads what lies next to a file, and says what cannot be used.
func TestReadGradients(t *testing.T) {
	grid := gridOf(volume.Vec{2, 0, 0}, volume.Vec{0, 3, 0}, volume.Vec{0, 0, 4})
	const bval, bvec = "0 1000 1000 5\n", "0 1 0 nan\n0 0 2 nan\n0 0 0 nan\n"
	for name, c := range map[string]struct {
		files    map[string]string
		weighted bool
		directed bool
		finding  string
	}{
		"nothing":             {nil, false, false, ""},
		"both":                {map[string]string{"dwi.bval": bval, "dwi.bvec": bvec}, true, true, ""},
		"carriage returns":    {map[string]string{"dwi.bval": "0 1000 1000 5\r", "dwi.bvec": strings.ReplaceAll(bvec, "\n", "\r\n")}, true, true, ""},
		"a line each":         {map[string]string{"dwi.bval": "0\n1000\n1e3\n5", "dwi.bvec": "0 0 0\n1 0 0\n0 1 0\n0 0 0"}, true, true, ""},
		"b-values alone":      {map[string]string{"dwi.bval": bval}, true, false, ""},
		"directions alone":    {map[string]string{"dwi.bvec": bvec}, false, false, ""},
		"too few":             {map[string]string{"dwi.bval": "0 1000 1000", "dwi.bvec": bvec}, false, false, "The .bval file beside it is not used: it contains 3 numbers for 4 volumes."},
		"too many":            {map[string]string{"dwi.bval": "0 1000 1000 5 5"}, false, false, "The .bval file beside it is not used: it contains 5 numbers for 4 volumes."},
		"words":               {map[string]string{"dwi.bval": "0 a b 5"}, false, false, `The .bval file beside it is not used: "a" is no number.`},
		"empty":               {map[string]string{"dwi.bval": "\n"}, false, false, "The .bval file beside it is not used: it is empty."},
		"large":               {map[string]string{"dwi.bval": bval + strings.Repeat(" ", 1<<20)}, false, false, "The .bval file beside it is not used: it is too large."},
		"two lines of bvec":   {map[string]string{"dwi.bval": bval, "dwi.bvec": "0 1 0 0\n0 0 1 0\n"}, true, false, "The .bvec file beside it is not used: it does not contain three lines of 4 numbers."},
		"lines of 3":          {map[string]string{"dwi.bval": bval, "dwi.bvec": "0 1 0\n0 0 1\n0 0 0\n"}, true, false, "The .bvec file beside it is not used: it does not contain three lines of 4 numbers."},
		"bvec of words":       {map[string]string{"dwi.bval": bval, "dwi.bvec": "x"}, true, false, `The .bvec file beside it is not used: "x" is no number.`},
		"of another file":     {map[string]string{"other.bval": bval, "other.bvec": bvec}, false, false, ""},
		"of the largest size": {map[string]string{"dwi.bval": bval + strings.Repeat(" ", 1<<20-len(bval))}, true, false, ""},
	} {
		fsys := fstest.MapFS{}
		for file, text := range c.files {
			fsys[file] = &fstest.MapFile{Data: []byte(text)}
		}
		g, found := nifti.ReadGradients(fsys, "dwi.nii.gz", 4, grid)
		if (g != nil) != c.weighted || g != nil && (g.Directed() != c.directed || (g.BVec != nil) != c.directed || string(g.BVal) != c.files["dwi.bval"]) {
			t.Errorf("%s: %+v", name, g)
		}
		text := ""
		if len(found) > 0 {
			text = found[0].Text.String()
		}
		if text != c.finding || len(found) > 1 || text != "" && (found[0].Kind != series.Diffusion || found[0].Severity != series.Warning) {
			t.Errorf("%s: %v, want %q", name, found, c.finding)
		}
		if c.directed {
			// The first voxel axis is reversed, since the grid is right-handed; NaN is none.
			want := []series.Gradient{{}, {B: 1000, Direction: volume.Vec{-1, 0, 0}}, {B: 1000, Direction: volume.Vec{0, 1, 0}}, {B: 5}}
			for i, v := range g.Volumes {
				if v.B != want[i].B || !(v.Direction.Sub(want[i].Direction).Norm() < 1e-9) || math.IsNaN(v.Direction[0]) {
					t.Errorf("%s: volume %d: %+v, want %+v", name, i, v, want[i])
				}
			}
		}
	}
}
