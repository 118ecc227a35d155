package app

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"path/filepath"
	"strings"

	"quell/io/atomic"
)

// pictureMark is in the first bytes of every picture of the panes, by which it is known again:
// a tEXt chunk of PNG.
const pictureMark = "Software\x00Quell, picture of a comparison"

// CheckPicture returns an error where a picture cannot be written to path; one that wraps
// ErrForeignTarget where a file is there that is no picture of Quell, unless overwrite is set.
func CheckPicture(path string, overwrite bool) error {
	if !strings.EqualFold(filepath.Ext(path), ".png") {
		return Usagef("a picture is a PNG file: let its name end in .png")
	}
	if err := atomic.Check(path, false); err != nil {
		return &UsageError{Text: "the picture cannot be written: " + err.Error(), Err: err}
	}
	if exists(path) && !overwrite && !holdsMark(path, pictureMark, 256) {
		return foreign(path)
	}
	return nil
}

// headerBytes is where the first chunk of a PNG after its header begins.
const headerBytes = 8 + 25

// WritePicture writes a picture as PNG, whole or not at all, with label as its description. An
// earlier picture of Quell is replaced, any other file only with overwrite.
func WritePicture(m image.Image, label, path string, overwrite bool) error {
	if err := CheckPicture(path, overwrite); err != nil {
		return err
	}
	var file bytes.Buffer
	if err := png.Encode(&file, m); err != nil {
		return fmt.Errorf("the picture cannot be written: %w", err)
	}
	data := bytes.Clone(file.Bytes()[:headerBytes])
	data = append(data, pngChunk("tEXt", pictureMark)...)
	data = append(data, pngChunk("iTXt", "Description\x00\x00\x00\x00\x00"+label)...)
	return atomic.WriteFile(path, append(data, file.Bytes()[headerBytes:]...), 0o666)
}

// pngChunk returns a chunk: length, kind, data, and the CRC of kind and data.
func pngChunk(kind, data string) []byte {
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	chunk = append(append(chunk, kind...), data...)
	return binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
}
