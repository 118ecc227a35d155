// Package shm provides memory shared by two processes: the parent creates a
// Segment and starts the child with its Arg and Files, the child opens it by that
// argument. On Linux it is a memfd, inherited as file descriptor 3, which needs no
// name and no clean-up and is not limited by the size of /dev/shm; on other Unix
// systems it is an unlinked temporary file, inherited the same way; on Windows it
// is a temporary file that is opened by its path and removed by Close.
//
// The package imports only the standard library and golang.org/x/sys.
package shm
