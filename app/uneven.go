package app

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"quell/denoise"
	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// What Job.Uneven asks for where slices are unevenly spaced or missing.
const (
	// UnevenSplit filters each run of evenly spaced slices by itself, in 3-D too. Every
	// slice stays where it is.
	UnevenSplit = "split"
	// UnevenResample interpolates evenly spaced slices, at the usual distance of the
	// series, or with "resample=MM" at that distance.
	UnevenResample = "resample"
)

// parseUneven returns what Job.Uneven asks for; the spacing is 0 for the usual one.
func parseUneven(text string) (what string, spacing float64, err error) {
	what, number, given := strings.Cut(text, "=")
	switch {
	case text == "", text == UnevenSplit, text == UnevenResample:
		return text, 0, nil
	case what == UnevenResample && given:
		if spacing, err = strconv.ParseFloat(number, 64); err == nil && spacing > 0 && spacing <= 1000 {
			return what, spacing, nil
		}
	}
	return "", 0, Usagef("uneven slices %q: give split, resample, or resample=MM with a distance in mm", text)
}

// CheckUneven returns a *UsageError where a text is none that Job.Uneven may hold.
func CheckUneven(text string) error {
	_, _, err := parseUneven(text)
	return err
}

// Evened returns a series as the job asks for it where its slices are uneven: resampled, or
// as it is.
func (j Job) Evened(s *series.Series) (*series.Series, error) {
	what, spacing, err := parseUneven(j.Uneven)
	if err != nil || what != UnevenResample || s.Irregular == 0 {
		return s, err
	}
	if err := j.gate(sourcesOf(s)...).Check(); err != nil { // the result has no sources
		return nil, err
	}
	out, err := s.Resample(spacing)
	if err != nil {
		return nil, &InputError{Path: j.Input.Path, Problem: message.New(message.SlicesUneven, "it cannot be resampled: %s", err), Advice: message.Text("filter slice by slice (2-D), or in evenly spaced parts with --uneven split")}
	}
	return out, nil
}

// parts returns the evenly spaced parts in which a recipe is run on a series; nil where it
// is run on the whole.
func (q RunRequest) parts() []series.Part {
	if !q.Split {
		return nil
	}
	return regularParts(q.Series, q.Recipe)
}

// regularParts returns the evenly spaced parts of an irregular series for a 3-D recipe; nil
// for every other series and recipe.
func regularParts(s *series.Series, r denoise.Recipe) []series.Part {
	if s.Irregular == 0 || r.Dims != 3 {
		return nil
	}
	return s.RegularParts()
}

// longest returns the first of the parts of most slices.
func longest(parts []series.Part) series.Part {
	return slices.MaxFunc(parts, func(a, b series.Part) int { return (a.To - a.From) - (b.To - b.From) })
}

// sectionOf returns a part of the input of a series, on a grid of its own. It shares the
// voxels.
func sectionOf(s *series.Series, in denoise.Input, p series.Part) denoise.Input {
	plane := in.Volume.SliceVoxels()
	part := denoise.Input{Volume: s.Section(p).Volume}
	if in.Noise != nil {
		noise := *in.Noise
		noise.Geometry, noise.Data = part.Volume.Geometry, noise.Data[p.From*plane:p.To*plane]
		if noise.Mask != nil {
			noise.Mask = noise.Mask[p.From*plane : p.To*plane]
		}
		part.Noise = &noise
	}
	if in.Mask != nil {
		part.Mask = in.Mask[p.From*plane : p.To*plane]
	}
	return part
}

// runParts runs a recipe on each part by itself and puts the region of the results
// together.
func (q RunRequest) runParts(ctx context.Context, eng denoise.Engine, resolved denoise.Recipe, parts []series.Part, progress denoise.Progress) (*volume.Volume, error) {
	in := q.Maps.input(q.Series.Volume)
	out := in.Volume.Crop(q.Region)
	plane := out.SliceVoxels()
	total := int64(len(out.Data))
	for _, p := range parts {
		from, to := max(p.From, q.Region.Min[2]), min(p.To, q.Region.Max[2])
		if from >= to {
			continue
		}
		part := sectionOf(q.Series, in, p)
		region := q.Region
		region.Min[2], region.Max[2] = from-p.From, to-p.From
		if _, err := eng.Plan(resolved, part.Volume.Geometry); err != nil {
			return nil, err
		}
		done := int64((from - q.Region.Min[2]) * plane)
		var counted denoise.Progress
		if progress != nil {
			counted = func(now, _ int64) { progress(done+now, total) }
		}
		result, err := eng.Run(ctx, resolved, part, region, counted)
		if err != nil {
			return nil, err
		}
		copy(out.Data[done:], result.Data)
	}
	return out, nil
}

// partsText names parts, counted from 1: "1:4, 5:7".
func partsText(parts []series.Part) string {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = SliceRange{From: p.From, To: p.To}.String()
	}
	return strings.Join(names, ", ")
}
