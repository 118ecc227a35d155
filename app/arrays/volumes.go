package arrays

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"quell/app/executor"
	"quell/app/job"
	"quell/app/run"
	"quell/internal/message"
	"quell/internal/parallel"
	"quell/series"
	"quell/volume"
)

// block is how many voxels a task reads or writes.
const block = 1 << 18

// geometry returns the grid of an image, in LPS+.
func (im Image) geometry() (volume.Geometry, error) {
	g := volume.NewGeometry(im.Dims, [3]float64{1, 1, 1})
	switch {
	case im.Affine != nil && im.Spacing != nil:
		return g, job.Usagef("give the affine or the spacing, not both: the affine contains the spacing")
	case im.Affine != nil:
		var a volume.Affine
		if len(im.Affine) != 3 && len(im.Affine) != 4 || slices.ContainsFunc(im.Affine, func(row []float64) bool { return len(row) != 4 }) {
			return g, job.Usagef("the affine has to be of 4 x 4 or 3 x 4 numbers")
		}
		for r := range a {
			copy(a[r][:], im.Affine[r])
		}
		if _, err := a.Inverse(); err != nil {
			return g, job.Usagef("the affine maps voxels of a volume to a plane; its columns have to span space")
		}
		g = volume.FromAffine(im.Dims, a.FlipXY())
	case im.Spacing != nil:
		if len(im.Spacing) != 3 {
			return g, job.Usagef("the spacing has %d numbers; give 3, in mm along x, y and z", len(im.Spacing))
		}
		g = volume.NewGeometry(im.Dims, [3]float64(im.Spacing))
	}
	if err := g.Validate(); err != nil {
		return g, job.Usage(err)
	}
	return g, nil
}

// series returns an image as a series, with the voxels of the client's memory. Voxels that are not finite become padding,
// as those of a file do, in a copy.
func (m *memory) series(ctx context.Context, im Image) (*series.Series, error) {
	if im.Volumes > 1 {
		return nil, job.Usagef("the array is of %d volumes; give one at a time", im.Volumes)
	}
	if im.Modality != "" && !slices.Contains(job.Modalities(), im.Modality) {
		return nil, job.Usagef("the modality %q is none of %s", im.Modality, message.Or(job.Modalities()))
	}
	data, err := m.floats("array", im.Array)
	if err != nil {
		return nil, err
	}
	g, err := im.geometry()
	if err != nil {
		return nil, err
	}
	v, err := volumeOf(ctx, g, data, "")
	if err != nil {
		return nil, err
	}
	v.Modality = im.Modality
	s := &series.Series{Meta: series.Meta{Modality: im.Modality, Description: job.TheSeries}, Volume: v}
	if v.Mask != nil {
		s.Infinite = series.NewInfinite(g)
		s.Infinite.Note(0, data)
	}
	return s, nil
}

// source returns an image as the source of a job: one volume, or all volumes of a 4-D array.
func (m *memory) source(ctx context.Context, im Image) (executor.Source, *series.Series, error) {
	if _, err := m.floats("array", im.Array); err != nil { // all of it
		return executor.Source{}, nil, err
	}
	n := im.Volumes
	load := func(ctx context.Context, k int) (*series.Series, error) {
		one := im
		one.Array = im.volume(k)
		return m.series(ctx, one)
	}
	first, err := load(ctx, 0)
	if err != nil {
		return executor.Source{}, nil, err
	}
	src := executor.InMemory(first)
	if n < 2 {
		return src, first, nil
	}
	src.Group = &series.Group{}
	for k := range n {
		src.Entries = append(src.Entries, k)
		src.Group.Places = append(src.Group.Places, series.Place{{Axis: "volume", Value: strconv.Itoa(k + 1)}})
	}
	src.Load = func(ctx context.Context, k int, _ job.Events) (*series.Series, error) { return load(ctx, k) }
	src.Again = func() (func(context.Context, int) (*series.Series, error), func()) { return load, func() {} }
	return src, first, nil
}

// volumeOf returns the volume of voxels that may not be finite. what is named if none is; "" for the series.
func volumeOf(ctx context.Context, g volume.Geometry, data []float32, what string) (*volume.Volume, error) {
	v := &volume.Volume{Geometry: g, Data: data}
	finite := make([]bool, (len(data)+block-1)/block)
	err := parallel.For(ctx, len(finite), func(k int) error {
		finite[k] = volume.Finite(data[k*block : min((k+1)*block, len(data))])
		return nil
	})
	if err != nil || !slices.Contains(finite, false) {
		return v, err
	}
	v.Data = slices.Clone(data)
	if v.MaskNonFinite() == 0 {
		return nil, &job.InputError{Path: cmp.Or(what, job.TheSeries), Problem: message.New(message.InputEmpty, "has no finite number"), Advice: message.Text("check the array")}
	}
	return v, nil
}

// maps returns what steers the filter besides the recipe, and the noise map of the job. usual is that of a request
// without one.
func (m *memory) maps(ctx context.Context, r Request, g volume.Geometry, usual string) (maps run.Maps, noiseMap string, err error) {
	if r.Mask != nil {
		if r.Mask.Dims != g.Dims {
			return maps, "", job.Usagef("the mask is of %v voxels, and the array of %v", r.Mask.Dims, g.Dims)
		}
		bytes, err := m.bytes("mask", *r.Mask, 1)
		if err != nil {
			return maps, "", err
		}
		maps.Mask = make([]bool, len(bytes))
		for i, b := range bytes {
			maps.Mask[i] = b != 0
		}
		if !slices.Contains(maps.Mask, true) {
			return maps, "", run.EmptyMask("the mask")
		}
	}
	var word string
	switch {
	case r.NoiseMap == nil:
		return maps, usual, nil
	case json.Unmarshal(r.NoiseMap, &word) == nil:
		switch word {
		case job.MapAuto, job.MapIfVaries:
			return maps, word, nil
		case job.NoMap:
			return maps, "", nil
		}
		return maps, "", job.Usagef("the noise map %q is neither an array nor auto nor none", word)
	}
	var a Array
	if err := json.Unmarshal(r.NoiseMap, &a); err != nil {
		return maps, "", job.Usagef("the noise map is neither an array nor auto nor none")
	}
	if a.Dims != g.Dims {
		return maps, "", job.Usagef("the noise map is of %v voxels, and the array of %v", a.Dims, g.Dims)
	}
	data, err := m.floats("noise map", a)
	if err != nil {
		return maps, "", err
	}
	maps.Noise, err = volumeOf(ctx, g, data, "the noise map")
	return maps, "", err
}

// write copies a volume to the client's memory, for its padding NaN or infinity: that is how it was read.
func write(ctx context.Context, to []float32, v *volume.Volume, infinite *series.Infinite) error {
	return parallel.For(ctx, (len(to)+block-1)/block, func(k int) error {
		from, end := k*block, min((k+1)*block, len(to))
		copy(to[from:end], v.Data[from:end])
		if v.Mask == nil {
			return nil
		}
		for i := from; i < end; i++ {
			if !v.Mask[i] {
				to[i] = float32(math.NaN())
			}
		}
		copy(to[from:end], infinite.Restore(v.Geometry, from, to[from:end]))
		return nil
	})
}
