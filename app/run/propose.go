package run

import (
	"maps"
	"slices"

	"quell/app/job"
	"quell/denoise"
	"quell/series"
	"quell/volume"
)

// ProposeRecipe returns the recipe to start a series with: the one last used for
// the filter ("" means the first), else the filter's defaults. Parameters in the
// volume's unit, such as strengths, start at their defaults: they were right for
// the noise of another series. So was the last dimensionality for its slices: the
// recipe has the one of ProposeDims.
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

// ProposeDims returns the dimensionality that suits a series: 3 if the filter
// has that form and the series three slices or more that are thin, unless a finding
// advises against it; else 2 or what the filter has. An unknown filter is a job.UsageError.
func ProposeDims(s *series.Series, filter string) (int, error) {
	f, err := denoise.FilterByName(filter)
	switch {
	case err != nil:
		return 0, job.Usage(err)
	case (slicewise(s) || !thin(s.Volume.Geometry)) && slices.Contains(f.Dims, 2):
		return 2, nil
	case s.Volume.Dims[2] >= 3 && slices.Contains(f.Dims, 3):
		return 3, nil
	}
	return f.Dims[0], nil
}

// mixes reports whether the slices of a series suit filters that mix them.
func mixes(s *series.Series) bool {
	return s.Volume.Dims[2] >= 3 && thin(s.Volume.Geometry) && !slicewise(s)
}

// thin reports whether the slices lie so close that the voxels of the next one help.
func thin(g volume.Geometry) bool {
	return g.Spacing[2] <= thinSlices*max(g.Spacing[0], g.Spacing[1])
}

// slicewise reports whether a finding advises slice-by-slice filtering.
func slicewise(s *series.Series) bool {
	return slices.ContainsFunc(s.Findings, func(f series.Finding) bool { return f.Slicewise })
}
