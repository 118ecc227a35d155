package batch

import "quell/app"

// A series needs so many times its float32 volume while it is in work: the input, the result,
// what the filter keeps in between, and what is read back to compare. Of a 4-D series the next
// volume is read meanwhile, unless the batch may not take as much.
const (
	volumesInWork = 5
	groupInWork   = 8
)

// needs estimates the bytes of memory that a series takes from reading to writing, given the
// bytes of its files.
func needs(e app.Entry, files int64) int64 {
	n := leastNeeds(e, files)
	if e.Group != nil {
		n += (groupInWork - volumesInWork) * 4 * int64(e.Geometry.Voxels())
	}
	return n
}

// leastNeeds is needs where the next volume of a 4-D series is not read meanwhile.
func leastNeeds(e app.Entry, files int64) int64 {
	if e.Group != nil {
		files /= int64(e.Group.Len())
	}
	return volumesInWork*4*int64(e.Geometry.Voxels()) + files
}
