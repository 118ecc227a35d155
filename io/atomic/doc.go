// Package atomic is the one way to write an output: a file, a folder, or a
// target with companions that belong to it, such as the record of how it was
// made or the .img of an Analyze header.
//
// An output is made in a stage, a hidden folder next to its target and so on the
// same file system:
//
//	s, err := atomic.Begin("out/brain.nii")
//	...
//	defer s.Close()
//	write and check s.Path("brain.nii") and s.Path("brain.nii.recipe.json")
//	err = s.Commit(ctx, "brain.nii.recipe.json")
//
// Commit syncs everything and then renames. Its order is
//
//  1. earlier companions move into the stage,
//  2. the new target takes the place of the earlier one, in one step if the
//     file system can do that,
//  3. the new companions move to its side,
//
// so that a target never lies next to a companion that belongs to another. When a
// step fails, the steps before it are undone. When the process is killed or the
// machine stops between two steps, the stage still holds everything, and the next
// Begin in that folder completes or undoes the commit, if it is on the same machine
// or once the lease of the stage has expired. Until then:
//
//   - the target is the earlier or the new one, whole. Only a folder on a file
//     system without an atomic exchange (network shares, Windows) may be missing;
//   - its companions may be missing. An Analyze header without its .img cannot be
//     opened, so new voxels are never read under an old header.
//
// A folder that cannot be exchanged for another is written into: a mount point, or one with
// a parent folder that is not writable, as in containers. The stage is then inside the
// folder, and so are the companions. Commit renames entry by entry, under a lock that
// writers on one machine share:
//
//  1. the earlier companions and then the earlier entries move into the stage,
//  2. the new entries and then the new companions move out of it.
//
// A kill between two renames leaves a part of the earlier entries or a part of the new ones,
// never some of both, and no companion next to a part. The stage holds the rest. The next
// Begin on that folder or in it completes the commit, once the lease has expired, unless an
// entry was changed since; a writer that comes before replaces the part by its own output.
// lost+found stays.
//
// A stage carries a lease, a file that its owner rewrites every minute, and a lock
// (flock), which the system gives back when the owner ends, however it ends. Begin
// removes the stages of the target with a free lock or an expired lease. The lock
// counts only if the lease names the running kernel: other machines may not see it,
// while all containers of one kernel do. Process ids and host names play no part,
// because containers share storage and names; nor do clocks of machines: all times
// compared are modification times that the one file system gave.
//
// Two commits to one target at the same time leave one of the two targets whole,
// but perhaps next to a companion of the other.
//
// The package imports the standard library, x/sys/unix for the atomic exchange of
// folders and for locks on them, and internal/parallel.
package atomic
