package executor

import (
	"quell/app/job"
	"quell/app/judge"
	"quell/app/open"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/series"
)

// Outcome is the outcome of a job.
type Outcome struct {
	// Outcome is "denoised" or "unchanged", of a 4-D series if all of its volumes are; empty if nothing was filtered.
	Outcome string `json:"outcome,omitempty"`
	Engine  string `json:"engine,omitempty"`
	Device  string `json:"device,omitempty"`
	// Devices are the GPUs that filtered, each with its time and its part of the work.
	Devices []denoise.DeviceUse `json:"devices,omitempty"`
	// Parts are the evenly spaced slices that were filtered by themselves, and Resampled
	// says how uneven slices became even ones.
	Parts     []series.Part      `json:"parts,omitempty"`
	Resampled *series.Resampling `json:"resampled,omitempty"`
	Recipe    *denoise.Recipe    `json:"recipe,omitempty"` // as run: plain numbers
	Asked     *denoise.Recipe    `json:"asked,omitempty"`  // as asked for: with "auto" and percentages
	Tuned     *run.Tuned         `json:"tuned,omitempty"`  // how the strength was found, if the recipe left it to "sure"
	// Proposal is how the filter was found, if the job left it open; nil else.
	Proposal *run.Proposal     `json:"proposal,omitempty"`
	Noise    *job.AddedNoise   `json:"noise,omitempty"` // that was added
	NoiseMap *run.MapRecord    `json:"noise_map,omitempty"`
	Mask     *run.MapRecord    `json:"mask,omitempty"`
	Seconds  job.Seconds       `json:"seconds"`
	Voxels   int               `json:"voxels"` // of the result
	Dims     [3]int            `json:"dims"`   // of the result
	Measures *judge.Measures   `json:"measures,omitempty"`
	Output   string            `json:"output"`
	Removed  string            `json:"removed,omitempty"` // the path of what the filter removed
	Files    int               `json:"files"`
	Clipped  int64             `json:"clipped"`  // voxels that the output cannot store unchanged
	Warnings []message.Message `json:"warnings"` // about the run and the output
	// Findings are those about the input, notes included.
	Findings []series.Finding `json:"findings"`
	Record   string           `json:"recipe_file,omitempty"` // the record written beside Output
	// Covered says how much of the input was worked on.
	Covered open.Coverage `json:"covered"`
	// LeftOut are volumes and slices of the series that were not worked on, as they are incomplete, damaged or at a
	// place that is taken; never nil.
	LeftOut []series.LeftOut `json:"left_out"`
	Slabs   *Slabs           `json:"slabs,omitempty"` // how a volume was filtered that is too large for memory
	// Axis is what the volumes of a 4-D series differ in, and Volumes what was done with
	// each, in its order. Recipe is nil then: each volume has its own.
	Axis    string          `json:"axis,omitempty"`
	Volumes []VolumeOutcome `json:"volumes,omitempty"`
	TSNR    *judge.TSNR     `json:"tsnr,omitempty"` // of volumes that were judged and repeat each other
	// Run is the finished run of a job that filters one volume as a whole; Written is what the export
	// did; Each is what was done with every volume, one or the volumes of a 4-D series.
	Run     *run.Run        `json:"-"`
	Written job.Written     `json:"-"`
	Each    []VolumeOutcome `json:"-"`
}

// VolumeOutcome is the outcome of one volume of a 4-D series.
type VolumeOutcome struct {
	Series   int             `json:"series"` // its number in the catalog
	Place    series.Place    `json:"place"`
	Name     string          `json:"name"`              // the place in words
	Noise    *noise.Figure   `json:"noise,omitempty"`   // nil if the job did not need it
	Outcome  string          `json:"outcome,omitempty"` // see Outcome
	Engine   string          `json:"engine,omitempty"`
	Recipe   *denoise.Recipe `json:"recipe,omitempty"` // as run: plain numbers
	Tuned    *run.Tuned      `json:"tuned,omitempty"`
	NoiseMap *run.MapRecord  `json:"noise_map,omitempty"`
	Measures *judge.Measures `json:"measures,omitempty"`
	Seconds  job.Seconds     `json:"seconds"`
	Slabs    *Slabs          `json:"slabs,omitempty"` // if it is too large for memory
	// Restored counts the voxels that a filter of 4-D series left as they were, as more would have been removed than noise explains.
	Restored int   `json:"restored,omitempty"`
	Clipped  int64 `json:"clipped,omitempty"`
}

// Slabs says how a volume was filtered, given noise or converted that is too large for memory: slab
// by slab, each of so many slices. The result equals a run on the whole volume by the same numbers:
// on the CPU to the bit, on a GPU as engines agree. The range of the values is taken over all
// slices; what depends on the noise is found in a sample.
type Slabs struct {
	Count  int            `json:"count"`
	Slices int            `json:"slices"`          // of each but the last, which may have fewer
	Memory int64          `json:"memory"`          // bytes that the volumes may take together
	Sample job.SliceRange `json:"sample,omitzero"` // in which the noise was measured; zero if it was not
	Text   string         `json:"text"`            // says so
}
