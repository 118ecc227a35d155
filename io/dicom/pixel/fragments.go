package pixel

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"

	"quell/internal/message"
	"quell/io/dicom/codec"
	"quell/io/dicom/part10"
)

// FrameFragments returns the fragments of every frame of encapsulated pixel data (PS3.5
// annex A.4); they share the memory of file. Fragments are assigned to frames by the
// extended or the basic offset table, else by their number, else by the fragments that
// begin with the start of a stream.
func FrameFragments(file []byte, p *part10.File) ([][][]byte, error) {
	frames := numberOfFrames(file, p)
	table, items, err := part10.ReadFragments(file, p.Elements[p.PixelIndex])
	switch {
	case err != nil:
		return nil, err
	case frames == 1:
		return [][][]byte{contents(items)}, nil
	case frames > len(items):
		return nil, message.Errorf(message.InputDamaged, "%d fragments for %d frames", len(items), frames)
	}
	starts := extendedOffsets(file, p)
	if starts == nil {
		starts = basicOffsets(table)
	}
	if out := splitAt(items, frames, starts); out != nil {
		return out, nil
	}
	if frames == len(items) {
		starts = nil
		for _, it := range items {
			starts = append(starts, it.Offset)
		}
	} else {
		starts = streamStarts(items)
	}
	if out := splitAt(items, frames, starts); out != nil {
		return out, nil
	}
	return nil, message.Errorf(message.InputDamaged, "which of its %d fragments make which of %d frames cannot be determined", len(items), frames)
}

func contents(items []part10.Fragment) [][]byte {
	out := make([][]byte, len(items))
	for i, it := range items {
		out[i] = it.Bytes
	}
	return out
}

// numberOfFrames returns how many frames a file has, at least 1.
func numberOfFrames(file []byte, p *part10.File) int {
	e, ok := p.Find(part10.TagNumberOfFrames)
	if !ok || e.Length > 12 { // as long as an IS can be
		return 1
	}
	n, _ := strconv.Atoi(strings.Trim(string(file[e.Value:e.End]), part10.ValuePadding))
	return max(n, 1)
}

// extendedOffsets returns the frame offsets of (7FE0,0001); nil if
// there is none.
func extendedOffsets(file []byte, p *part10.File) []int64 {
	e, ok := p.Find(part10.TagExtendedOffsetTable)
	if !ok || e.Length == part10.UndefinedLength {
		return nil
	}
	var out []int64
	for b := file[e.Value:e.End]; len(b) >= 8; b = b[8:] {
		out = append(out, int64(binary.LittleEndian.Uint64(b)))
	}
	return out
}

func basicOffsets(table []byte) []int64 {
	var out []int64
	for ; len(table) >= 4; table = table[4:] {
		out = append(out, int64(binary.LittleEndian.Uint32(table)))
	}
	return out
}

// streamStarts returns the offsets of the fragments that begin as a stream of
// JPEG, JPEG-LS or JPEG 2000 does.
func streamStarts(items []part10.Fragment) []int64 {
	var out []int64
	for _, it := range items {
		for _, start := range []string{"\xFF\xD8\xFF", "\xFF\x4F\xFF\x51", "\x00\x00\x00\x0CjP"} {
			if bytes.HasPrefix(it.Bytes, []byte(start)) {
				out = append(out, it.Offset)
			}
		}
	}
	return out
}

// splitAt splits the fragments into frames, each beginning at one of starts; nil if
// starts are not so many or if no fragment begins at one of them.
func splitAt(items []part10.Fragment, frames int, starts []int64) [][][]byte {
	if len(starts) != frames || starts[0] != 0 {
		return nil
	}
	out := make([][][]byte, 0, frames)
	for _, it := range items {
		if len(out) < frames && it.Offset == starts[len(out)] {
			out = append(out, nil)
		}
		last := len(out) - 1
		out[last] = append(out[last], it.Bytes)
	}
	if len(out) != frames {
		return nil
	}
	return out
}

// Info returns the description of a frame that decoders need.
func (f *Format) Info() codec.Info {
	return codec.Info{Rows: f.Rows, Cols: f.Cols, BitsAllocated: f.Allocated, Bits: f.High + 1, Signed: f.Signed}
}
