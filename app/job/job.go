// Package job holds the words that everything in app shares: a piece of work as data, with its
// input, its output and their options; what happens meanwhile, as events; errors with their exit
// codes; memory sizes and the log. It reads no image and starts no engine.
//
// Errors are sentences for a person. An InputError is a fault of the input, a UsageError one of
// the request; ExitCode turns any error into the exit code of the command line.
package job

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"quell/denoise"
	"quell/volume"
)

// Job is one piece of work as data: its input, its steps, and the files that are
// written. A series is read; noise is added to it if Noise is set; it is filtered
// if Recipe is set; the result is written. With neither, the series is converted to
// another format. It is a JSON value.
type Job struct {
	Input  Input           `json:"input"`
	Noise  *AddedNoise     `json:"noise,omitempty"`
	Recipe *denoise.Recipe `json:"recipe,omitempty"`
	// AutoDims replaces the recipe's dimensionality by the one that suits the
	// series, see run.ProposeDims.
	AutoDims bool `json:"auto_dims,omitempty"`
	// AutoFilter replaces the recipe by the filter and the strength that remove most noise within the bounds, see
	// run.ProposeFilter, in the recipe's dimensionality. If none does the recipe stays.
	AutoFilter bool       `json:"auto_filter,omitempty"`
	Slices     SliceRange `json:"slices,omitzero"` // that are filtered and written; all if it is zero
	// judge.NoiseMap is a file that holds sigma for each voxel, on the grid of the series
	// and in its unit, or MapAuto or MapIfVaries; "" is none. Mask is a file that is not 0 in the
	// voxels to be filtered: the others are left unchanged, and not used.
	NoiseMap string       `json:"noise_map,omitempty"`
	Mask     string       `json:"mask,omitempty"`
	Engine   EnginePolicy `json:"engine,omitzero"`
	// Uneven is the treatment of slices that are unevenly spaced or missing: "split",
	// "resample" or "resample=MM"; "" refuses what would need even ones.
	Uneven string `json:"uneven,omitempty"`
	// Memory is how many bytes of memory the volumes of a job may take together, about; 0 for DefaultMemory. See Slabs.
	Memory  int64  `json:"memory,omitempty"`
	Measure bool   `json:"measure,omitempty"` // report the measures of the result, see judge.Measure
	Output  Output `json:"output"`
}

// Input says which series is read.
type Input struct {
	Path      string `json:"path"`                // see Scan
	Series    *int   `json:"series,omitempty"`    // its number in the catalog; nil: see open.Catalog.Select
	All       bool   `json:"all,omitempty"`       // the whole 4-D series that Series is a volume of
	Component string `json:"component,omitempty"` // of voxels with several; not together with Series
	// Modality is what measured the series, "CT" or "MR", if a person states it; "" leaves it to the
	// file and the values.
	Modality string `json:"modality,omitempty"`
	Phase    string `json:"phase,omitempty"` // file of the phases of the magnitudes at Path; "" for none
	// SkipDamaged leaves broken DICOM files out, see open.Catalog.WithoutDamaged.
	SkipDamaged bool `json:"skip_damaged,omitempty"`

	// Conceal replaces the texts of the source in reports, see open.Catalog.Conceal.
	Conceal bool `json:"-"`
}

// Output names the files to write, and their form.
type Output struct {
	Path string `json:"path"` // its name gives the format, by its ending
	Options
	// Beside are outputs that are made along with it: by the name of a [Product], the
	// path.
	Beside map[string]string `json:"beside,omitempty"`
}

// Judged returns the job with the verdict, if an attached object needs it.
func (j Job) Judged() Job {
	if j.Output.Attaches(AttachMeasurements) {
		j.Measure = true
	}
	return j
}

// Validate reports the first thing in the job that is wrong whatever the input
// holds. Errors are *UsageError.
func (j Job) Validate() error {
	if err := j.Input.Validate(); err != nil {
		return err
	}
	if j.Output.Path == "" {
		return Usagef("the output has no name")
	}
	if j.Recipe != nil {
		if err := CheckEngine(j.Engine.Name); err != nil {
			return err
		}
	}
	return j.ValidateSteps()
}

// ValidateSteps is Validate for the steps, whatever is read and written.
func (j Job) ValidateSteps() error {
	switch {
	case j.Memory < 0:
		return Usagef("the memory cannot be negative")
	case j.Engine.Threads < 0:
		return Usagef("%d threads: give 1 or more", j.Engine.Threads)
	case j.Recipe == nil && (len(j.Output.Beside)+len(j.Output.Attach) > 0 || j.Measure || j.AutoDims || j.AutoFilter || j.Slices != SliceRange{} || j.NoiseMap != "" || j.Mask != ""):
		return Usagef("slices, measures, noise maps, masks and outputs beside the result, such as pictures and reports, are for jobs that filter; give a recipe")
	}
	if err := CheckAttach(j.Output.Attach); err != nil {
		return err
	}
	if what, _, err := ParseUneven(j.Uneven); err != nil {
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
			return Usage(err)
		}
	}
	return nil
}

// Modalities are the ones that a person may state of a series.
func Modalities() []string { return []string{"CT", "MR"} }

// Validate returns a *UsageError if the input cannot be meant.
func (in Input) Validate() error {
	switch {
	case in.Path == "":
		return Usagef("the input has no name")
	case in.Series != nil && in.Component != "":
		return Usagef("give --series or --component, not both: quell info counts every component as a series")
	case in.Modality != "" && !slices.Contains(Modalities(), in.Modality):
		return Usagef("the modality %q is none of %s", in.Modality, strings.Join(Modalities(), " and "))
	}
	return nil
}

// In place of the file of a noise map.
const (
	MapAuto     = "auto"      // it is estimated from the series
	MapIfVaries = "if-varies" // likewise, if the noise differs from place to place and the strength follows it
)

// NoMap is given for a job without a noise map.
const NoMap = "none"

// GivenMap returns Job.NoiseMap for a noise map as a person gives it: a file, MapAuto or NoMap; "" leaves it to the
// noise, as MapIfVaries does.
func GivenMap(text string) string {
	switch text {
	case "":
		return MapIfVaries
	case NoMap:
		return ""
	}
	return text
}

// MapFile returns the file of the noise map; "" if there is none.
func (j Job) MapFile() string {
	if j.NoiseMap == MapAuto || j.NoiseMap == MapIfVaries {
		return ""
	}
	return j.NoiseMap
}

// HoldsNoise reports whether a file holds noise alone, by its name: BIDS noRF, acquired without excitation. As a noise map it
// shows sigma.
func HoldsNoise(path string) bool {
	return strings.HasSuffix(strings.TrimSuffix(path, ".gz"), "_noRF.nii")
}

// What Job.Uneven asks for if slices are unevenly spaced or missing.
const (
	// UnevenSplit filters each run of evenly spaced slices by itself, in 3-D too. Every
	// slice stays at its place.
	UnevenSplit = "split"
	// UnevenResample interpolates evenly spaced slices, at the usual distance of the
	// series, or with "resample=MM" at that distance.
	UnevenResample = "resample"
)

// ParseUneven returns what Job.Uneven asks for; the spacing is 0 for the usual one.
func ParseUneven(text string) (what string, spacing float64, err error) {
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

// CheckUneven returns a *UsageError if a text is none that Job.Uneven may hold.
func CheckUneven(text string) error {
	_, _, err := ParseUneven(text)
	return err
}

// SliceRange selects the slices From, From+1, ..., To-1, counted from 0. To = 0
// means the end of the series. Its String counts from 1.
type SliceRange struct {
	From int `json:"from,omitempty"`
	To   int `json:"to,omitempty"`
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
