package raster

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"quell/io/format"
)

// FileFormat returns a format of single files that keep geometry, data type and description, and hold volumes on one
// grid, which open opens. inputs are as in [format.Format]; the ending of the first output is proposed. describe returns the
// description in a file.
func FileFormat(name string, inputs [][2]string, sniff func(head []byte, name string) bool, open Opener, m Maker,
	describe func(fsys fs.FS, name string) (string, error)) format.Format {
	f := format.Format{
		Name: name, Inputs: inputs, Proposed: inputs[0][1], Frames: true, Streams: true, Datatypes: Datatypes(), Sniff: sniff, Scan: open.Scan,
		NewWriter: func(path string, o format.Options) format.Writer { return m.NewWriter(path, o) },
		Stored:    BytesPerVoxel, Waiting: waiting,
		// The description, unlike a record next to the file, is written by conversions too and stays with a
		// file that is moved.
		Ours: func(path string, _ func(name string) bool) (bool, error) {
			description, err := describe(HostFolder(filepath.Dir(path)), filepath.Base(path))
			return err == nil && strings.Contains(description+" ", "Quell "), nil // a long one is cut off after a word
		},
	}
	for _, in := range inputs {
		if !slices.Contains(f.Endings, in[1]) {
			f.Endings = append(f.Endings, in[1])
		}
	}
	return f
}

// waiting is Format.Waiting: values of an integer type wait for all.
func waiting(dtype string) int {
	if d, err := DatatypeByName(dtype); err != nil || !d.Integer() {
		return 0
	}
	return 4
}
