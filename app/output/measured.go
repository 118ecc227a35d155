package output

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"quell/app/executor"
	"quell/app/job"
	"quell/app/judge"
	"quell/denoise/lesions"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/internal/message"
	"quell/io/dicom"
)

// measured is the measurement report about a result. The methods of nil do nothing.
type measured struct {
	volumes []dicom.ReportVolume
	even    evenNoise // of the volume in work
}

// slab measures the next slices, and with the last of a volume takes its verdict.
func (m *measured) slab(ctx context.Context, s *executor.Slab) error {
	if m == nil {
		return nil
	}
	if s.First {
		m.even = evenNoise{}
	}
	facts, err := s.Part.Run.FindFacts(ctx)
	if err != nil {
		return err
	}
	even, err := evenNoiseOf(ctx, s.Part.Run, facts)
	if err != nil {
		return err
	}
	m.even = m.even.plus(even)
	if !s.Last {
		return nil
	}
	v := dicom.ReportVolume{Unit: s.Whole.Source.Volume.Unit, Recipe: s.Whole.Run.Resolved.String(), Squares: m.even.n}
	if why := m.even.unknown(); why != "" {
		why = "Not given: " + why + "."
		v.Before.Unknown, v.After.Unknown = why, why
	} else {
		v.Before.Value, v.After.Value = m.even.sds()
	}
	judged, why := s.Outcome.Measures, "The result was not judged."
	if s.Whole.Run.Parts != nil {
		why = executor.SplitWhy
	}
	noiseOfReport(&v, facts.Noise.Figure, judged)
	verdictOfReport(&v, judged, why)
	m.volumes = append(m.volumes, v)
	return nil
}

// noiseOfReport fills in the noise of the source: that of the verdict, which knows slabs and noise maps, or else found.
func noiseOfReport(v *dicom.ReportVolume, found noise.Figure, judged *judge.Measures) {
	if judged != nil {
		found.Sigma, found.Low, found.High, found.Confidence = judged.Sigma, judged.SigmaLow, judged.SigmaHigh, judged.SigmaConfidence
	}
	v.Noise.Value, v.Confidence = found.Sigma, string(found.Confidence)
	if unknown := found.Sentence(); !unknown.IsZero() {
		v.Noise = dicom.ReportFigure{Unknown: unknown.String()}
	}
}

// verdictOfReport fills in the verdict and what is left of virtual lesions. without is why there is none, if the result
// was not judged.
func verdictOfReport(v *dicom.ReportVolume, judged *judge.Measures, without string) {
	unknown := func(why string) dicom.ReportJudgement {
		return dicom.ReportJudgement{Verdict: string(tune.Unknown), Why: why}
	}
	if judged == nil {
		v.Kept.Unknown = without
		v.Verdict, v.Error, v.Visibility = unknown(without), unknown(without), unknown(without)
		return
	}
	v.Verdict = dicom.ReportJudgement{Verdict: string(judged.Verdict), Why: judged.Why.String()}
	v.Error = v.Verdict
	seen := judged.Visibility
	if seen == nil {
		v.Kept.Unknown = "No virtual lesions were put into the series."
		v.Visibility = unknown(v.Kept.Unknown)
		return
	}
	v.Error = dicom.ReportJudgement{Verdict: string(seen.Error), Why: seen.ErrorWhy.String()}
	v.Visibility = dicom.ReportJudgement{Verdict: string(seen.Verdict), Why: seen.Why.String()}
	safe := smallestSafe(seen.Rows)
	if safe == nil {
		v.Kept.Unknown = seen.Why.String()
		return
	}
	v.Kept.Value = safe.Kept.Value
	v.Lesion = &dicom.ReportLesion{Size: safe.Size, Contrast: safe.Contrast, Sigmas: safe.Sigmas, Low: safe.Kept.Lo, High: safe.Kept.Hi}
}

// smallestSafe returns the smallest lesion that was visible before and is spared, as all larger ones are that were
// visible; of several of one size the one that keeps least. It is nil if the largest is not spared, or none was visible.
func smallestSafe(rows []lesions.Row) (safe *lesions.Row) {
	visible := slices.DeleteFunc(slices.Clone(rows), func(r lesions.Row) bool { return !r.Visible() })
	slices.SortStableFunc(visible, func(a, b lesions.Row) int {
		return cmp.Or(cmp.Compare(b.Size, a.Size), cmp.Compare(b.Kept.Value, a.Kept.Value))
	})
	unsafe := 0.0 // size of the largest that is not spared
	for _, r := range visible {
		if r.Verdict() != lesions.Spared {
			unsafe = max(unsafe, r.Size)
		}
	}
	for i, r := range visible {
		if r.Size > unsafe {
			safe = &visible[i]
		}
	}
	return safe
}

// write writes the report about the series about into path and reads it back.
func (m *measured) write(about dicom.Written, path string, now time.Time) (n int, err error) {
	if m == nil {
		return 0, nil
	}
	r := dicom.Report{Header: about.Header, Version: job.Version(), Now: now}
	for k, v := range m.volumes {
		v.Name = fmt.Sprintf("Volume %d of %d", k+1, len(m.volumes))
		v.Source, v.Result = about.Volumes[k].Source, about.Volumes[k].Result
		r.Volumes = append(r.Volumes, v)
	}
	file, err := r.Encode()
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(path, file, 0o666); err != nil { //nolint:gosec // as its neighbours; the umask narrows it
		return 0, err
	}
	read, err := os.ReadFile(path)
	if err == nil && !bytes.Equal(read, file) {
		err = message.Errorf(message.OutputDiffers, "the measurement report was read back and differs from what was to be written; check the disk, or choose another place")
	}
	return 1, err
}

// discard drops what was measured.
func (m *measured) discard() {
	if m != nil {
		*m = measured{}
	}
}
