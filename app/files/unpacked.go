package files

import "quell/internal/message"

// Limits of an archive and of a compressed file. Sizes in headers are checked
// before anything is decompressed, so that a small file cannot ask for more
// memory or time than images of its size can need.
const (
	MaxUnpacked = 64 << 30 // bytes
	// Archives of images shrink by a factor of 2 to 10, images of air by 100;
	// deflate reaches 1032.
	maxRatio        = 200
	ratioCountsFrom = 1 << 30 // decompressed bytes below which any ratio is harmless
)

// CheckUnpacked refuses sizes in bytes that no honest file of images has. The
// result completes the sentence "this file ...".
func CheckUnpacked(packed, unpacked uint64) (problem message.Message) {
	switch {
	case unpacked > MaxUnpacked:
		return message.New(message.InputTooLarge, "unpacks to more than %d GiB", MaxUnpacked>>30)
	case unpacked > ratioCountsFrom && unpacked/max(packed, 1) > maxRatio:
		return message.New(message.InputTooLarge, "unpacks to %d times its size, which no image does", unpacked/max(packed, 1))
	}
	return problem
}
