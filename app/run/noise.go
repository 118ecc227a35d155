package run

import (
	"context"

	"quell/app/job"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/series"
)

// AddNoise returns a copy of a series with noise in its voxels. The same seed
// gives the same values on every machine. Safe for concurrent use.
func AddNoise(ctx context.Context, s *series.Series, n job.AddedNoise) (*series.Series, error) {
	if err := n.Validate(); err != nil {
		return nil, err
	}
	noisy, err := noise.AddNoise(ctx, s.Volume, n.Model, n.Sigma, n.Seed)
	if err != nil {
		return nil, err
	}
	out := *s
	out.Volume = noisy
	out.Findings = append([]series.Finding(nil), s.Findings...)
	out.Findings = append(out.Findings, series.Finding{Severity: series.Note, Kind: series.Noise, Text: message.Text("Holds added %s.", n)})
	return &out, nil
}
