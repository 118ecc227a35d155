package run

import (
	"context"
	"slices"
	"strings"

	"quell/app/job"
	"quell/denoise"
	"quell/series"
	"quell/volume"
)

// parts returns the evenly spaced parts in which a recipe is run on a series; nil if it is
// run on the whole.
func (q Request) parts() []series.Part {
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
func (q Request) runParts(ctx context.Context, eng denoise.Engine, resolved denoise.Recipe, parts []series.Part, progress denoise.Progress) (*volume.Volume, error) {
	in := q.Maps.Input(q.Series.Volume)
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

// PartsText names parts, counted from 1: "1:4, 5:7".
func PartsText(parts []series.Part) string {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = job.SliceRange{From: p.From, To: p.To}.String()
	}
	return strings.Join(names, ", ")
}
