package executor

import (
	"context"
	"time"

	"quell/app/job"
	"quell/app/run"
	"quell/denoise"
	"quell/series"
	"quell/volume"
)

// Sink makes one output of the volumes of a job: a file, a folder of pictures, a verdict. Begin is
// called before anything is filtered, Slab for every part of every volume in order, and Finish
// when all are there. Abort ends every sink that was begun, in any case: after Finish it does
// nothing, before it removes incomplete files. The calls come from one goroutine.
type Sink interface {
	// Begin checks what the output needs. first is the first volume, perhaps without voxels.
	Begin(ctx context.Context, first *Made) error
	// Slab takes the next slices. They are valid during the call.
	Slab(ctx context.Context, s *Slab) error
	// Finish completes the output, and adds to the outcome what it did.
	Finish(ctx context.Context, r *Outcome) error
	Abort()
}

// Follower is a sink that may take the voxels of a volume while the engine computes them. Follow
// must return at once. Slab follows with the complete result, unless the engine fails.
type Follower interface {
	Follow(ctx context.Context, made *Made, a *volume.Arrival)
}

// Made is the result of a job on a volume or on some of its slices.
type Made struct {
	// Source is what was filtered, given noise or converted, and Region the voxels of it that the
	// result covers: Source may hold slices around them.
	Source *series.Series
	Region volume.Region
	Result *volume.Volume  // of the dims of Region; nil without voxels
	Run    *run.Run        // nil if nothing was filtered
	Engine denoise.Engine  // that filtered; nil if that is not known
	Noise  *job.AddedNoise // that was added; nil for none
	Rank   *volume.Volume  // that a filter of 4-D series kept at each place; nil for a filter of volumes
	Clean  *series.Series  // Source before the noise; nil without noise

	Found     *run.VoxelHash // of the voxels of Source; nil if it is not looked for
	cleanEnds *[2]float32    // of the range of Clean, if that has no voxels; nil if it has
}

// Slab is the result in some slices of a volume, or in all.
type Slab struct {
	Volume int   // its number in the source of the job
	From   int   // the first slice of the result in the volume
	Whole  *Made // the volume; without voxels if it is made in several slabs
	Part   *Made // these slices
	// First and Last say that the slab begins and ends the volume.
	First, Last bool
	// Outcome is about the volume: sinks add to it with the last slab.
	Outcome *VolumeOutcome
	// Read identifies all that was read, with the last of several slabs; nil else.
	Read *Digests
}

// Digests identify the voxels of a volume and of the maps that steered the filter.
type Digests struct {
	Source         string // see output.SourceRecord.SHA256
	NoiseMap, Mask *run.MapRecord
}

// Section returns the source of the voxels of the result alone, on their grid.
func (m *Made) Section() *series.Series { return run.Section(m.Source, m.Region) }

// timed calls f and adds its time to sum.
func timed(sum *float64, f func() error) error {
	started := time.Now()
	err := f()
	*sum += time.Since(started).Seconds()
	return err
}
