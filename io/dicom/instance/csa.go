package instance

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"quell/internal/message"
	"quell/io/dicom/part10"
	"quell/volume"
)

// csaTagBytes is the length of an element's header.
const csaTagBytes = 64 + 4 + 4 + 4 + 4 + 4

// The elements of a CSA header that describe a mosaic.
const (
	csaImages = "NumberOfImagesInMosaic"
	csaNormal = "SliceNormalVector"
)

var errCSA = message.Errorf(message.InputDamaged, "the Siemens header is damaged")

// csaValues reads a CSA header and returns the values of the named elements.
// There are two forms: CSA2 begins with "SV10" and states item lengths as they are;
// CSA1, before 2004, does neither. Each element has a name of 64 bytes, multiplicity,
// VR, a type, the number of items and a mark; each item has four integers and its
// bytes, padded to four.
func csaValues(b []byte, names ...string) (map[string][]float64, error) {
	le := binary.LittleEndian
	second := bytes.HasPrefix(b, []byte("SV10"))
	if second {
		b = b[min(8, len(b)):]
	}
	if len(b) < 8 {
		return nil, errCSA
	}
	count := le.Uint32(b)
	b = b[8:]
	out := map[string][]float64{}
	firstItems := 0
	for n := range count {
		if len(b) < csaTagBytes {
			return nil, errCSA
		}
		name, _, _ := bytes.Cut(b[:64], []byte{0})
		items := le.Uint32(b[76:])
		b = b[csaTagBytes:]
		if n == 0 {
			firstItems = int(items)
		}
		wanted := false
		for _, w := range names {
			wanted = wanted || string(name) == w
		}
		for range items {
			if len(b) < 16 {
				return nil, errCSA
			}
			length := int(int32(le.Uint32(b[4:])))
			if !second {
				length = int(int32(le.Uint32(b))) - firstItems
			}
			b = b[16:]
			if !second && (length < 0 || length > len(b)) {
				break // the end of a short list in CSA1
			}
			if length < 0 || length > len(b) {
				return nil, errCSA
			}
			if text := strings.Trim(string(b[:length]), part10.ValuePadding); wanted && text != "" {
				v, err := strconv.ParseFloat(text, 64)
				if err != nil || part10.NotFinite(v) {
					return nil, errCSA
				}
				out[string(name)] = append(out[string(name)], v)
			}
			b = b[min((length+3)&^3, len(b)):]
		}
	}
	return out, nil
}

// readCSA returns elements of the Siemens header of a file; nil if it has none or a damaged
// one.
func readCSA(p *part10.File, names ...string) map[string][]float64 {
	b, e, err := p.KeptElement(part10.TagSiemensCSAImageHeader)
	if b == nil || err != nil {
		return nil
	}
	values, err := csaValues(b[e.Value:e.End], names...)
	if err != nil {
		return nil
	}
	return values
}

// AppendMosaicCSA appends a CSA2 header that holds nothing but the number of slices of a
// mosaic and the unit vector from one to the next.
func AppendMosaicCSA(b []byte, slices int, normal volume.Vec) []byte {
	return appendCSA(b, []csaElement{
		{csaImages, "US", []string{strconv.Itoa(slices)}},
		{csaNormal, "FD", []string{fmt.Sprintf("%.8f", normal[0]), fmt.Sprintf("%.8f", normal[1]), fmt.Sprintf("%.8f", normal[2])}},
	})
}

// csaElement is one element of a CSA header.
type csaElement struct {
	name, vr string // at most 63 and 3 characters
	values   []string
}

// appendCSA appends a CSA2 header.
func appendCSA(b []byte, elements []csaElement) []byte {
	const mark = 77
	le := binary.LittleEndian
	b = append(b, "SV10\x04\x03\x02\x01"...)
	b = le.AppendUint32(b, uint32(len(elements)))
	b = le.AppendUint32(b, mark)
	for _, e := range elements {
		var head [64 + 4 + 4]byte
		copy(head[:63], e.name)
		le.PutUint32(head[64:], uint32(len(e.values)))
		copy(head[68:71], e.vr)
		b = append(b, head[:]...)
		for _, n := range []int{0, len(e.values), mark} { // type, items, mark
			b = le.AppendUint32(b, uint32(n))
		}
		for _, v := range e.values {
			n := len(v) + 1 // with its zero
			for _, x := range []int{n, n, mark, n} {
				b = le.AppendUint32(b, uint32(x))
			}
			b = append(append(b, v...), make([]byte, 1+-n&3)...)
		}
	}
	return b
}
