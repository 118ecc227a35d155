package dicom

import (
	"fmt"
	"slices"

	"github.com/suyashkumar/dicom/pkg/tag"
)

// makeExplicit turns a source in implicit little endian, whose pixels are to be
// compressed, into explicit little endian, which compressed files have to be in. The
// values stay byte for byte; each gets the VR of the data dictionary.
func (s *derivedImage) makeExplicit() error {
	if s.enc != implicitLE || !s.Compress.fits(explicitLE, &s.format) {
		return nil
	}
	w := explicitWriter{s.bytes}
	data, err := w.elements(nil, s.file.elements, s.format.signed, 0)
	if err != nil {
		return fileError(s.slices[0].name, "export without compression", err, "its attributes cannot be written with explicit types, as a compressed file needs them (%s)", reason(err))
	}
	return s.rewrite(uidExplicitLE, data)
}

// explicitWriter re-encodes elements of implicit little endian whose bytes lie in b.
type explicitWriter struct{ b []byte }

// elements appends elements in explicit little endian. signed is the pixel
// representation of the data set, or of the one that an item belongs to.
func (w explicitWriter) elements(out []byte, elements []element, signed bool, depth int) ([]byte, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("sequences are nested deeper than %d", maxDepth)
	}
	for _, e := range elements {
		if e.tag == tagPixelRepresentation && e.length >= 1 {
			signed = w.b[e.value] == 1
		}
	}
	for _, e := range elements {
		vr := explicitVR(e.tag, signed)
		switch {
		case e.tag.element() == 0: // a group length, now wrong
		case vr == "SQ" || e.length == undefinedLength:
			var err error
			if out, err = w.sequence(out, e, signed, depth+1); err != nil {
				return nil, err
			}
		default:
			if !longVR(vr) && e.length > 0xFFFE {
				vr = "UN" // PS3.5 section 6.2.2: its length does not fit
			}
			out = appendElementHeader(out, explicitLE, e.tag, vr, e.length)
			out = append(out, w.b[e.value:e.end]...)
		}
	}
	return out, nil
}

func (w explicitWriter) sequence(out []byte, e element, signed bool, depth int) ([]byte, error) {
	var items []byte
	err := eachItem(w.b, e, implicitLE, func(item sequenceItem) error {
		inner, err := w.elements(nil, slices.Clone(item.elements), signed, depth)
		items = appendItem(items, explicitLE, inner)
		return err
	})
	return appendElement(out, explicitLE, e.tag, "SQ", items), err
}

// explicitVR returns the VR that a tag has in an explicit data set that was implicit
// (PS3.5 annex A.1); UN where it is not known, as of private ones.
func explicitVR(t tagID, signed bool) string {
	group, elem := t.group(), t.element()
	switch {
	case group%2 == 1 && elem >= 0x10 && elem <= 0xFF:
		return "LO" // a private creator
	case group&0xFF01 == 0x5000, group&0xFF01 == 0x6000:
		group &= 0xFF00 // curves and overlays are numbered by their group
	}
	info, err := tag.Find(tag.Tag{Group: group, Element: elem})
	switch {
	case err != nil || len(info.VRs) == 0:
		return "UN"
	case slices.Contains(info.VRs, "OW"):
		return "OW"
	case signed && slices.Contains(info.VRs, "SS"):
		return "SS"
	}
	return info.VRs[0]
}
