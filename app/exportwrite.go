package app

import (
	"context"
	"path/filepath"

	"quell/io/atomic"
	"quell/io/format"
	"quell/series"
	"quell/volume"
)

// section returns the part of a series that a region of whole slices covers.
func section(s *series.Series, r volume.Region) *series.Series {
	if r == s.Volume.Bounds() {
		return s
	}
	part := *s
	part.Volume = s.Volume.Crop(r)
	if len(s.Sources) == s.Volume.Dims[2] {
		part.Sources = s.Sources[r.Min[2]:r.Max[2]]
	}
	return &part
}

// export is what is written to one output of a volume or of some slices of it.
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
func commit(ctx context.Context, stage *atomic.Stage, out string, o ExportOptions, record *Record) (recorded string, err error) {
	if record != nil {
		if o.Deidentify {
			record.deidentify()
		}
		recorded = out + recordSuffix
		if stage.Inside() {
			recorded = filepath.Join(out, insideRecord)
		}
		if err := record.save(stage.Path(filepath.Base(recorded))); err != nil {
			return "", writeError(out, err)
		}
	}
	if err := checkExisting(out, o.Overwrite); err != nil {
		return "", err // another program wrote there meanwhile
	}
	names := companions(out)
	if stage.Inside() {
		names = []string{insideRecord}
	}
	if err := stage.Commit(ctx, names...); err != nil {
		return "", err
	}
	return recorded, nil
}
