// Package arrays serves programs that hold their images in memory, such as the Python package: quell serve-arrays. The
// results are those of the command line, bit for bit, as both do their jobs by the doors of app.
//
// # Protocol
//
// Requests and replies are lines of UTF-8, each one JSON object without a line end in it, of at most MaxLine bytes; in
// on standard input, out on standard output. Voxels are in files that both processes map, so that no byte of them
// passes a pipe. The first line out is {"protocol": "quell.arrays", "version": 1, "quell": "0.2.0"}; a client that does
// not know the version ends.
//
// A request has an "id", which its replies repeat, and a "do":
//
//	map      {"file": PATH}: maps a file for reading and writing; gives {"memory": N}, by which arrays name it, and
//	         {"bytes": SIZE}
//	unmap    {"memory": N}: ends that
//	denoise  see Request; the filtered voxels go to "output"
//	estimate the noise of "input"; with "output" sigma of each voxel goes there
//	assess   judges "result" as the result of a filter on "input"
//	cancel   {"id": N}: cancels request N, which then ends with an error of kind "cancelled"; it has no reply itself
//
// A reply is {"id": N, "result": {...}} or {"id": N, "error": {"kind", "code", "text", "file"}}, the error as --json of
// the command line has it. While a request is worked on there may be {"id": N, "event": "warning" or "note", "text": ...}
// and {"id": N, "event": "progress", "step": "filtering", "done": N, "total": N}.
//
// An array is {"memory": N, "offset": BYTES, "dims": [nx, ny, nz]}: float32 of the byte order of the machine, x
// fastest, or bytes for a mask. The offset is a multiple of 4. Lengths are checked before anything is read or
// allocated. Inputs are not changed; a client leaves the files of a request alone until its reply is there. Requests
// are worked on one after another; up to MaxWaiting wait.
//
// When standard input ends, requests in work are cancelled and the server returns.
package arrays
