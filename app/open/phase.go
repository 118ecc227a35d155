package open

import (
	"context"
	"math"

	"quell/app/job"
	"quell/denoise/phase"
	"quell/internal/message"
	"quell/series"
)

// phases are the phases of the volumes of a catalog, by which they are made real.
type phases struct {
	catalog *Catalog
	entries []int   // by the index in the 4-D series
	scale   float64 // radians of a step
}

// turns are the steps of a full turn: in radians, degrees and milliradians, and of 12, 13 and 16 bits.
var turns = []float64{2 * math.Pi, 360, 2000 * math.Pi, 1 << 12, 1 << 13, 1 << 16}

// addPhase opens the phase of the series that entry i of the catalog is in. Errors are *job.InputError.
func (c *Catalog) addPhase(ctx context.Context, path string, i int) error {
	p, err := Scan(ctx, path)
	if err != nil {
		return err
	}
	c.phase = &phases{catalog: p}
	in := job.Input{Path: path}
	if p.components("") != "" {
		in.Component = "phase"
	}
	selected, err := p.Select(in)
	if err != nil {
		return err
	}
	c.phase.entries = selected.Entries
	refuse := func(problem message.Message) error {
		return &job.InputError{Path: path, Problem: problem, Advice: message.Text("give the phase of the same series, in radians")}
	}
	if n := len(c.Members(i)); len(selected.Entries) != n {
		return refuse(message.New(message.GridDiffers, "it has %d volumes, and the series %d", len(selected.Entries), n))
	}
	first, err := p.Load(ctx, selected.Entries[0], nil)
	if err != nil {
		return err
	}
	if err := SameGrid(c.Entries[i].Geometry, first.Volume.Geometry); err != nil {
		return refuse(message.New(message.GridDiffers, "the phase is not on the grid of the series: %v", err))
	}
	lo, hi, err := first.Volume.Range(ctx)
	if err != nil {
		return err
	}
	for _, turn := range turns {
		if share := (float64(hi) - float64(lo)) / turn; share > 0.97 && share < 1.001 {
			c.phase.scale = 2 * math.Pi / turn
			return nil
		}
	}
	return refuse(message.Text("its values, from %g to %g, are no full turn in radians, degrees, milliradians, or steps of 12, 13 or 16 bits", lo, hi))
}

// of returns the phases of entries of catalog c.
func (p *phases) of(c *Catalog, entries []int) *Volumes {
	if p == nil {
		return nil
	}
	own := make([]int, len(entries))
	for k, i := range entries {
		own[k] = p.entries[c.Entries[i].GroupIndex]
	}
	return p.catalog.Volumes(own)
}

// real makes a series real by its phase.
func (p *phases) real(ctx context.Context, s, angles *series.Series) (*series.Series, error) {
	if err := SameGrid(s.Volume.Geometry, angles.Volume.Geometry); err != nil {
		return nil, &job.InputError{Path: p.catalog.Path, Problem: message.Of(err)}
	}
	v, err := phase.Real(ctx, s.Volume, angles.Volume, p.scale)
	if err != nil {
		return nil, err
	}
	made := *s
	made.Volume = v
	made.Findings = append(made.Findings[:len(made.Findings):len(made.Findings)], series.Finding{
		Severity: series.Note, Kind: series.Phase, Text: message.Text("The images are the real part of complex ones, of which the phase of the signal was taken out."),
	})
	return &made, nil
}
