// Package workbench is what the window keeps of the series that are open, without widgets: documents
// with their history and marks, previews, settings, autosave, and proposals for outputs. Only
// package ui and those below it import it.
package workbench

import (
	"quell/app/job"
	"quell/app/open"
	"quell/app/run"
	"quell/denoise"
	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// Document is the state behind one open series. Its methods are for one
// goroutine, the UI's. Work that takes time is done by functions that are safe
// for concurrent use (denoise.FactsOf, run.AddNoise, Denoise, judge.Measure); their
// results are passed in.
type Document struct {
	series    *series.Series
	reference *series.Series
	facts     denoise.Facts
	known     bool // facts is set
	noise     *job.AddedNoise
	run       *run.Run
	edits     History
}

// NewDocument returns the document of a series as opened.
func NewDocument(s *series.Series) *Document { return &Document{series: s} }

// Series returns the series that is filtered, with the noise that was added.
func (d *Document) Series() *series.Series { return d.series }

// Facts returns the facts of the series' values, with the noise that was given; false
// until SetFacts.
func (d *Document) Facts() (denoise.Facts, bool) {
	if given := d.GivenNoise(); given != nil && d.known {
		return d.facts.WithNoise(given.Sigma, given.Voxels), true
	}
	return d.facts, d.known
}

// GivenNoise returns the noise that was measured in a mark of the voxels that are shown, in
// the place of the estimate; nil for none.
func (d *Document) GivenNoise() *GivenNoise {
	if edit, _ := d.edits.Present(); edit.Noise != nil && edit.Noise.Of == d.series.Volume {
		return edit.Noise
	}
	return nil
}

// Estimated returns the facts with the noise as it was estimated; false until SetFacts.
func (d *Document) Estimated() (denoise.Facts, bool) { return d.facts, d.known }

// SetFacts takes the facts of v; it is ignored if the document
// shows another volume by then.
func (d *Document) SetFacts(v *volume.Volume, f denoise.Facts) {
	if v == d.series.Volume {
		d.facts, d.known = f, true
	}
}

// Noise returns the noise that was added; false if none was.
func (d *Document) Noise() (job.AddedNoise, bool) {
	if d.noise == nil {
		return job.AddedNoise{}, false
	}
	return *d.noise, true
}

// SetNoisy shows noisy, the result of run.AddNoise for this document's series; the
// clean original becomes the reference. The run is dropped.
func (d *Document) SetNoisy(noisy *series.Series, n job.AddedNoise) {
	clean := d.series
	if d.noise != nil { // noise is added to the original, not to noise
		clean = d.reference
	}
	d.series, d.reference, d.noise = noisy, clean, &n
	d.known, d.run = false, nil
}

// RemoveNoise shows the clean original again, without a reference; it does nothing
// if no noise was added.
func (d *Document) RemoveNoise() {
	if d.noise == nil {
		return
	}
	d.series, d.reference, d.noise = d.reference, nil, nil
	d.known, d.run = false, nil
}

// Clean returns the series without the noise that was added: what run.AddNoise
// starts from.
func (d *Document) Clean() *series.Series {
	if d.noise != nil {
		return d.reference
	}
	return d.series
}

// Reference returns the series that results are compared with, or nil.
func (d *Document) Reference() *series.Series { return d.reference }

// SetReference sets the reference, or removes it with nil. A reference that is
// not on the series' grid is refused.
func (d *Document) SetReference(ref *series.Series) error {
	if ref != nil {
		if err := open.SameGrid(d.series.Volume.Geometry, ref.Volume.Geometry); err != nil {
			return message.Errorf(message.GridDiffers, "the reference cannot be compared: %w", err)
		}
	}
	if d.noise != nil && ref != d.reference {
		return message.Errorf(message.GridDiffers, "the original is the reference while noise is added; remove the noise first")
	}
	d.reference = ref
	return nil
}

// Run returns the finished run that is shown, or nil.
func (d *Document) Run() *run.Run { return d.run }

// SetRun shows a run. It refuses one of another series, which finished late.
func (d *Document) SetRun(r *run.Run) bool {
	if r != nil && r.Source != d.series {
		return false
	}
	d.run = r
	return true
}

// Edits is the history of the recipes that were tried on this series, and of its marks.
func (d *Document) Edits() *History { return &d.edits }
