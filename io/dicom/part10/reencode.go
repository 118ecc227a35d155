package part10

import (
	"fmt"
	"slices"

	"github.com/suyashkumar/dicom/pkg/tag"
)

// ExplicitElements returns the elements of a data set in implicit little endian in
// explicit little endian. Values stay byte for byte; each element gets the VR of
// the data dictionary. signed is the pixel representation of the data set.
func (d *Dataset) ExplicitElements(signed bool) ([]byte, error) {
	return explicitWriter{d.Bytes}.elements(nil, d.File.Elements, signed, 0)
}

// explicitWriter re-encodes elements of implicit little endian whose bytes lie in b.
type explicitWriter struct{ b []byte }

// elements appends elements in explicit little endian. signed is the pixel
// representation of the data set, or of the one that an item belongs to.
func (w explicitWriter) elements(out []byte, elements []Element, signed bool, depth int) ([]byte, error) {
	if depth > MaxDepth {
		return nil, fmt.Errorf("sequences are nested deeper than %d", MaxDepth)
	}
	for _, e := range elements {
		if e.Tag == TagPixelRepresentation && e.Length >= 1 {
			signed = w.b[e.Value] == 1
		}
	}
	for _, e := range elements {
		vr := explicitVR(e.Tag, signed)
		switch {
		case e.Tag.Element() == 0: // a group length, now wrong
		case vr == "SQ" || e.Length == UndefinedLength:
			var err error
			if out, err = w.sequence(out, e, signed, depth+1); err != nil {
				return nil, err
			}
		default:
			if !longVR(vr) && e.Length > 0xFFFE {
				vr = "UN" // PS3.5 section 6.2.2: its length does not fit
			}
			out = AppendElementHeader(out, ExplicitLE, e.Tag, vr, e.Length)
			out = append(out, w.b[e.Value:e.End]...)
		}
	}
	return out, nil
}

func (w explicitWriter) sequence(out []byte, e Element, signed bool, depth int) ([]byte, error) {
	var items []byte
	err := EachItem(w.b, e, ImplicitLE, func(item SequenceItem) error {
		inner, err := w.elements(nil, slices.Clone(item.Elements), signed, depth)
		items = AppendItem(items, ExplicitLE, inner)
		return err
	})
	return AppendElement(out, ExplicitLE, e.Tag, "SQ", items), err
}

// explicitVR returns the VR that a tag has in an explicit data set that was implicit
// (PS3.5 annex A.1); UN if it is not in the dictionary, as private ones are not.
func explicitVR(t Tag, signed bool) string {
	group, elem := t.Group(), t.Element()
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
