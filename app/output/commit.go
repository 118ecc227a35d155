package output

import (
	"context"
	"errors"
	"path/filepath"
	"syscall"

	"quell/app/files"
	"quell/app/job"
	"quell/internal/message"
	"quell/io/atomic"
	"quell/io/dicom"
	"quell/io/format"
	"quell/series"
	"quell/volume"
)

// writeError names the output in an error of a writer, which knows only the stage
// that it wrote to.
func writeError(out string, err error) error {
	var dcm *dicom.Error
	var number syscall.Errno
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &dcm):
		if dcm.Name != "" {
			return err // about a source file
		}
		named := *dcm
		named.Name = out
		return &named
	case errors.As(err, &number):
		return atomic.WriteError(out, err)
	}
	return message.Named(out, err)
}

// export is the content of one output of a volume or of some slices of it.
type export struct {
	series   *series.Series // source of result, on the same grid; without voxels if result has some slices
	part     *series.Series // source of those slices
	result   *volume.Volume // of all slices, or of some
	first    bool           // result begins the volume
	complete bool           // of all
	derived  format.Derived
	arrival  *volume.Arrival // of the voxels of result
}

// commit gives an output in a stage its name, together with its record, which may be nil,
// and returns the name of that.
func commit(ctx context.Context, stage *atomic.Stage, out string, o job.Options, record *Record) (recorded string, err error) {
	if record != nil {
		if o.Deidentify {
			record.deidentify()
		}
		recorded = out + files.RecordSuffix
		if stage.Inside() {
			recorded = filepath.Join(out, files.InsideRecord)
		}
		if err := record.save(stage.Path(filepath.Base(recorded))); err != nil {
			return "", writeError(out, err)
		}
	}
	if err := files.CheckExisting(out, o.Overwrite); err != nil {
		return "", err // another program wrote there meanwhile
	}
	names := files.Companions(out)
	if stage.Inside() {
		names = []string{files.InsideRecord}
	}
	if err := stage.Commit(ctx, names...); err != nil {
		return "", err
	}
	return recorded, nil
}
