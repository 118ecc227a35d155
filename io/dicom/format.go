package dicom

import (
	"quell/io/format"
	"quell/io/spool"
)

// Format is DICOM as a folder of files, one series in each output.
var Format = format.Format{
	Name: Name, Identity: true, Frames: true, Compresses: true,
	Sniff:     func(head []byte, _ string) bool { return Sniff(head) },
	NewWriter: func(dir string, o format.Options) format.Writer { return NewWriter(dir, o) },
	Stored:    func(string) int { return 2 },
	Waiting:   func(string) int { return spool.VoxelBytes },
	// Every file is one of Quell's own, whatever file managers left there.
	Ours: func(dir string, known func(name string) bool) (bool, error) {
		other, err := Foreign(dir, known)
		return other == "", err
	},
}
