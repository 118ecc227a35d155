package dicom

import (
	"context"

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
// run at a time. [SeriesWriter] writes the volumes of a 4-D series as one.
func Write(ctx context.Context, dir string, src *series.Series, result *volume.Volume, d derive.Derived, progress func(done, total int)) (derive.Report, error) {
	return writeOne(ctx, dir, progress, func(w *SeriesWriter) error { return w.Add(ctx, src, result, d) })
}

// WriteNew writes the volume of a series that has no DICOM source (one from
// NIfTI) into the folder dir, one Secondary Capture file per slice with position,
// orientation and spacing. Whole values that fit 16 bits are stored as they are;
// others are scaled into 16 bits with rescale slope and intercept, and the
// report says by how much that rounds. Masked voxels are stored as padding.
// Folder, progress and errors are as for Write.
func WriteNew(ctx context.Context, dir string, s *series.Series, d derive.Derived, progress func(done, total int)) (derive.Report, error) {
	return writeOne(ctx, dir, progress, func(w *SeriesWriter) error { return w.AddNew(ctx, s, d) })
}

// writeOne writes a series of one volume.
func writeOne(ctx context.Context, dir string, progress func(done, total int), add func(w *SeriesWriter) error) (derive.Report, error) {
	w, err := NewSeriesWriter(dir, 1, progress)
	if err != nil {
		return derive.Report{}, err
	}
	defer w.Discard()
	if err := add(w); err != nil {
		return derive.Report{}, err
	}
	return w.Close(ctx)
}
