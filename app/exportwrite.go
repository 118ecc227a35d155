package app

import (
	"context"
	"fmt"
	"math"
	"path/filepath"

	"quell/io/atomic"
	"quell/io/dicom"
	"quell/io/nifti"
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
	series   *series.Series  // source of result, on the same grid; without voxels if result has some slices
	part     *series.Series  // source of those slices
	result   *volume.Volume  // of all slices, or of some
	first    bool            // result begins the volume
	complete bool            // of all
	derived  dicom.Derived   // without version and date
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

// prepare completes what the files of DICOM state, and returns warnings about it.
func (e *export) prepare(o ExportOptions) (warnings []string) {
	e.derived.Version, e.derived.Now, e.derived.Compress = Version(), o.Now, o.Compress
	if o.Deidentify {
		key, err := pseudonymKey()
		if err != nil {
			warnings = []string{fmt.Sprintf("The key of the pseudonyms cannot be stored (%v): another export of this patient gets other pseudonyms.", err)}
		}
		e.derived.Deidentify, e.derived.Secret = true, key
	}
	if !hasDICOM(e.series) && FormatNamed(e.series.Format).Identity {
		why := "The source's files have no instance UIDs"
		if e.series.Resampled != nil {
			why = "The slices are interpolated"
		}
		warnings = append(warnings, why+": the export is a new series without patient data.")
	}
	return warnings
}

// analyzeLoss warns of the positions that an Analyze file does not keep.
func analyzeLoss(g volume.Geometry) string {
	const visible = 0.1 // mm
	off := nifti.AnalyzeError(g)
	if off <= visible {
		return ""
	}
	return fmt.Sprintf("Analyze stores no orientation and no distant origin: other programs place voxels up to %.1f mm from their position; write NIfTI to keep it.", off)
}

// sameValues compares the volume to be written with what was read back, at the same
// position in the patient, because Analyze has an order of voxels of its own. Every
// voxel has to be within half a rescale step.
func sameValues(want *volume.Volume, back *series.Series) error {
	got := back.Volume
	w, g := want.View(volume.Axial), got.View(volume.Axial)
	if w.Size != g.Size {
		return fmt.Errorf("%s voxels became %s", DimsText(want.Dims), DimsText(got.Dims))
	}
	step := 0.0
	if len(back.Sources) == 1 {
		step = math.Abs(back.Sources[0].Slope)
	}
	var ws, gs []float32
	var mask []bool
	for z := range w.Size[2] {
		ws, gs, mask = w.Extract(ws, want, z), g.Extract(gs, got, z), w.ExtractMask(mask, want, z)
		for i, x := range ws {
			if mask != nil && !mask[i] {
				continue
			}
			// Values are float32 on both sides: two roundings on top of the step.
			slack := step/2 + 2.4e-7*math.Abs(float64(x))
			if d := math.Abs(float64(gs[i]) - float64(x)); !(d <= slack) {
				return fmt.Errorf("a voxel of slice %d is %v instead of %v", z+1, gs[i], x)
			}
		}
	}
	return nil
}
