package pixel

import (
	"quell/io/dicom/part10"

	lib "github.com/suyashkumar/dicom"

	"quell/internal/message"
)

// LUT gives the real values of stored ones (Modality LUT, PS3.3 C.11.1).
type LUT struct {
	first  int64     // stored value of the first entry; values below have it too, values above the last have the last
	values []float32 // of the entries
	HU     bool      // they are Hounsfield units
}

// value returns the real value of a stored one.
func (t *LUT) value(stored int64) float32 {
	return t.values[min(max(stored-t.first, 0), int64(len(t.values)-1))]
}

// ReadLUT reads the Modality LUT of a file; nil if it has none. The error is for one that is damaged.
func ReadLUT(p *part10.File, signed bool) (t *LUT, err error) {
	b, e, err := p.KeptElement(part10.TagModalityLUTSequence)
	if b == nil || err != nil {
		return nil, err
	}
	damaged := message.Errorf(message.InputDamaged, "its Modality LUT is damaged")
	err = part10.EachItem(b, e, p.Syntax.Encoding, func(item part10.SequenceItem) error {
		if t != nil {
			return nil
		}
		a := part10.Attributes{Set: map[part10.Tag]*lib.Element{}}
		a.Take(b, item, part10.TagLUTDescriptor, part10.TagModalityLUTType)
		descriptor := a.Integers(part10.TagLUTDescriptor)
		var data []byte
		for _, e := range item.Elements {
			if e.Tag == part10.TagLUTData && e.Length != part10.UndefinedLength {
				data = b[e.Value:e.End]
			}
		}
		if len(descriptor) != 3 {
			return damaged
		}
		n := int(uint16(descriptor[0]))
		if n == 0 {
			n = 1 << 16
		}
		t = &LUT{first: int64(uint16(descriptor[1])), values: make([]float32, n), HU: a.Text(part10.TagModalityLUTType) == "HU"}
		if signed {
			t.first = int64(int16(descriptor[1]))
		}
		switch {
		case len(data) == 2*n:
			for i := range t.values {
				t.values[i] = float32(p.Syntax.Order.Uint16(data[2*i:]))
			}
		case len(data) == n+n%2 && uint8(descriptor[2]) <= 8:
			for i := range t.values {
				t.values[i] = float32(data[i])
			}
		default:
			return damaged
		}
		return nil
	})
	if t == nil && err == nil {
		err = damaged
	}
	return t, err
}
