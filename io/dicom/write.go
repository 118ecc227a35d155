package dicom

import (
	"context"
	"math"

	"quell/io/dicom/derive"
	"quell/series"
	"quell/volume"
)

// Write writes result, which lies on the grid of src.Volume, as a series derived from the
// files of src into the folder dir: one file for each of src's, named IM00001.dcm and so
// on along the slice normal, with the frames of the volume alone. Multi-frame images and
// mosaics stay what they are. The transfer syntax is that of the source, explicit little
// endian if the source is compressed, or the compression that d asks for. src may hold a
// run of the slices that were loaded (of a mosaic all); src.Sources must fit src.Volume.
// The source files are read again and never written to.
//
// Values are stored as round((v - intercept) / slope), clipped to the stored bits; masked
// voxels keep the bits of the source. The same source, recipe, result and encoding, and
// secret if the series is de-identified, give the same UIDs; another encoding is another
// series of other instances.
//
// Write creates the folder dir, which must not exist; package atomic moves it to its
// place. Every file is read back and compared, and after an error dir is removed. progress
// may be nil; it is called from one goroutine at a time and counts files written and files
// read back. The error is the context's, an *Error that names a source file, an *Error
// without a name if what was read back differs, or the file system's. Several exports may
// run at a time.
func Write(ctx context.Context, dir string, src *series.Series, result *volume.Volume, d derive.Derived, progress func(done, total int)) (derive.Report, error) {
	if err := derive.CheckResult(src, result, d.Compress); err != nil {
		return derive.Report{}, err
	}
	series, err := derive.New(ctx, src, result, d)
	if err != nil {
		return derive.Report{}, err
	}
	w := newSeriesWriter(derive.SliceFiles(src.Sources), progress)
	w.report.SeriesUID = series.UID
	w.start = func() fileMaker {
		var b derive.Buffers
		return func(k int) ([]byte, [][]byte, error) { return series.File(k, w.files[k], &b) }
	}
	positions := make([]volume.Vec, len(src.Sources))
	for z, from := range src.Sources {
		positions[z] = from.Position
	}
	if err := w.run(ctx, dir, positions); err != nil {
		return derive.Report{}, err
	}
	w.report.Clipped = series.Clipped
	w.report.Warnings = series.Warnings()
	return w.report, nil
}

// WriteNew writes the volume of a series that has no DICOM source (one from
// NIfTI) into the folder dir, one Secondary Capture file per slice with position,
// orientation and spacing. Whole values that fit 16 bits are stored as they are;
// others are scaled into 16 bits with rescale slope and intercept, and the
// report says by how much that rounds. Masked voxels are stored as padding.
// Folder, progress and errors are as for Write.
func WriteNew(ctx context.Context, dir string, s *series.Series, d derive.Derived, progress func(done, total int)) (derive.Report, error) {
	v := s.Volume
	n, err := derive.NewSecondaryCaptures(ctx, dir, s, d)
	if err != nil {
		return derive.Report{}, err
	}
	files := make([][]int, v.Dims[2])
	for k := range files {
		files[k] = []int{k}
	}
	w := newSeriesWriter(files, progress)
	w.report.SeriesUID = n.UID
	// Files are numbered along row x column, which a left-handed grid runs
	// against.
	backwards := v.Affine.Det() < 0
	along := func(k int) int {
		if backwards {
			return v.Dims[2] - 1 - k
		}
		return k
	}
	positions := make([]volume.Vec, v.Dims[2])
	for k := range positions {
		positions[k] = v.Affine.Apply(0, 0, float64(along(k)))
	}
	w.start = func() fileMaker {
		return func(k int) ([]byte, [][]byte, error) {
			pixels := n.Pixels(along(k))
			return n.File(k, positions[k], pixels), [][]byte{pixels}, nil
		}
	}
	if err := w.run(ctx, dir, positions); err != nil {
		return derive.Report{}, err
	}
	if n.Format.Slope != 1 || n.Format.Intercept != math.Trunc(n.Format.Intercept) {
		w.warn("Values are scaled into 16 bits; each is within %.3g of what it was.", n.Format.Slope/2)
	}
	return w.report, nil
}
