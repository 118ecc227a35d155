package nifti

import (
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// The files next to a 4-D NIfTI file that hold the diffusion gradients of its volumes, by the
// convention of FSL and BIDS: NAME.bval one line of b-values in s/mm2, NAME.bvec three lines of
// components, along the voxel axes of NAME.nii, the first with the opposite sign if the
// determinant of the affine is positive.
const (
	bvalSuffix = ".bval"
	bvecSuffix = ".bvec"
)

// GradientFiles returns the names of the two files that belong to a NIfTI file.
func GradientFiles(name string) (bval, bvec string) {
	base := name
	for _, ext := range []string{".gz", ".nii"} {
		if strings.EqualFold(path.Ext(base), ext) {
			base = strings.TrimSuffix(base, path.Ext(base))
		}
	}
	return base + bvalSuffix, base + bvecSuffix
}

// maxGradients bounds the files: real ones have less than a hundredth.
const maxGradients = 1 << 20

// ReadGradients reads the files next to a file of so many volumes on a grid. It returns nil if there are none that can
// be used, and a finding if one is there and is not used.
func ReadGradients(fsys fs.FS, name string, volumes int, grid volume.Geometry) (*series.Gradients, []series.Finding) {
	bvalName, bvecName := GradientFiles(name)
	bval, err := readText(fsys, bvalName)
	if err != nil || bval == nil {
		return nil, unused(bvalSuffix, err)
	}
	bvec, err := readText(fsys, bvecName)
	g, found := ParseGradients(bval, bvec, volumes, grid)
	return g, append(found, unused(bvecSuffix, err)...)
}

// ParseGradients reads the text of the two files, the text of directions may be nil, for so many
// volumes on a grid. It returns nil for b-values that cannot be used, and a finding about what
// is not used.
func ParseGradients(bval, bvec []byte, volumes int, grid volume.Geometry) (*series.Gradients, []series.Finding) {
	weights, err := parseTable(bval)
	if err != nil {
		return nil, unused(bvalSuffix, err)
	}
	row := slices.Concat(weights...)
	if len(row) != volumes {
		return nil, unused(bvalSuffix, message.Errorf(message.InputDamaged, "it contains %d numbers for %d volumes", len(row), volumes))
	}
	g := &series.Gradients{Volumes: make([]series.Gradient, volumes), BVal: bval}
	for i, b := range row {
		g.Volumes[i].B = b
	}
	if bvec == nil {
		return g, nil
	}
	rows, err := parseTable(bvec)
	if err != nil {
		return g, unused(bvecSuffix, err)
	}
	at, ok := components(rows, volumes)
	if !ok {
		return g, unused(bvecSuffix, message.Errorf(message.InputDamaged, "it does not contain three lines of %d numbers", volumes))
	}
	g.BVec = bvec
	axes := gradientAxes(grid)
	for i := range g.Volumes {
		var d volume.Vec
		for k, axis := range axes {
			d = d.Add(axis.Scale(at(k, i)))
		}
		if n := d.Norm(); n > 0 && !math.IsInf(n, 0) { // false for NaN, which some programs write for b-value 0
			g.Volumes[i].Direction = d.Unit()
		}
	}
	return g, nil
}

// unused reports a file that is not used; nothing if there is no error.
func unused(suffix string, err error) []series.Finding {
	if err == nil {
		return nil
	}
	return []series.Finding{{Severity: series.Warning, Kind: series.Diffusion, Text: message.Text("The %s file beside it is not used: %v.", suffix, err)}}
}

// components returns how to get component k of volume i from three lines, or from a line for each
// volume, as some programs write.
func components(rows [][]float64, volumes int) (at func(k, i int) float64, ok bool) {
	all := func(n int) bool {
		for _, r := range rows {
			if len(r) != n {
				return false
			}
		}
		return true
	}
	switch {
	case len(rows) == 3 && all(volumes):
		return func(k, i int) float64 { return rows[k][i] }, true
	case len(rows) == volumes && all(3):
		return func(k, i int) float64 { return rows[i][k] }, true
	}
	return nil, false
}

// readText returns the content of a file; nil if there is none.
func readText(fsys fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	switch {
	case err != nil:
		return nil, nil //nolint:nilerr // most files have none next to them
	case !info.Mode().IsRegular():
		return nil, message.Errorf(message.InputDamaged, "it is no file")
	case info.Size() > maxGradients:
		return nil, message.Errorf(message.InputDamaged, "it is too large")
	}
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, message.Errorf(message.InputUnreadable, "it cannot be read")
	}
	return text, nil
}

// parseTable reads lines of numbers.
func parseTable(text []byte) (rows [][]float64, err error) {
	for _, line := range strings.Split(strings.ReplaceAll(string(text), "\r", "\n"), "\n") {
		var row []float64
		for _, word := range strings.Fields(line) {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				return nil, message.Errorf(message.InputDamaged, "%q is no number", word)
			}
			row = append(row, v)
		}
		if row != nil {
			rows = append(rows, row)
		}
	}
	if rows == nil {
		return nil, message.Errorf(message.InputForeign, "it is empty")
	}
	return rows, nil
}

// gradientAxes returns the unit vectors in the patient, LPS+, along which the components of
// directions in a .bvec file are.
func gradientAxes(g volume.Geometry) [3]volume.Vec {
	var axes [3]volume.Vec
	for c := range axes {
		axes[c] = g.Affine.Column(c).Unit()
	}
	if axes[0].Cross(axes[1]).Dot(axes[2]) > 0 {
		axes[0] = axes[0].Scale(-1)
	}
	return axes
}

// FormatGradients returns the two files for volumes on a grid. bvec is nil if no volume has a
// direction although some have a b-value: zeros would say that there is none.
func FormatGradients(g *series.Gradients, grid volume.Geometry) (bval, bvec []byte) {
	if g.BVal != nil {
		return g.BVal, g.BVec
	}
	bval = line(len(g.Volumes), func(i int) float64 { return g.Volumes[i].B })
	if g.Weighted() && !g.Directed() {
		return bval, nil
	}
	for _, axis := range gradientAxes(grid) {
		bvec = append(bvec, line(len(g.Volumes), func(i int) float64 { return g.Volumes[i].Direction.Dot(axis) })...)
	}
	return bval, bvec
}

// line formats numbers with 6 digits, as dcm2niix does.
func line(n int, at func(i int) float64) []byte {
	words := make([]string, n)
	for i := range words {
		v := at(i)
		if math.Abs(v) < 1e-9 {
			v = 0 // of rounding, and no negative zero
		}
		words[i] = strconv.FormatFloat(v, 'g', 6, 64)
	}
	return []byte(strings.Join(words, " ") + "\n")
}

// gradientMark returns what the header of a NIfTI file keeps of the two files that were written
// with it, in its name of an auxiliary file: by it the files are known from others of their names.
func gradientMark(bval, bvec []byte) string {
	return fmt.Sprintf("bval %06x bvec %06x", crc32.ChecksumIEEE(bval)>>8, crc32.ChecksumIEEE(bvec)>>8)
}
