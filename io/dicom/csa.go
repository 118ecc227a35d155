package dicom

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strconv"
	"strings"
)

// tagCSAImageHeaderInfo is where Siemens keeps the header of its own software
// (Common Siemens Architecture): element 10 of a private block that its files
// always have as the first of the group.
const (
	tagCSAImageHeaderInfo tagID = 0x00291010
	csaTagBytes                 = 64 + 4 + 4 + 4 + 4 + 4
)

var errCSA = errors.New("the Siemens header is damaged")

// csaValues reads a CSA header and returns the values of the named elements.
// There are two forms: "SV10" at the start and the item lengths as they are
// (CSA2), or neither (CSA1, before 2004). Each element has a name of 64 bytes,
// multiplicity, VR, a type, the number of items and a mark; each item four
// integers and its bytes, padded to four.
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
				break // CSA1 ends a short list so
			}
			if length < 0 || length > len(b) {
				return nil, errCSA
			}
			if text := strings.Trim(string(b[:length]), " \x00"); wanted && text != "" {
				v, err := strconv.ParseFloat(text, 64)
				if err != nil || notFinite(v) {
					return nil, errCSA
				}
				out[string(name)] = append(out[string(name)], v)
			}
			b = b[min((length+3)&^3, len(b)):]
		}
	}
	return out, nil
}
