package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"quell/denoise"
	"quell/io/dicom"
	"quell/series"
	"quell/volume"
)

// Maps are what steers the filtering of a series beside the recipe, on its grid.
// The zero value steers nothing.
type Maps struct {
	Noise     *volume.Volume // sigma for each voxel, in the unit of the series; nil for none
	Estimated bool           // Noise was estimated from the series
	Mask      []bool         // false for voxels that are left unchanged and not used; nil for none
}

// MapAuto in place of the file of a noise map asks for one that is estimated from
// the series.
const MapAuto = "auto"

// input returns what is filtered.
func (m Maps) input(v *volume.Volume) denoise.Input {
	return denoise.Input{Volume: v, Noise: m.Noise, Mask: m.Mask}
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
			return Maps{}, &InputError{Path: j.Mask, Problem: "leaves no voxel: it is 0 everywhere", Advice: "give a mask that is not 0 where the series is to be filtered"}
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
	if err := SameGrid(s.Volume.Geometry, in.Volume.Geometry); err != nil {
		return nil, &InputError{
			Path: path, Problem: fmt.Sprintf("the %s is not on the grid of the series: %v", what, err),
			Advice: "make it on that grid, as quell estimate --map does", Err: err,
		}
	}
	return in.Volume, nil
}

// estimate maps the noise of a series, where the job asks for that.
func (m Maps) estimate(ctx context.Context, j Job, s *series.Series) (Maps, error) {
	if j.NoiseMap != MapAuto || m.Noise != nil {
		return m, nil
	}
	sigma, _, err := mapNoise(ctx, s)
	if err != nil {
		return Maps{}, err
	}
	m.Noise, m.Estimated = sigma, true
	return m, nil
}

// MapRecord identifies a map or a mask in a record without naming it.
type MapRecord struct {
	From string `json:"from"` // "file" or "estimate"
	// SHA256 is over the voxels as in SourceRecord; a mask holds 0 and 1. None beside
	// a de-identified output.
	SHA256 string `json:"sha256,omitempty"`
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
		h := sha256.New()
		values := make([]float32, 0, 1<<14)
		for i, inside := range m.Mask {
			x := float32(0)
			if inside {
				x = 1
			}
			if values = append(values, x); len(values) == cap(values) || i == len(m.Mask)-1 {
				hashVoxels(h, values)
				values = values[:0]
			}
		}
		mask = &MapRecord{From: "file", SHA256: hex.EncodeToString(h.Sum(nil))}
	}
	return noise, mask
}

// pixelSubtraction is the derivation of the noise that was removed (PS3.16 CID 7203).
var pixelSubtraction = dicom.Code{Value: "113062", Scheme: "DCM", Meaning: "Pixel by pixel subtraction"}

// ExportRemoved writes what a run removed, its input less its result, as Export
// does, without a record.
func ExportRemoved(ctx context.Context, run *Run, out string, o ExportOptions, progress func(done, total int)) (ExportReport, error) {
	part := section(run.Source, run.Region)
	removed := *run.Result
	removed.Data = make([]float32, len(run.Result.Data))
	for i, u := range run.Result.Data {
		removed.Data[i] = part.Volume.Data[i] - u
	}
	return write(ctx, export{
		series: part, result: &removed,
		derived: dicom.Derived{
			Description: "Noise that was removed: input less result. " + describe(run),
			Suffix:      "[Quell removed noise]",
			Code:        pixelSubtraction,
		},
	}, out, o, progress)
}

// removedOptions are the options of the output for what was removed: those of the
// result, as far as they suit it. Values that are rounded to whole numbers would
// say little, so that NIfTI holds them as they are.
func removedOptions(out string, o ExportOptions) ExportOptions {
	o.Dtype = ""
	if FormatOf(out) != DICOM {
		o.Compress, o.Deidentify = "", false
	}
	return o
}
