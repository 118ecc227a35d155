package run

import (
	"quell/app/job"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/series"
)

// A series is irregular if slices are missing, unevenly spaced or shifted by more
// than the decimals of DICOM positions explain (series.Series.Irregular). Its grid
// then has slices at places at which nothing was measured.

// CheckRecipe refuses a recipe that is wrong, that stabilises Rician noise although there
// is none, or that would treat the slices of an irregular series as evenly spaced
// neighbours, unless its evenly spaced parts are filtered by themselves.
func CheckRecipe(s *series.Series, r denoise.Recipe, split bool) error {
	if err := r.Validate(); err != nil {
		return job.Usage(err)
	}
	if _, ct := noise.Hounsfield(s.Volume); ct && r.Get(denoise.Stabilise.Name).Float() > 0 {
		return job.Usagef("stabilise is for the Rician noise of MR magnitude images, and the series is a CT; leave it out")
	}
	if r.Dims == 3 && s.Irregular > 0 && !split {
		return &job.InputError{
			Problem: message.New(message.SlicesUneven, "the slices lie up to %.1f mm off even spacing, so a 3-D filter would mix voxels at wrong distances", s.Irregular),
			Advice:  message.Text("filter slice by slice (2-D), or on the command line in evenly spaced parts (--uneven split) or resampled (--uneven resample)"),
		}
	}
	return nil
}
