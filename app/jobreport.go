package app

import (
	"quell/denoise"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/series"
)

// Seconds are the times that the steps of a job took.
type Seconds struct {
	Start   float64 `json:"start,omitempty"` // of the engine
	Load    float64 `json:"load"`            // maps included
	Wait    float64 `json:"wait,omitempty"`  // of a batch: until no other series had the engine
	Filter  float64 `json:"filter"`          // noise included where it was added
	Measure float64 `json:"measure,omitempty"`
	Write   float64 `json:"write"` // after the filter: writing, reading back, the removed noise and pictures
	Total   float64 `json:"total"` // of the job; the steps before make it up
}

// plus returns the sums.
func (s Seconds) plus(o Seconds) Seconds {
	return Seconds{s.Start + o.Start, s.Load + o.Load, s.Wait + o.Wait, s.Filter + o.Filter, s.Measure + o.Measure, s.Write + o.Write, s.Total + o.Total}
}

// Report is what a job did.
type Report struct {
	Engine string `json:"engine,omitempty"`
	Device string `json:"device,omitempty"`
	// Devices are the GPUs that filtered, each with its time and its part of the work.
	Devices []denoise.DeviceUse `json:"devices,omitempty"`
	// Parts are the evenly spaced slices that were filtered by themselves, and Resampled
	// says how uneven slices became even ones.
	Parts     []series.Part      `json:"parts,omitempty"`
	Resampled *series.Resampling `json:"resampled,omitempty"`
	Recipe    *denoise.Recipe    `json:"recipe,omitempty"` // as run: plain numbers
	Asked     *denoise.Recipe    `json:"asked,omitempty"`  // as asked for: with "auto" and percentages
	Tuned     *Tuned             `json:"tuned,omitempty"`  // how the strength was found, where the recipe left it to "sure"
	Noise     *Noise             `json:"noise,omitempty"`  // that was added
	NoiseMap  *MapRecord         `json:"noise_map,omitempty"`
	Mask      *MapRecord         `json:"mask,omitempty"`
	Seconds   Seconds            `json:"seconds"`
	Voxels    int                `json:"voxels"` // of the result
	Dims      [3]int             `json:"dims"`   // of the result
	Measures  *Measures          `json:"measures,omitempty"`
	Output    string             `json:"output"`
	Removed   string             `json:"removed,omitempty"` // where what the filter removed was written
	Files     int                `json:"files"`
	Clipped   int64              `json:"clipped"`  // voxels that the output cannot store unchanged
	Warnings  []message.Message  `json:"warnings"` // about the run and the output
	// Findings are those about the input, notes included.
	Findings []series.Finding `json:"findings"`
	Record   string           `json:"recipe_file,omitempty"` // the record written beside Output
	// Covered says how much of the input was worked on.
	Covered Coverage `json:"covered"`
	Slabs   *Slabs   `json:"slabs,omitempty"` // how a volume was filtered that is too large for memory
	// Axis is what the volumes of a 4-D series differ in, and Volumes what was done with
	// each, in its order. Recipe is nil then: each volume has its own.
	Axis    string         `json:"axis,omitempty"`
	Volumes []VolumeReport `json:"volumes,omitempty"`
	// Run is the finished run of a job that filters one volume as a whole; Written is what the export
	// did; Each is what was done with every volume, one or those of a 4-D series.
	Run     *Run           `json:"-"`
	Written ExportReport   `json:"-"`
	Each    []VolumeReport `json:"-"`
}

// VolumeReport is what a job did with one volume of a 4-D series.
type VolumeReport struct {
	Series   int             `json:"series"` // its number in the catalog
	Place    series.Place    `json:"place"`
	Name     string          `json:"name"`            // the place in words
	Noise    *noise.Figure   `json:"noise,omitempty"` // nil where the job did not need it
	Engine   string          `json:"engine,omitempty"`
	Recipe   *denoise.Recipe `json:"recipe,omitempty"` // as run: plain numbers
	Tuned    *Tuned          `json:"tuned,omitempty"`
	NoiseMap *MapRecord      `json:"noise_map,omitempty"`
	Measures *Measures       `json:"measures,omitempty"`
	Seconds  Seconds         `json:"seconds"`
	Slabs    *Slabs          `json:"slabs,omitempty"` // where it is too large for memory
	Clipped  int64           `json:"clipped,omitempty"`
}

// hasFinding reports whether a finding of the same kind and words is known.
func hasFinding(known []series.Finding, f series.Finding) bool {
	for _, o := range known {
		if o.Kind == f.Kind && o.Text.Same(f.Text) {
			return true
		}
	}
	return false
}
