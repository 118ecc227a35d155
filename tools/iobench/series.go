package main

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"quell/assets"
)

// tag is the group and element of an attribute.
type tag uint32

const (
	sopInstanceUID       tag = 0x00080018
	metaInstanceUID      tag = 0x00020003
	sliceThickness       tag = 0x00180050
	spacingBetweenSlices tag = 0x00180088
	seriesInstanceUID    tag = 0x0020000E
	seriesNumber         tag = 0x00200011
	instanceNumber       tag = 0x00200013
	imagePosition        tag = 0x00200032
	numberOfFrames       tag = 0x00280008
	rows                 tag = 0x00280010
	columns              tag = 0x00280011
	paddingValue         tag = 0x00280120
	pixelData            tag = 0x7FE00010
)

// image is the elements of a file of the bundled series, which is explicit little
// endian and has no sequences.
type image struct {
	preamble []byte
	elements []element
}

type element struct {
	tag   tag
	head  []byte // tag, VR and length
	value []byte
}

func parse(file []byte) *image {
	m := &image{preamble: file[:132]}
	for b := file[132:]; len(b) > 0; {
		e := element{tag: tag(binary.LittleEndian.Uint16(b))<<16 | tag(binary.LittleEndian.Uint16(b[2:]))}
		head, n := 8, int(binary.LittleEndian.Uint16(b[6:]))
		if slices.Contains([]string{"OB", "OW", "SQ", "UN", "UT"}, string(b[4:6])) {
			head, n = 12, int(binary.LittleEndian.Uint32(b[8:]))
		}
		e.head, e.value = b[:head], b[head:head+n]
		m.elements = append(m.elements, e)
		b = b[head+n:]
	}
	return m
}

// value returns the bytes of an attribute.
func (m *image) value(t tag) []byte {
	i := slices.IndexFunc(m.elements, func(e element) bool { return e.tag == t })
	return m.elements[i].value
}

// with returns a copy with new values, written as "VR:value"; "" removes an attribute.
func (m *image) with(values map[tag]string) *image {
	out := &image{preamble: m.preamble}
	for _, e := range m.elements {
		if _, changed := values[e.tag]; !changed {
			out.elements = append(out.elements, e)
		}
	}
	for t, v := range values {
		vr, text, found := strings.Cut(v, ":")
		if !found {
			continue
		}
		if len(text)%2 == 1 {
			text += map[bool]string{true: "\x00", false: " "}[vr == "UI"]
		}
		head := binary.LittleEndian.AppendUint16(nil, uint16(t>>16))
		head = binary.LittleEndian.AppendUint16(head, uint16(t))
		head = append(head, vr...)
		head = binary.LittleEndian.AppendUint16(head, uint16(len(text)))
		out.elements = append(out.elements, element{t, head, []byte(text)})
	}
	slices.SortFunc(out.elements, func(a, b element) int { return cmp.Compare(a.tag, b.tag) })
	out.setMetaLength()
	return out
}

// setMetaLength sets File Meta Information Group Length, the first element.
func (m *image) setMetaLength() {
	n := 0
	for _, e := range m.elements[1:] {
		if e.tag>>16 == 0x0002 {
			n += len(e.head) + len(e.value)
		}
	}
	m.elements[0].value = binary.LittleEndian.AppendUint32(nil, uint32(n))
}

// bytes returns the file with new pixels.
func (m *image) bytes(pixels []byte) []byte {
	b := slices.Clone(m.preamble)
	for _, e := range m.elements {
		if e.tag != pixelData {
			b = append(append(b, e.head...), e.value...)
			continue
		}
		b = append(b, e.head[:8]...)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(pixels)))
		b = append(b, pixels...)
	}
	return b
}

// originals returns the files of the bundled series in the order of their names.
func originals() ([]*image, error) {
	names, err := fs.Glob(assets.Series, "*.dcm")
	var out []*image
	for _, name := range names {
		b, err := fs.ReadFile(assets.Series, name)
		if err != nil {
			return nil, err
		}
		out = append(out, parse(b))
	}
	return out, err
}

// noisy returns the pixels of a slice with noise of up to 8 units, which depends on
// seed. Padding is kept if padded is true, else replaced by air.
func noisy(pixels []byte, seed uint64, padded bool) []byte {
	const padding, air = -1500, -1000
	random := rand.New(rand.NewPCG(seed, 548))
	out := make([]byte, len(pixels))
	var bits uint64
	for i := 0; i < len(out); i += 2 {
		if i%32 == 0 {
			bits = random.Uint64()
		}
		v := int(int16(binary.LittleEndian.Uint16(pixels[i:])))
		noise := int(bits&15) - 8
		bits >>= 4
		switch {
		case v == padding && padded:
		case v == padding:
			v = air + noise
		default:
			v += noise
		}
		binary.LittleEndian.PutUint16(out[i:], uint16(int16(v)))
	}
	return out
}

// set is one series of the benchmark.
type set struct {
	name   string
	number int
	slices int
	padded bool // the corners outside the circle are padding, with the attribute that names its value
	frames bool // in one multi-frame file
}

var sets = []set{
	{name: "ct", number: 1, slices: 548},
	{name: "padded", number: 2, slices: 548, padded: true},
	{name: "frames", number: 3, slices: 548, frames: true},
	{name: "short", number: 4, slices: 100},
}

// makeSets writes every set below dir.
func makeSets(dir string) error {
	for _, s := range sets {
		if err := s.make(dir); err != nil {
			return err
		}
	}
	return nil
}

// make writes the series to a folder of its name in dir, with slices every 0.7 mm along
// the normal of the originals.
func (s set) make(dir string) error {
	from, err := originals()
	if err != nil {
		return err
	}
	dir = filepath.Join(dir, s.name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	const spacing = 0.7
	common := map[tag]string{
		seriesInstanceUID: fmt.Sprintf("UI:2.25.5480%d", s.number),
		seriesNumber:      fmt.Sprintf("IS:%d", s.number),
		sliceThickness:    "DS:0.7",
	}
	if !s.padded {
		common[paddingValue] = ""
	}
	var all []byte
	for z := range s.slices {
		source := from[z%len(from)]
		pixels := noisy(source.value(pixelData), uint64(z), s.padded)
		if s.frames {
			all = append(all, pixels...)
			continue
		}
		uid := fmt.Sprintf("UI:2.25.5480%d.%d", s.number, z+1)
		common[sopInstanceUID], common[metaInstanceUID] = uid, uid
		common[instanceNumber] = fmt.Sprintf("IS:%d", z+1)
		// The normal of the orientation that all originals share.
		common[imagePosition] = fmt.Sprintf("DS:-125\\%.6f\\%.6f", -123.54+0.3173047*spacing*float64(z), 61.84+0.9483237*spacing*float64(z))
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("IM%04d.dcm", z+1)), source.with(common).bytes(pixels), 0o666); err != nil {
			return err
		}
	}
	if !s.frames {
		return nil
	}
	common[numberOfFrames] = fmt.Sprintf("IS:%d", s.slices)
	common[spacingBetweenSlices] = fmt.Sprintf("DS:%g", spacing)
	return os.WriteFile(filepath.Join(dir, "frames.dcm"), from[0].with(common).bytes(all), 0o666)
}
