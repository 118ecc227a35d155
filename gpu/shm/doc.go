// Package shm is memory that two processes share: the parent creates a Segment
// and starts the child with its Arg and Files, the child opens it by that
// argument. On Linux it is a memfd, inherited as file descriptor 3, so that no
// name, no /dev/shm limit and no clean-up is needed; on other Unix systems an
// unlinked temporary file, inherited the same way; on Windows a temporary file
// that is opened by its path and removed at Close.
//
// The package imports only the standard library and golang.org/x/sys.
package shm
