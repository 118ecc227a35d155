package output

import (
	"context"
	"fmt"

	"quell/app/executor"
	"quell/app/files"
	"quell/app/job"
	"quell/app/run"
	"quell/denoise/noise"
	"quell/io/dicom"
	"quell/io/format"
	"quell/series"
	"quell/volume"
)

// removedOf returns what was removed in a slab, the source less the result, as it is written.
func removedOf(s *executor.Slab) (export, error) {
	e, err := exportOf(s)
	part := e.series
	if e.part != nil {
		part = e.part
	}
	removed := *e.result
	removed.Data = make([]float32, len(e.result.Data))
	for i, u := range e.result.Data {
		removed.Data[i] = part.Volume.Data[i] - u
	}
	e.result = &removed
	e.derived = format.Derived{
		Description: removedText(s.Whole.Run),
		Suffix:      "[Quell removed noise]",
		Code:        format.Code(dicom.Subtraction),
	}
	return e, err
}

// removedText and noiseMapText say how what was removed and a noise map were made.
func removedText(r *run.Run) string {
	return "Noise that was removed: input less result. " + describe(r)
}

func noiseMapText() string {
	return fmt.Sprintf("Noise map (standard deviation) estimated by Quell %s. Not for clinical use.", job.Version())
}

// removedOptions are the options of the output for what was removed: the options of
// the result, as far as they suit it. Values that are rounded to whole numbers
// would say little, so that NIfTI holds them as they are.
func removedOptions(out string, o job.Options) job.Options {
	o.Dtype = ""
	if !files.Identified(out) {
		o.Compress, o.Deidentify = "", false
	}
	return o
}

// WriteNoiseMap writes the noise of every voxel of a series, which of returns, to out, as Convert does.
func WriteNoiseMap(ctx context.Context, s *series.Series, of func() (*volume.Volume, noise.Estimate, error), out string, o job.Options, events job.Events) (job.Written, noise.Estimate, error) {
	if err := Check(s, out, o); err != nil { // before the work
		return job.Written{}, noise.Estimate{}, err
	}
	sigma, e, err := of()
	if err != nil {
		return job.Written{}, e, err
	}
	report, err := save(ctx, s, sigma, format.Derived{
		Description: noiseMapText(),
		Suffix:      "[Quell noise map]",
		Code:        format.Code(dicom.NoiseMapping),
	}, out, o, events)
	return report, e, err
}
