package volume

// Encoding holds, for x and y, how many frequencies of k-space an MR was acquired with, in up to three readings of what
// its file states; 0 is none. Makers count the lines of a smaller field of view, or of a reduced sampling, in different
// ways.
type Encoding [2][3]int

// Stated reports whether the file states anything of an axis.
func (e Encoding) Stated(axis int) bool { return e[axis] != [3]int{} }
