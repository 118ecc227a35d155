package app

import (
	"context"
	"encoding/hex"
	"hash"
	"slices"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/io/format"
	"quell/series"
	"quell/volume"
)

// Maps are what steers the filtering of a series beside the recipe, on its grid.
// The zero value steers nothing.
type Maps struct {
	Noise     *volume.Volume // sigma for each voxel, in the unit of the series; nil for none
	Estimated bool           // Noise was estimated from the series
	// Confidence is that of the noise of the series as a whole, where Noise was
	// estimated from it.
	Confidence noise.Confidence
	Mask       []bool  // false for voxels that are left unchanged and not used; nil for none
	usual      float32 // see denoise.Input.Usual
}

// MapAuto in place of the file of a noise map asks for one that is estimated from
// the series.
const MapAuto = "auto"

// input returns what is filtered.
func (m Maps) input(v *volume.Volume) denoise.Input {
	return denoise.Input{Volume: v, Noise: m.Noise, Usual: m.usual, Mask: m.Mask}
}

// OpenNoiseMap returns the noise map of a series: from a file on its grid, or with
// MapAuto estimated. Errors are *InputError, or say why there is no map.
func OpenNoiseMap(ctx context.Context, path string, s *series.Series) (Maps, error) {
	j := Job{NoiseMap: path}
	m, err := j.loadMaps(ctx, s)
	if err != nil {
		return Maps{}, err
	}
	return m.estimate(ctx, j, s)
}

// loadMaps reads the files that a job names. They must be on the grid of s. Errors
// are *InputError.
func (j Job) loadMaps(ctx context.Context, s *series.Series) (m Maps, err error) {
	if j.NoiseMap != "" && j.NoiseMap != MapAuto {
		if m.Noise, err = openOnGrid(ctx, j.NoiseMap, "noise map", s); err != nil {
			return Maps{}, err
		}
	}
	if j.Mask != "" {
		mask, err := openOnGrid(ctx, j.Mask, "mask", s)
		if err != nil {
			return Maps{}, err
		}
		inside := 0
		m.Mask = make([]bool, len(mask.Data))
		for i, x := range mask.Data {
			if m.Mask[i] = x != 0 && mask.Valid(i); m.Mask[i] {
				inside++
			}
		}
		if inside == 0 {
			return Maps{}, emptyMask(j.Mask)
		}
	}
	return m, nil
}

// openOnGrid reads a volume that must be on the grid of s.
func openOnGrid(ctx context.Context, path, what string, s *series.Series) (*volume.Volume, error) {
	in, err := Open(ctx, Input{Path: path}, Events{})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return in.Volume, notOnGrid(path, what, SameGrid(s.Volume.Geometry, in.Volume.Geometry))
}

// notOnGrid words the error of SameGrid about a map; nil for nil.
func notOnGrid(path, what string, err error) error {
	if err == nil {
		return nil
	}
	return &InputError{
		Path: path, Problem: message.New(message.GridDiffers, "the %s is not on the grid of the series: %v", message.Word(what), err),
		Advice: message.Text("make it on that grid, as quell estimate --map does"), Err: err,
	}
}

// emptyMask is the error of a mask that is 0 everywhere.
func emptyMask(path string) error {
	return &InputError{Path: path, Problem: message.New(message.InputEmpty, "leaves no voxel: it is 0 everywhere"), Advice: message.Text("give a mask that is not 0 where the series is to be filtered")}
}

// estimate maps the noise of a series, where the job asks for that.
func (m Maps) estimate(ctx context.Context, j Job, s *series.Series) (Maps, error) {
	if j.NoiseMap != MapAuto || m.Noise != nil {
		return m, nil
	}
	sigma, e, err := mapNoise(ctx, s)
	if err != nil {
		return Maps{}, err
	}
	m.Noise, m.Estimated, m.Confidence = sigma, true, e.Confidence
	return m, nil
}

// How far the noise of a map may be from that found in the series, as a ratio, for
// results to be judged by it: with fair confidence, and at all.
const (
	fairMap    = 1.25
	usableMap  = 1.5
	mapSamples = 1 << 16
)

// trust returns how far the noise map can be relied on, in the voxels of v that count.
// A map that was given is compared with the noise that is found in v; where that is
// another by far, doubt is a sentence that says so. The error is the context's.
func (m Maps) trust(ctx context.Context, v *volume.Volume, counts func(i int) bool) (c noise.Confidence, doubt message.Message, err error) {
	if m.Estimated {
		if m.Confidence == noise.High {
			return noise.Fair, message.Message{}, nil
		}
		return m.Confidence, message.Message{}, nil
	}
	found, _, err := noise.Map(ctx, v)
	if err != nil || found == nil {
		return noise.Low, message.Message{}, err
	}
	var ratios []float32
	for i, step := 0, max(len(v.Data)/mapSamples, 1)|1; i < len(v.Data); i += step {
		if given := m.Noise.Data[i]; counts(i) && m.Noise.Valid(i) && given > 0 {
			ratios = append(ratios, found.Data[i]/given)
		}
	}
	if len(ratios) == 0 {
		return noise.Low, message.Message{}, nil
	}
	slices.Sort(ratios)
	switch r := float64(ratios[len(ratios)/2]); {
	case r > usableMap || r < 1/usableMap:
		return noise.None, message.New(message.NoiseDisagrees, "The noise that is found in the series is %.2g times that of the noise map: there is no ground to judge on.", r), nil
	case r > fairMap || r < 1/fairMap:
		return noise.Low, message.Message{}, nil
	}
	return noise.Fair, message.Message{}, nil
}

// MapRecord identifies a map or a mask in a record without naming it.
type MapRecord struct {
	From string `json:"from"` // "file" or "estimate"
	// SHA256 is over the voxels as in SourceRecord; a mask holds 0 and 1. None beside
	// a de-identified output.
	SHA256 string `json:"sha256,omitempty"`
}

// is says whether a map is the one that a record identifies; nil is none.
func (r *MapRecord) is(m *volume.Volume) bool {
	if r == nil || m == nil {
		return r == nil && m == nil
	}
	return r.SHA256 == voxelHash(m)
}

// records returns the records of the noise map and of the mask, nil for none.
func (m Maps) records() (noise, mask *MapRecord) {
	if m.Noise != nil {
		noise = &MapRecord{From: "file", SHA256: voxelHash(m.Noise)}
		if m.Estimated {
			noise.From = "estimate"
		}
	}
	if m.Mask != nil {
		h := newVoxelHash()
		hashMask(h, m.Mask)
		mask = &MapRecord{From: "file", SHA256: hex.EncodeToString(h.Sum(nil))}
	}
	return noise, mask
}

// hashMask adds the voxels of a mask, as 0 and 1, to their hash.
func hashMask(h hash.Hash, mask []bool) {
	values := make([]float32, 0, 1<<14)
	for part := range slices.Chunk(mask, cap(values)) {
		values = values[:0]
		for _, inside := range part {
			x := float32(0)
			if inside {
				x = 1
			}
			values = append(values, x)
		}
		hashVoxels(h, values)
	}
}

// pixelSubtraction is the derivation of the noise that was removed (PS3.16 CID 7203).
var pixelSubtraction = format.Code{Value: "113062", Scheme: "DCM", Meaning: "Pixel by pixel subtraction"}

// removedOf returns what was removed in a slab, the source less the result, as it is written.
func removedOf(s *Slab) (export, error) {
	e, err := exportOf(s)
	part := e.series
	if e.part != nil {
		part = e.part
	}
	removed := *e.result
	removed.Data = make([]float32, len(e.result.Data))
	for i, u := range e.result.Data {
		removed.Data[i] = part.Volume.Data[i] - u
	}
	e.result = &removed
	e.derived = format.Derived{
		Description: "Noise that was removed: input less result. " + describe(s.Whole.Run),
		Suffix:      "[Quell removed noise]",
		Code:        pixelSubtraction,
	}
	return e, err
}

// removedOptions are the options of the output for what was removed: those of the
// result, as far as they suit it. Values that are rounded to whole numbers would
// say little, so that NIfTI holds them as they are.
func removedOptions(out string, o ExportOptions) ExportOptions {
	o.Dtype = ""
	if !FormatOf(out).Identity {
		o.Compress, o.Deidentify = "", false
	}
	return o
}
