package dicom

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"quell/io/dicom/codec"
)

const (
	tagLossyImageCompression tagID = 0x00282110

	// The elements that index the fragments of encapsulated pixel data.
	tagExtendedOffsetTable            tagID = 0x7FE00001
	tagExtendedOffsetTableLengths     tagID = 0x7FE00002
	tagEncapsulatedPixelDataTotalSize tagID = 0x7FE00003
)

// info returns what a decoder needs to know of a frame.
func (f *pixelFormat) info() codec.Info {
	return codec.Info{Rows: f.rows, Cols: f.cols, BitsAllocated: f.alloc, Bits: f.high + 1, Signed: f.signed}
}

// checkCompressed looks at the size of compressed pixels, before anything of
// the image's size is made.
func (h *header) checkCompressed(pixels element, frames int) *Error {
	n := pixels.end - pixels.value
	switch {
	case pixels.length != undefinedLength:
		return fileError(h.name, adviseCopy, nil, "its pixel data is not in fragments though its transfer syntax is %s", h.syntax.name)
	case int64(frames) > n/8 || !codec.CanHold(h.syntax.uid, int64(frames)*int64(h.format.rows)*int64(h.format.cols), n):
		return fileError(h.name, adviseCopy, nil, "it holds %d bytes of %s, too few for %s of %d x %d pixels",
			n, h.syntax.name, count(frames, "image", "images"), h.format.cols, h.format.rows)
	}
	return nil
}

// decodeFrame returns the little endian pixels of a frame from its fragments.
func (h *header) decodeFrame(fragments [][]byte) ([]byte, error) {
	raw, err := codec.Decode(h.syntax.uid, h.image().info(), fragments)
	if err != nil {
		return nil, fileError(h.name, adviseCopy, err, "its pixels (%s) cannot be decoded (%v)", h.syntax.name, err)
	}
	return raw, nil
}

// frameFragments returns the fragments of every frame of encapsulated pixel data
// (PS3.5 annex A.4); they share the file's memory. Which fragments make a frame is
// told by the extended or the basic offset table; without one, by their number,
// and last by which of them a stream begins in.
func frameFragments(file []byte, p *part10) ([][][]byte, error) {
	frames := numberOfFrames(file, p)
	table, items, err := readItems(file, p.elements[p.pixels])
	switch {
	case err != nil:
		return nil, err
	case frames == 1:
		return [][][]byte{contents(items)}, nil
	case frames > len(items):
		return nil, fmt.Errorf("%d fragments for %d frames", len(items), frames)
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
			starts = append(starts, it.offset)
		}
	} else {
		starts = streamStarts(items)
	}
	if out := splitAt(items, frames, starts); out != nil {
		return out, nil
	}
	return nil, fmt.Errorf("which of its %d fragments make which of %d frames cannot be told", len(items), frames)
}

// fragment is one item of encapsulated pixel data.
type fragment struct {
	offset int64 // of its tag, from the first fragment's
	bytes  []byte
}

func contents(items []fragment) [][]byte {
	out := make([][]byte, len(items))
	for i, it := range items {
		out[i] = it.bytes
	}
	return out
}

// readItems returns the basic offset table, which is the first item, and the
// fragments. The tokenizer has proven that they lie inside the file.
func readItems(file []byte, pixels element) (table []byte, items []fragment, err error) {
	t := &tokenizer{w: wholeWindow(file)}
	var first int64
	for off := pixels.value; ; {
		item, err := t.itemHeader(off, explicitLE)
		if err != nil {
			return nil, nil, err
		}
		if item.tag == tagSequenceDelimitation {
			break
		}
		if off == pixels.value {
			table, first = file[item.value:item.end], item.end
		} else {
			items = append(items, fragment{off - first, file[item.value:item.end]})
		}
		off = item.end
	}
	if len(items) == 0 {
		return nil, nil, errors.New("it holds no fragment of pixels")
	}
	return table, items, nil
}

// numberOfFrames returns how many frames a file has, at least 1.
func numberOfFrames(file []byte, p *part10) int {
	e, ok := p.find(tagNumberOfFrames)
	if !ok || e.length > 12 { // as long as an IS can be
		return 1
	}
	n, _ := strconv.Atoi(strings.Trim(string(file[e.value:e.end]), valuePadding))
	return max(n, 1)
}

// extendedOffsets returns where the frames begin as (7FE0,0001) has it; nil where
// there is none.
func extendedOffsets(file []byte, p *part10) []int64 {
	e, ok := p.find(tagExtendedOffsetTable)
	if !ok || e.length == undefinedLength {
		return nil
	}
	var out []int64
	for b := file[e.value:e.end]; len(b) >= 8; b = b[8:] {
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
func streamStarts(items []fragment) []int64 {
	var out []int64
	for _, it := range items {
		for _, start := range []string{"\xFF\xD8\xFF", "\xFF\x4F\xFF\x51", "\x00\x00\x00\x0CjP"} {
			if bytes.HasPrefix(it.bytes, []byte(start)) {
				out = append(out, it.offset)
			}
		}
	}
	return out
}

// splitAt splits the fragments into frames, each beginning at one of starts; nil
// where starts are not so many or where no fragment begins at one of them.
func splitAt(items []fragment, frames int, starts []int64) [][][]byte {
	if len(starts) != frames || starts[0] != 0 {
		return nil
	}
	out := make([][][]byte, 0, frames)
	for _, it := range items {
		if len(out) < frames && it.offset == starts[len(out)] {
			out = append(out, nil)
		}
		last := len(out) - 1
		out[last] = append(out[last], it.bytes)
	}
	if len(out) != frames {
		return nil
	}
	return out
}

// plainFile returns a source file in a transfer syntax with plain pixels: the
// file itself where it is in one, else its data set in explicit little endian
// with the pixels decoded and all else byte for byte, but for group lengths.
func plainFile(name string, file []byte) ([]byte, error) {
	h := &header{name: name, size: int64(len(file))}
	file, p, err := tokenizeAll(file, isWanted)
	if err != nil {
		return nil, fileError(name, adviseCopy, err, "the source file is damaged (%s)", reason(err))
	}
	if p.syntax.native() {
		return file, nil
	}
	if h.fill(p) != kindImage || h.err != nil || h.aside != "" {
		return nil, fileError(name, "open the series again", nil, "the source file is not the one that was loaded")
	}
	pixels, err := h.decodeAll(file, p)
	if err != nil {
		return nil, err
	}
	out := append(make([]byte, 0, len(pixels)+len(file)), headOf(file, p, uidExplicitLE)...)
	return merge(out, file, p.elements, h.plainEdits(p, pixels)), nil
}

// irreversible holds the transfer syntaxes whose images cannot but be lossy.
var irreversible = map[string]bool{uidJPEGBaseline: true, uidJPEGExtended: true}

// plainEdits returns what changes in a data set whose pixels are decoded.
func (h *header) plainEdits(p *part10, pixels []byte) []edit {
	vr := "OW"
	if h.image().alloc == 8 {
		vr = "OB"
	}
	edits := []edit{
		{tag: tagExtendedOffsetTable},
		{tag: tagExtendedOffsetTableLengths},
		{tag: tagEncapsulatedPixelDataTotalSize},
		{tagPixelData, appendElement(nil, explicitLE, tagPixelData, vr, pixels)},
	}
	// What was lossy once stays so (PS3.3 C.7.6.1.1.5), whatever the attribute says;
	// the transfer syntax, which said it, is gone.
	if irreversible[p.syntax.uid] {
		lossy := appendElement(nil, explicitLE, tagLossyImageCompression, "CS", []byte("01"))
		edits = slices.Insert(edits, 0, edit{tagLossyImageCompression, lossy})
	}
	return edits
}

// decodeAll returns the pixels of all frames, decoded in parallel.
func (h *header) decodeAll(file []byte, p *part10) ([]byte, error) {
	frames, err := frameFragments(file, p)
	if err != nil {
		return nil, fileError(h.name, adviseCopy, err, "the source file is damaged (%s)", reason(err))
	}
	n := h.image().bytes()
	if total := n * int64(len(frames)); total >= undefinedLength {
		return nil, fileError(h.name, adviseNIfTI, nil, "its decoded pixels (%d bytes) do not fit into a DICOM element", total)
	}
	out := make([]byte, n*int64(len(frames)))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, f := range frames {
		g.Go(func() error {
			raw, err := h.decodeFrame(f)
			copy(out[int64(i)*n:], raw)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return out, nil
}
