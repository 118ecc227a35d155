package instance

import (
	"runtime"

	"golang.org/x/sync/errgroup"

	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
)

// Decompress returns a source file in a transfer syntax with plain pixels: the
// file itself where it is in one, else its data set in explicit little endian
// with the pixels decoded and all else byte for byte, but for group lengths.
func Decompress(name string, file []byte) ([]byte, error) {
	h := &Slice{Name: name, Size: int64(len(file))}
	file, p, err := part10.TokenizeAll(file, IsWanted)
	if err != nil {
		return nil, part10.FileError(name, part10.AdviseCopy, err, "the source file is damaged (%s)", part10.Reason(err))
	}
	if p.Syntax.Native() {
		return file, nil
	}
	if h.Fill(p) != KindImage || h.Err != nil || h.Excluded != "" {
		return nil, part10.FileError(name, "open the series again", nil, "the source file is not the one that was loaded")
	}
	pixels, err := h.decodeAll(file, p)
	if err != nil {
		return nil, err
	}
	out := append(make([]byte, 0, len(pixels)+len(file)), part10.HeaderWithSyntax(file, p, part10.UIDExplicitLE)...)
	return part10.Merge(out, file, p.Elements, h.plainEdits(p, pixels)), nil
}

// irreversible holds the transfer syntaxes whose images cannot but be lossy.
var irreversible = map[string]bool{part10.UIDJPEGBaseline: true, part10.UIDJPEGExtended: true}

// plainEdits returns what changes in a data set whose pixels are decoded.
func (h *Slice) plainEdits(p *part10.File, pixels []byte) []part10.Edit {
	vr := "OW"
	if h.Image().Allocated == 8 {
		vr = "OB"
	}
	edits := []part10.Edit{
		{Tag: part10.TagExtendedOffsetTable},
		{Tag: part10.TagExtendedOffsetTableLengths},
		{Tag: part10.TagEncapsulatedPixelDataTotalSize},
		part10.Set(part10.ExplicitLE, part10.TagPixelData, vr, pixels),
	}
	// What was lossy once stays so (PS3.3 C.7.6.1.1.5), whatever the attribute says;
	// the transfer syntax, which said it, is gone.
	if irreversible[p.Syntax.UID] {
		edits = append(edits, part10.Set(part10.ExplicitLE, part10.TagLossyImageCompression, "CS", []byte("01")))
		part10.SortEdits(edits)
	}
	return edits
}

// decodeAll returns the pixels of all frames, decoded in parallel.
func (h *Slice) decodeAll(file []byte, p *part10.File) ([]byte, error) {
	frames, err := pixel.FrameFragments(file, p)
	if err != nil {
		return nil, part10.FileError(h.Name, part10.AdviseCopy, err, "the source file is damaged (%s)", part10.Reason(err))
	}
	n := h.Image().Bytes()
	if total := n * int64(len(frames)); total >= part10.UndefinedLength {
		return nil, part10.FileError(h.Name, part10.AdviseNIfTI, nil, "its decoded pixels (%d bytes) do not fit into a DICOM element", total)
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
