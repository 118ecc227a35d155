package app

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// gridTolerance is how far, in mm, two grids may lie apart and still be
// compared voxel by voxel: less than any voxel, more than a writer's rounding.
const gridTolerance = 0.01

// Document is the state behind one open series. Its methods are for one
// goroutine, the UI's. Work that takes time is done by functions that are safe
// for concurrent use (denoise.FactsOf, AddNoise, Denoise, MeasureRun); their
// results are passed in.
type Document struct {
	series    *series.Series
	reference *series.Series
	facts     denoise.Facts
	known     bool // facts is set
	noise     *Noise
	run       *Run
	edits     History
}

// Noise is noise that was added in the workbench.
type Noise struct {
	Model noise.Model `json:"model"`
	Sigma float64     `json:"sigma"`
	Seed  uint64      `json:"seed"`
}

// AsMessage returns "gaussian noise, sigma 20, seed 1".
func (n Noise) AsMessage() message.Message {
	return message.Text("%s noise, sigma %g, seed %d", n.Model, n.Sigma, n.Seed)
}

// String returns the message in English.
func (n Noise) String() string { return n.AsMessage().String() }

// Validate returns a UsageError for noise that cannot be added.
func (n Noise) Validate() error {
	models := noise.Models()
	if !slices.Contains(models, n.Model) {
		return Usagef("no noise model is called %q; there are %s and %s", n.Model, models[0], models[1])
	}
	if !(n.Sigma >= 0) || math.IsInf(n.Sigma, 0) {
		return Usagef("a noise sigma of %g is not possible; give 0 or more", n.Sigma)
	}
	return nil
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

// SetFacts takes the result of denoise.FactsOf for v; it is ignored where the
// document shows another volume by then.
func (d *Document) SetFacts(v *volume.Volume, f denoise.Facts) {
	if v == d.series.Volume {
		d.facts, d.known = f, true
	}
}

// Noise returns the noise that was added; false where none was.
func (d *Document) Noise() (Noise, bool) {
	if d.noise == nil {
		return Noise{}, false
	}
	return *d.noise, true
}

// SetNoisy shows noisy, the result of AddNoise for this document's series; the
// clean original becomes the reference. The run is dropped.
func (d *Document) SetNoisy(noisy *series.Series, n Noise) {
	clean := d.series
	if d.noise != nil { // noise is added to the original, not to noise
		clean = d.reference
	}
	d.series, d.reference, d.noise = noisy, clean, &n
	d.known, d.run = false, nil
}

// RemoveNoise shows the clean original again, without a reference; it does
// nothing where no noise was added.
func (d *Document) RemoveNoise() {
	if d.noise == nil {
		return
	}
	d.series, d.reference, d.noise = d.reference, nil, nil
	d.known, d.run = false, nil
}

// Clean returns the series without the noise that was added: what AddNoise
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
		if err := SameGrid(d.series.Volume.Geometry, ref.Volume.Geometry); err != nil {
			return message.Errorf(message.GridDiffers, "the reference cannot be compared: %w", err)
		}
	}
	if d.noise != nil && ref != d.reference {
		return message.Errorf(message.GridDiffers, "the clean original is the reference while noise is added; remove the noise first")
	}
	d.reference = ref
	return nil
}

// SameGrid returns an error where two grids cannot be compared voxel by voxel.
func SameGrid(a, b volume.Geometry) error {
	if a.Dims != b.Dims {
		return message.Errorf(message.GridDiffers, "one is %s voxels, the other %s", DimsText(a.Dims), DimsText(b.Dims))
	}
	if !a.SameGrid(b, gridTolerance) {
		return message.Errorf(message.GridDiffers, "the dims agree but the positions differ by more than %g mm", gridTolerance)
	}
	return nil
}

// DimsText returns "4 x 5 x 6".
func DimsText(d [3]int) string { return fmt.Sprintf("%d x %d x %d", d[0], d[1], d[2]) }

// Run returns the finished run that is shown, or nil.
func (d *Document) Run() *Run { return d.run }

// SetRun shows a run. It refuses one of another series, which finished late.
func (d *Document) SetRun(r *Run) bool {
	if r != nil && r.Source != d.series {
		return false
	}
	d.run = r
	return true
}

// Edits is the history of the recipes that were tried on this series, and of its marks.
func (d *Document) Edits() *History { return &d.edits }

// AddNoise returns a copy of a series with noise in its voxels. The same seed
// gives the same values on every machine. Safe for concurrent use.
func AddNoise(ctx context.Context, s *series.Series, n Noise) (*series.Series, error) {
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

// ProposeRecipe returns the recipe to start a series with: the one last used for
// the filter ("" means the first), else the filter's defaults. Parameters in the
// volume's unit, such as strengths, start at their defaults: they were right for
// the noise of another series. So was the last dimensionality for its slices: the
// recipe has that of ProposeDims.
func ProposeRecipe(s *series.Series, remembered map[string]denoise.Recipe, filter string) (denoise.Recipe, error) {
	if filter == "" {
		filter = denoise.Filters()[0].Name
	}
	dims, err := ProposeDims(s, filter)
	if err != nil {
		return denoise.Recipe{}, err
	}
	if r, ok := remembered[filter]; ok && r.Validate() == nil {
		r = withoutUnits(r)
		if r.Dims = dims; r.Validate() == nil {
			return r, nil
		}
	}
	return denoise.NewRecipe(filter, dims)
}

// withoutUnits returns a recipe with its parameters in the volume's unit at their
// defaults.
func withoutUnits(r denoise.Recipe) denoise.Recipe {
	r.Params = maps.Clone(r.Params)
	if f, err := denoise.FilterByName(r.Filter); err == nil {
		for _, p := range f.Params {
			if p.Unit == "value" {
				r = r.With(p.Name, p.Default)
			}
		}
	}
	return r
}

// thinSlices is how many times the larger pixel spacing slices may lie apart for 3-D
// filtering: at 2 it is better than slice by slice on a T1 by 0.4 to 1 dB, at 3 even, and
// beyond worse (docs/FILTERS.md).
const thinSlices = 2.75

// ProposeDims returns the dimensionality that suits a series: 3 where the filter
// has that form and the series three slices or more that are thin, unless a finding
// advises against it; else 2 or what the filter has. An unknown filter is a UsageError.
func ProposeDims(s *series.Series, filter string) (int, error) {
	f, err := denoise.FilterByName(filter)
	switch {
	case err != nil:
		return 0, usage(err)
	case (slicewise(s) || !thin(s.Volume.Geometry)) && slices.Contains(f.Dims, 2):
		return 2, nil
	case s.Volume.Dims[2] >= 3 && slices.Contains(f.Dims, 3):
		return 3, nil
	}
	return f.Dims[0], nil
}

// thin reports whether the slices lie so close that the voxels of the next one help.
func thin(g volume.Geometry) bool {
	return g.Spacing[2] <= thinSlices*max(g.Spacing[0], g.Spacing[1])
}

// slicewise reports whether a finding advises slice-by-slice filtering.
func slicewise(s *series.Series) bool {
	return slices.ContainsFunc(s.Findings, func(f series.Finding) bool { return f.Slicewise })
}
