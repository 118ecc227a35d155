package app

import (
	"fmt"
	"slices"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/volume"
)

// Job is one piece of work as data: what is read, what is done with it, and what
// is written. A series is read; noise is added to it where Noise is set; it is
// filtered where Recipe is set; the result is written. With neither, the series
// is converted to another format. It is a JSON value.
type Job struct {
	Input  Input           `json:"input"`
	Noise  *Noise          `json:"noise,omitempty"`
	Recipe *denoise.Recipe `json:"recipe,omitempty"`
	// AutoDims replaces the recipe's dimensionality by the one that suits the
	// series, see ProposeDims.
	AutoDims bool       `json:"auto_dims,omitempty"`
	Slices   SliceRange `json:"slices,omitzero"` // that are filtered and written; all where it is zero
	// NoiseMap is a file that holds sigma for each voxel, on the grid of the series
	// and in its unit, or MapAuto; "" is none. Mask is a file that is not 0 in the
	// voxels to be filtered: the others are left unchanged, and not used.
	NoiseMap string       `json:"noise_map,omitempty"`
	Mask     string       `json:"mask,omitempty"`
	Engine   EnginePolicy `json:"engine,omitzero"`
	// Uneven says what is done with slices that are unevenly spaced or missing: "split",
	// "resample" or "resample=MM"; "" refuses what would need even ones.
	Uneven string `json:"uneven,omitempty"`
	// Memory is how many bytes of memory the volumes of a job may take together, about; 0 for DefaultMemory. See Slabs.
	Memory  int64  `json:"memory,omitempty"`
	Measure bool   `json:"measure,omitempty"` // report the measures of the result, see MeasureRun
	Output  Output `json:"output"`
}

// Input says which series is read.
type Input struct {
	Path      string `json:"path"`                // see Scan
	Series    *int   `json:"series,omitempty"`    // its number in the catalog; nil: see Catalog.Select
	All       bool   `json:"all,omitempty"`       // the whole 4-D series that Series is a volume of
	Component string `json:"component,omitempty"` // of voxels with several; not together with Series
	// SkipDamaged leaves broken DICOM files out, see Catalog.WithoutDamaged.
	SkipDamaged bool `json:"skip_damaged,omitempty"`

	hide *Pseudonyms // of a job that is de-identified, see Catalog.Conceal
}

// Output says what is written, and where.
type Output struct {
	Path string `json:"path"` // its name gives the format, see FormatOf
	ExportOptions
	// Beside are outputs that are made beside it: by the name of a [Product], the path.
	Beside map[string]string `json:"beside,omitempty"`
}

// EnginePolicy says which engine filters.
type EnginePolicy struct {
	// Name is "cpu", "cuda", or "auto" or "": the first that can be used, and the
	// CPU after a failure of the GPU.
	Name    string `json:"name,omitempty"`
	Threads int    `json:"threads,omitempty"` // of the CPU engine, at most; 0: one per processor
}

// SliceRange selects the slices From, From+1, ..., To-1, counted from 0. To = 0
// means the end of the series. Its String counts from 1.
type SliceRange struct {
	From int `json:"from,omitempty"`
	To   int `json:"to,omitempty"`
}

// Validate reports the first thing in the job that is wrong whatever the input
// holds. Errors are *UsageError.
func (j Job) Validate() error {
	if err := j.Input.validate(); err != nil {
		return err
	}
	if j.Output.Path == "" {
		return Usagef("the output has no name")
	}
	if j.Recipe != nil {
		if err := unknownEngine(j.Engine.Name); err != nil {
			return err
		}
	}
	return j.validateWork()
}

// validateWork is Validate for what is done, whatever is read and written.
func (j Job) validateWork() error {
	switch {
	case j.Memory < 0:
		return Usagef("the memory cannot be negative")
	case j.Engine.Threads < 0:
		return Usagef("%d threads: give 1 or more", j.Engine.Threads)
	case j.Recipe == nil && (len(j.Output.Beside) > 0 || j.Measure || j.AutoDims || j.Slices != SliceRange{} || j.NoiseMap != "" || j.Mask != ""):
		return Usagef("slices, measures, noise maps, masks and outputs beside the result, such as pictures and reports, are for jobs that filter; give a recipe")
	}
	if what, _, err := parseUneven(j.Uneven); err != nil {
		return err
	} else if what == UnevenSplit && j.Recipe == nil {
		return Usagef("uneven slices are split for a filter; give a recipe, or resample them")
	}
	if j.Noise != nil {
		if err := j.Noise.Validate(); err != nil {
			return err
		}
	}
	if j.Recipe != nil && !j.AutoDims {
		if err := j.Recipe.Validate(); err != nil {
			return usage(err)
		}
	}
	return nil
}

// gate returns what the job writes, and what it reads: the inputs, maps and the mask.
func (j Job) gate(inputs ...string) Gate {
	inputs = append(slices.Clone(inputs), j.Mask)
	if j.NoiseMap != MapAuto {
		inputs = append(inputs, j.NoiseMap)
	}
	g := Gate{Inputs: inputs, Overwrite: j.Output.Overwrite, Outputs: []Target{{"OUT", j.Output.Path, SeriesOutput}}}
	for _, p := range products {
		g.Outputs = append(g.Outputs, Target{"--" + p.Name, j.Output.Beside[p.Name], p.Kind})
	}
	return g
}

func (in Input) validate() error {
	switch {
	case in.Path == "":
		return Usagef("the input has no name")
	case in.Series != nil && in.Component != "":
		return Usagef("give --series or --component, not both: quell info counts every component as a series")
	}
	return nil
}

// pick returns the engine that the policy asks for.
func (p EnginePolicy) pick() (denoise.Engine, error) {
	eng, err := PickEngine(p.Name)
	if err != nil {
		return nil, err
	}
	return p.limited(eng), nil
}

// fallback returns the engine to continue with after a failure of the device
// of the first; false if the policy allows none.
func (p EnginePolicy) fallback() (denoise.Engine, bool) {
	if p.Name != "" && p.Name != "auto" {
		return nil, false
	}
	return p.limited(cpuEngine()), true
}

// limited applies the limit of threads to the CPU engine.
func (p EnginePolicy) limited(eng denoise.Engine) denoise.Engine {
	if p.Threads > 0 && eng == cpuEngine() {
		return cpu.New(cpu.Threads(p.Threads))
	}
	return eng
}

// Region returns the selected slices of a geometry.
func (r SliceRange) Region(g volume.Geometry) (volume.Region, error) {
	to := r.To
	if to == 0 {
		to = g.Dims[2]
	}
	if r.From < 0 || r.From >= to || to > g.Dims[2] {
		return volume.Region{}, Usagef("slices %s: the series has the slices 1:%d", r, g.Dims[2])
	}
	return volume.Slices(g, r.From, to), nil
}

// String returns the range as people write it, counted from 1 with both ends included: "3:5"
// for the range from 2 to 5, and "3:" for a range to the end.
func (r SliceRange) String() string {
	if r.To == 0 {
		return fmt.Sprintf("%d:", r.From+1)
	}
	return fmt.Sprintf("%d:%d", r.From+1, r.To)
}
