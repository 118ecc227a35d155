package app

import (
	"quell/denoise"
	"quell/internal/message"
	"quell/io/dicom"
	"quell/series"
)

// A series is irregular where slices are missing, unevenly spaced or shifted by
// more than the decimals of DICOM positions explain (series.Series.Irregular).
// Its grid then has slices at places where nothing was measured.

// checkRecipe refuses a recipe that is wrong, that stabilises Rician noise where there
// is none, or that would treat the slices of an irregular series as evenly spaced
// neighbours, unless its evenly spaced parts are filtered by themselves.
func checkRecipe(s *series.Series, r denoise.Recipe, split bool) error {
	if err := r.Validate(); err != nil {
		return usage(err)
	}
	if s.Volume.Unit == "HU" && r.Get(denoise.Stabilise.Name).Float() > 0 {
		return Usagef("stabilise is for the Rician noise of MR magnitude images, and the series is a CT; leave it out")
	}
	if r.Dims == 3 && s.Irregular > 0 && !split {
		return &InputError{
			Problem: message.New(message.SlicesUneven, "the slices lie up to %.1f mm off even spacing, so a 3-D filter would mix voxels at wrong distances", s.Irregular),
			Advice:  message.Text("filter slice by slice (2-D), or on the command line in evenly spaced parts (--uneven split) or resampled (--uneven resample)"),
		}
	}
	return nil
}

// checkPositions refuses an output that would put the slices of an irregular
// series elsewhere: files of one volume store one spacing for all slices, and so
// does a new DICOM series.
func checkPositions(s *series.Series, format *Format) error {
	if s.Irregular == 0 || format.Identity && dicom.Derivable(s) {
		return nil
	}
	name := message.Verbatim(format.Name)
	if format.Folder() {
		name = message.Text("A new DICOM series")
	}
	return &InputError{
		Problem: message.New(message.SlicesUneven, "the slices are unevenly spaced or missing, and %s stores one spacing for all: slices would lie up to %.1f mm from where they were measured", name, s.Irregular),
		Advice:  message.Text("write a folder of DICOM, which keeps every position, find the missing files, or interpolate even slices on the command line (--uneven resample)"),
	}
}
