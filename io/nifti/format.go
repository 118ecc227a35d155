package nifti

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"quell/internal/message"
	"quell/internal/regular"
	"quell/io/format"
	"quell/io/raster"
	"quell/io/spool"
	"quell/series"
	"quell/volume"
)

// Format is NIfTI, and Analyze a pair of Analyze 7.5, which Open reads too.
var (
	Format  = newFormat()
	Analyze = newAnalyze()
)

func newFormat() format.Format {
	f := raster.FileFormat("NIfTI", [][2]string{{".nii.gz", ".nii.gz"}, {".nii", ".nii"}, {".nii.zst", ".nii.gz"}, {".nii.bz2", ".nii.gz"}}, Sniff, Open, Make, descriptionIn)
	f.Components, f.Endings = true, []string{".nii", ".nii.gz"} // the plain one first, as all texts have it
	f.Beside = func(path string) []string {
		bval, bvec := GradientFiles(path)
		return []string{bval, bvec}
	}
	f.Scan, f.Foreign = scan, foreignGradients
	return f
}

func newAnalyze() format.Format {
	f := raster.FileFormat("Analyze", [][2]string{{".hdr.gz", ".hdr"}, {".hdr", ".hdr"}}, nil, Open, Make, descriptionIn)
	f.Proposed, f.Frames, f.Streams, f.Components = "", false, false, true
	f.Waiting = func(string) int { return spool.VoxelBytes }
	f.Scan, f.Voxels, f.Second = scan, ".img", imagePath
	return f
}

// scan is Scan of both. The volumes of a 4-D series lie along the b-values in the .bval file next to it, if there is one.
func scan(ctx context.Context, fsys fs.FS, names []string) (*format.Found, error) {
	found, err := Open.Scan(ctx, fsys, names)
	if err != nil || found.Entries[0].Group == nil {
		return found, err
	}
	gradients, more := ReadGradients(fsys, names[0], found.Entries[0].Group.Len(), found.Entries[0].Geometry)
	for i := range found.Entries {
		e := &found.Entries[i]
		e.Findings = slices.Concat(e.Findings, more)
		if gradients != nil {
			e.Group.Gradients = gradients
			weights := strings.Fields(string(gradients.BVal)) // as the file has them
			e.Group.Places[e.GroupIndex] = series.Place{{Axis: "b-value", Value: weights[e.GroupIndex], Unit: "s/mm2"}}
		}
	}
	return found, nil
}

// foreignGradients returns the diffusion gradients next to a NIfTI file that were not written
// with it.
func foreignGradients(path string) string {
	bval, bvec := GradientFiles(path)
	texts, there := [2][]byte{}, [2]bool{}
	for i, name := range []string{bval, bvec} {
		_, err := os.Lstat(name)
		there[i] = err == nil
		texts[i], _ = regular.ReadFile(name) // nil if it cannot be read
	}
	if !there[0] && !there[1] {
		return ""
	}
	mark, err := auxiliaryIn(raster.HostFolder(filepath.Dir(path)), filepath.Base(path))
	known, now := strings.Fields(mark), strings.Fields(gradientMark(texts[0], texts[1]))
	for i, name := range []string{bval, bvec} {
		if there[i] && (err != nil || len(known) != len(now) || known[2*i+1] != now[2*i+1]) {
			return name
		}
	}
	return ""
}

// descriptionIn returns the description in the header of a file, whether or not its
// voxels are there.
func descriptionIn(fsys fs.FS, name string) (string, error) {
	h, err := headerIn(fsys, name)
	if err != nil {
		return "", err
	}
	return text(h.descrip[:]), nil
}

// auxiliaryIn returns the name of an auxiliary file in the header of a file, see
// [gradientMark].
func auxiliaryIn(fsys fs.FS, name string) (string, error) {
	h, err := headerIn(fsys, name)
	if err != nil {
		return "", err
	}
	return text(h.auxFile[:]), nil
}

func headerIn(fsys fs.FS, name string) (*header, error) {
	s, err := raster.OpenFile(fsys, name)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	h, err := parseHeader(s)
	if err != nil {
		return nil, raster.ReadError(err)
	}
	return h, nil
}

// rasterLayout returns what the header says of the voxels.
func (h *header) rasterLayout() (raster.Layout, error) {
	var l raster.Layout
	dt, err := datatypeByCode(h.datatype)
	if err != nil {
		return l, err
	}
	offset, findings, err := h.dataOffset()
	if err != nil {
		return l, err
	}
	l.Slope = 1
	if !dt.Colours() { // nifti1.h: colours are not scaled
		var scaled []series.Finding
		if l.Slope, l.Inter, scaled, err = h.scaling(); err != nil {
			return l, err
		}
		findings = append(findings, scaled...)
	}
	geometry, placed := h.geometry()
	l.Meta, l.Geometry, l.Volumes, l.Datatype, l.Order, l.Offset = h.meta(), geometry, int(h.volumes()), dt, h.order, offset
	l.Findings = append(findings, placed...)
	l.Start, l.Step = h.times()
	if h.single {
		l.Between = h.readExtensions
	}
	return l, nil
}

// readExtensions reads the extensions of a single file, the bytes between the header
// and the voxels at offset.
func (h *header) readExtensions(file *raster.File, offset int64) []series.Finding {
	size := offset - file.At()
	if size > maxExtensions {
		return []series.Finding{{Severity: series.Note, Kind: series.Header, Text: message.Text("The header's extensions are too large; they are ignored.")}}
	}
	var b bytes.Buffer
	if file.Holds(offset) { // else it is compressed
		b.Grow(int(size) + bytes.MinRead)
	}
	// An error is returned again when the voxels are read.
	_, _ = b.ReadFrom(io.LimitReader(file, size))
	return h.parseExtensions(b.Bytes())
}

// times returns when the first volume was acquired and the time between volumes, in
// seconds; 0, 0 if the header does not say, or if volumes have a fifth dimension.
func (h *header) times() (start, step float64) {
	const seconds, milliseconds, microseconds = 8, 16, 24
	unit, ok := map[int64]float64{seconds: 1, milliseconds: 1e-3, microseconds: 1e-6}[h.xyztUnits&0x38]
	if h.format == analyze75 || !ok || h.dim[4] != h.volumes() || !(h.pixdim[4] > 0) || math.IsInf(h.pixdim[4]+h.toffset, 0) || math.IsNaN(h.toffset) {
		return 0, 0
	}
	return h.toffset * unit, h.pixdim[4] * unit
}

// meta returns the header's fields for display.
func (h *header) meta() series.Meta {
	m := series.Meta{Format: h.format.String(), Description: text(h.descrip[:])}
	if w := h.calMax - h.calMin; h.format != analyze75 && w > 0 && !math.IsInf(w, 0) {
		m.Windows = []volume.Window{{Center: h.calMin + w/2, Width: w, Name: "file"}}
	}
	return m
}
