package instance

import (
	"context"

	"quell/internal/message"
	"quell/internal/parallel"
	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
)

// OpenSource parses the bytes of a file, to derive another file from it, and
// decompresses its pixels: the data set is the file's own if its transfer syntax is
// native, else one in explicit little endian in which all other elements are the same
// byte for byte, but for group lengths, which are removed.
func OpenSource(name string, file []byte) (part10.Dataset, *Instance, error) {
	damaged := func(err error) error {
		return part10.FileError(message.InputDamaged, name, part10.AdviseCopy, err, "the source file is damaged (%s)", part10.Cause(err))
	}
	size := int64(len(file))
	file, p, err := part10.TokenizeAll(file, IsWanted)
	if err != nil {
		return part10.Dataset{}, nil, damaged(err)
	}
	in := Parse(name, size, p)
	if in.Usable() && len(in.Slices) > 0 && (in.SOPClass == part10.ParametricMap || in.Slices[0].Format.ReadOnly()) {
		return part10.Dataset{}, nil, part10.FileError(message.OutputUnsupported, name, part10.AdviseNIfTI, nil, "its values are a map, floating point numbers or from a lookup table, and no DICOM series is derived from such")
	}
	if !in.Usable() {
		return part10.Dataset{}, nil, part10.FileError(message.InputChanged, name, message.Text("open the series again"), nil, "the source file is not the one that was loaded")
	}
	if !p.Syntax.Native() {
		pixels, err := in.decodeAll(file, p)
		if err != nil {
			return part10.Dataset{}, nil, err
		}
		out := append(make([]byte, 0, len(pixels)+len(file)), part10.HeaderWithSyntax(file, p, part10.UIDExplicitLE)...)
		file = part10.Merge(out, file, p.Elements, in.nativeEdits(pixels))
		if p, err = part10.TokenizeBytes(file, IsWanted); err != nil {
			return part10.Dataset{}, nil, damaged(err)
		}
		in = Parse(name, int64(len(file)), p)
	}
	return part10.Dataset{Bytes: file, File: p, Encoding: p.Syntax.Encoding}, in, nil
}

// irreversible holds the transfer syntaxes of images that are always lossy.
var irreversible = map[string]bool{part10.UIDJPEGBaseline: true, part10.UIDJPEGExtended: true}

// nativeEdits returns what changes in a data set when its pixels are decoded.
func (in *Instance) nativeEdits(pixels []byte) []part10.Edit {
	vr := "OW"
	if in.Slices[0].Format.Allocated == 8 {
		vr = "OB"
	}
	edits := []part10.Edit{
		{Tag: part10.TagExtendedOffsetTable},
		{Tag: part10.TagExtendedOffsetTableLengths},
		{Tag: part10.TagEncapsulatedPixelDataTotalSize},
		part10.Set(part10.ExplicitLE, part10.TagPixelData, vr, pixels),
	}
	// An image that was compressed with loss once stays lossy (PS3.3 C.7.6.1.1.5),
	// whatever the attribute says; the transfer syntax that said so is gone.
	if irreversible[in.Syntax.UID] {
		edits = append(edits, part10.Set(part10.ExplicitLE, part10.TagLossyImageCompression, "CS", []byte("01")))
		part10.SortEdits(edits)
	}
	return edits
}

// decodeAll returns the pixels of all frames, decoded in parallel.
func (in *Instance) decodeAll(file []byte, p *part10.File) ([]byte, error) {
	frames, err := pixel.FrameFragments(file, p)
	if err != nil {
		return nil, part10.FileError(message.InputDamaged, in.Name, part10.AdviseExport, err, "its pixel data is damaged (%s)", part10.Cause(err))
	}
	n := in.Slices[0].ImageFormat().Bytes()
	if total := n * int64(len(frames)); total >= part10.UndefinedLength {
		return nil, part10.FileError(message.InputDamaged, in.Name, part10.AdviseNIfTI, nil, "its decoded pixels (%d bytes) do not fit into a DICOM element", total)
	}
	out := make([]byte, n*int64(len(frames)))
	err = parallel.For(context.Background(), len(frames), func(i int) error {
		raw, err := in.Slices[0].decodeFrame(frames[i])
		copy(out[int64(i)*n:], raw)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
