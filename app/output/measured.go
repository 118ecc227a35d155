package output

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"quell/app/executor"
	"quell/app/job"
	"quell/app/judge"
	"quell/denoise/noise"
	"quell/denoise/verdict"
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

// verdictOfReport fills in the verdict and its figures. without is why there is none, if the result was not judged.
func verdictOfReport(v *dicom.ReportVolume, judged *judge.Measures, without string) {
	if judged == nil {
		v.Verdict = dicom.ReportJudgement{Verdict: string(verdict.Unknown), Why: without}
		return
	}
	v.Verdict = dicom.ReportJudgement{Verdict: string(judged.Judgement), Why: judged.Why.String()}
	for _, f := range judge.Shares(*judged) {
		v.Shares = append(v.Shares, dicom.ReportShare{Code: strings.ToUpper(f.Kind), Meaning: f.Label.String(), Value: f.Value, Low: f.Low, High: f.High})
	}
	v.Object = judged.ObjectSize
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
