package executor

import (
	"cmp"

	"quell/app/job"
	"quell/denoise"
	"quell/volume"
)

// MemoryPlan is how a job uses main memory: whether it works on a volume as a whole or slab by
// slab, what is in memory besides it, and how many slices are judged at a time. The command line,
// a batch and the window decide by it, so that one series, job and limit have one result
// everywhere: other outputs and the verdict change nothing.
type MemoryPlan struct {
	Limit int64 // bytes that the process may take
	Room  int64 // of these, bytes for voxels
	Whole int64 // bytes of voxels that filtering a volume as a whole takes
	Slabs bool  // Whole is more than Room
	Ahead bool  // the next volume of a 4-D series is read while one is worked on
	// Judged is how many slices are judged at a time: all, if the limit allows it. The verdict on
	// several parts is that on the worst.
	Judged int
	// Peak is what the job takes of Room at most.
	Peak int64
}

// programMemory is what the process takes besides voxels: its code, and buffers of readers and writers. They have an
// eighth of what a limit is above it, and the scratch memory of the cores at most half.
const programMemory = 64e6

// spare returns how much of a limit is not for voxels if so many bytes are needed.
func spare(limit, need, share int64) int64 { return min(need, max(0, limit-programMemory)/share) }

// What judging a result takes at most: some volumes of float32, and for each core some slices and
// the scratch memory of the filter, which runs again on boxes of 40 000 voxels.
const (
	judgedVolumes = 4
	judgedBase    = 64e6
	judgedSlices  = 20  // of float32, for a core
	judgedScratch = 4e6 // for a core
)

// Plan returns the plan for so many volumes of geometry g.
func Plan(j job.Job, g volume.Geometry, volumes int) MemoryPlan {
	p := MemoryPlan{Limit: cmp.Or(j.Memory, job.DefaultMemory()), Judged: g.Dims[2]}
	p.Room = p.Limit - spare(p.Limit, programMemory, 8)
	n := int64(g.Voxels())
	if n == 0 {
		return p
	}
	p.Whole = VoxelBytes(j, j.Recipe, g) * n
	p.Slabs = p.Whole > p.Room
	if p.Slabs {
		p.Peak, p.Judged = p.Room, judgedAtATime(g, p.Room/4)
		return p
	}
	held := 4 * n * volumesOf(j)
	judged := 4 * judgedVolumes * n
	if p.Ahead = volumes > 1 && p.Whole+4*n <= p.Room; p.Ahead {
		held += 4 * n
	}
	p.Peak = max(p.Whole, held)
	if j.Recipe != nil {
		p.Judged = judgedAtATime(g, p.Room-held)
		p.Peak = max(p.Peak, min(held+judged, p.Room))
	}
	return p
}

// judgedAtATime returns how many slices of g can be judged in so many bytes; at least one.
func judgedAtATime(g volume.Geometry, bytes int64) int {
	perSlice := 4 * judgedVolumes * int64(g.SliceVoxels())
	return int(min(max(bytes/perSlice, 1), int64(g.Dims[2])))
}

// volumesOf is how many volumes the job holds between its steps: the input, the result if it is
// another volume, and the series without noise, which the result is compared with.
func volumesOf(j job.Job) int64 {
	n := int64(1)
	if j.Noise != nil {
		n++
	}
	if j.Recipe != nil {
		n++
	}
	return n
}

// VoxelBytes is what a voxel takes in main memory if r filters it: that of all volumes, and of
// what passes leave to later ones.
func VoxelBytes(j job.Job, r *denoise.Recipe, g volume.Geometry) int64 {
	n := volumesOf(j)
	if r != nil {
		n += intermediates(*r, g)
		for _, f := range denoise.Filters() {
			if other, err := denoise.NewRecipe(f.Name, r.Dims); j.AutoFilter && err == nil {
				n = max(n, volumesOf(j)+intermediates(other, g))
			}
		}
	}
	return 4 * n
}

// intermediates is how many volumes the passes of r leave to later ones.
func intermediates(r denoise.Recipe, g volume.Geometry) int64 {
	p, err := r.Outline(g)
	if err != nil { // it is found later
		return 0
	}
	return int64(p.Intermediates())
}
