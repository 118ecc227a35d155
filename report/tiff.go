package report

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"image"
	"slices"

	"golang.org/x/image/tiff"
)

// TIFFMark ends every TIFF of a picture, by which it is known again: its Software.
const TIFFMark = "Quell, picture of a comparison\x00"

// The tags that TIFF adds, and the layout of a directory.
const (
	tagDescription = 270
	tagSoftware    = 305
	typeASCII      = 2
	entryBytes     = 12
)

// TIFF returns the file of a picture, compressed without loss, with label as its description; "" for none. It has the values of
// the screen, 8 bits for each colour.
func TIFF(m image.Image, label string) ([]byte, error) {
	var file bytes.Buffer
	if err := tiff.Encode(&file, m, &tiff.Options{Compression: tiff.Deflate, Predictor: true}); err != nil {
		return nil, err
	}
	return described(file.Bytes(), label)
}

// described adds description and software to a TIFF, which x/image/tiff cannot: a directory with both, and then the texts,
// follow the file, and its header names that directory. Offsets into the file stay as they are.
func described(file []byte, label string) ([]byte, error) {
	order := binary.LittleEndian
	if !bytes.HasPrefix(file, []byte("II*\x00")) {
		return nil, errors.New("the encoder of TIFF wrote another byte order")
	}
	old := file[order.Uint32(file[4:]):]
	var entries [][]byte
	for i := range int(order.Uint16(old)) {
		entries = append(entries, old[2+i*entryBytes:][:entryBytes])
	}
	texts := []struct {
		tag  uint16
		text string
	}{{tagDescription, label + "\x00"}, {tagSoftware, TIFFMark}}
	if label == "" {
		texts = texts[1:]
	}
	out := append(bytes.Clone(file), make([]byte, len(file)%2)...) // a directory begins at an even byte, and so do texts
	order.PutUint32(out[4:], uint32(len(out)))
	at := len(out) + 2 + (len(entries)+len(texts))*entryBytes + 4
	var tail []byte
	for _, t := range texts {
		tail = append(tail, make([]byte, len(tail)%2)...)
		e := order.AppendUint16(order.AppendUint16(nil, t.tag), typeASCII)
		e = order.AppendUint32(order.AppendUint32(e, uint32(len(t.text))), uint32(at+len(tail)))
		entries, tail = append(entries, e), append(tail, t.text...)
	}
	slices.SortFunc(entries, func(a, b []byte) int { return cmp.Compare(order.Uint16(a), order.Uint16(b)) })
	out = order.AppendUint16(out, uint16(len(entries)))
	for _, e := range entries {
		out = append(out, e...)
	}
	out = append(out, 0, 0, 0, 0) // there is no further directory
	return append(out, tail...), nil
}
