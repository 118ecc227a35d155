package app

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"

	"quell/series"
)

// pictureMark is in the first bytes of every picture, by which it is known again: a tEXt chunk
// of PNG.
const pictureMark = "Software\x00Quell, picture of a comparison"

// isPicture reports whether a file is a picture of Quell.
func isPicture(path string) bool { return holdsMark(path, pictureMark, 256) }

// headerBytes is where the first chunk of a PNG after its header begins.
const headerBytes = 8 + 25

// MarkPicture returns a PNG file that Quell knows again as its own, with label as its
// description; "" for none.
func MarkPicture(file []byte, label string) []byte {
	data := bytes.Clone(file[:headerBytes])
	data = append(data, pngChunk("tEXt", pictureMark)...)
	if label != "" {
		data = append(data, pngChunk("iTXt", "Description\x00\x00\x00\x00\x00"+label)...)
	}
	return append(data, file[headerBytes:]...)
}

// encodePicture returns the file of a picture.
func encodePicture(m image.Image, label string) ([]byte, error) {
	var file bytes.Buffer
	if err := png.Encode(&file, m); err != nil {
		return nil, err
	}
	return MarkPicture(file.Bytes(), label), nil
}

// WritePicture writes a picture as PNG, whole or not at all, with label as its description. An
// earlier picture of Quell is replaced, any other file only with overwrite; see CheckFile for of.
func WritePicture(m image.Image, label, path string, overwrite bool, of ...*series.Series) error {
	data, err := encodePicture(m, label)
	if err != nil {
		return fmt.Errorf("the picture cannot be written: %w", err)
	}
	return WriteFile(PictureOutput, path, data, overwrite, of...)
}

// pngChunk returns a chunk: length, kind, data, and the CRC of kind and data.
func pngChunk(kind, data string) []byte {
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	chunk = append(append(chunk, kind...), data...)
	return binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
}
