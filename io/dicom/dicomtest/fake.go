package dicomtest

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/flate"

	"quell/io/dicom/instance"
	"quell/io/dicom/part10"
)

// Fake is a generated DICOM file: attributes by tag, in any of the three plain
// encodings. Numbers that DICOM keeps in binary are given as int.
type Fake struct {
	Enc    part10.Encoding
	Values map[part10.Tag]any // string, int (US), []byte (as they are) or rawElement
	Pixels []byte             // little endian; swapped if Enc is big endian
}

// RawElement is a whole encoded element, put in as it is.
type RawElement []byte

// CtClass is the SOP class UID of CT Image Storage.
const CtClass = "1.2.840.10008.5.1.4.1.1.2"

// NewFake returns a CT slice of 16-bit signed pixels, 4 x 3 (cols x rows), with
// first+n as n-th pixel: first+n.
func NewFake(uid string, z float64, first int) *Fake {
	f := &Fake{Enc: part10.ExplicitLE, Values: map[part10.Tag]any{
		part10.TagSpecificCharacterSet:         "ISO_IR 100",
		part10.TagImageType:                    `ORIGINAL\PRIMARY\AXIAL`,
		part10.TagSOPClassUID:                  CtClass,
		part10.TagSOPInstanceUID:               "1.2.3." + uid,
		part10.TagModality:                     "CT",
		part10.TagManufacturer:                 "Maker",
		part10.TagSeriesDescription:            "Head",
		part10.TagPatientName:                  "Nobody",
		part10.TagStudyInstanceUID:             "1.2.3.1",
		part10.TagSeriesInstanceUID:            "1.2.3.2",
		part10.TagSeriesNumber:                 "7",
		part10.TagInstanceNumber:               "1",
		part10.TagSliceThickness:               "99",
		part10.TagImagePositionPatient:         fmt.Sprintf(`-10\-20\%g`, z),
		part10.TagImageOrientationPatient:      `1\0\0\0\1\0`,
		part10.TagFrameOfReferenceUID:          "1.2.3.9",
		part10.TagSamplesPerPixel:              1,
		part10.TagPhotometricInterpretation:    "MONOCHROME2",
		part10.TagRows:                         3,
		part10.TagColumns:                      4,
		part10.TagPixelSpacing:                 `0.75\0.5`,
		part10.TagBitsAllocated:                16,
		part10.TagBitsStored:                   16,
		part10.TagHighBit:                      15,
		part10.TagPixelRepresentation:          1,
		part10.TagRescaleIntercept:             "-1000",
		part10.TagRescaleSlope:                 "2",
		part10.TagWindowCenter:                 `40\300`,
		part10.TagWindowWidth:                  `80\1500`,
		part10.TagWindowCenterWidthExplanation: `BRAIN\BONE`,
	}}
	for i := range 12 {
		f.Pixels = binary.LittleEndian.AppendUint16(f.Pixels, uint16(int16(first+i)))
	}
	return f
}

// With sets one attribute; nil removes it.
func (f *Fake) With(t part10.Tag, v any) *Fake {
	if v == nil {
		delete(f.Values, t)
	} else {
		f.Values[t] = v
	}
	return f
}

// Own names the owner of the block in which a private attribute usually lies.
func (f *Fake) Own(t part10.Tag) *Fake {
	creator, owner := part10.CreatorOf(t)
	return f.With(creator, owner)
}

// Dataset encodes the attributes in order of tags, pixels among them.
func (f *Fake) Dataset() []byte {
	var b []byte
	put := func(t part10.Tag) {
		vr := part10.DictionaryVR(t)
		switch v := f.Values[t].(type) {
		case string:
			b = part10.AppendElement(b, f.Enc, t, vr, []byte(v))
		case int:
			b = part10.AppendElement(b, f.Enc, t, "US", f.Enc.Order.(binary.AppendByteOrder).AppendUint16(nil, uint16(v)))
		case []byte:
			b = part10.AppendElement(b, f.Enc, t, vr, v)
		case RawElement:
			b = append(b, v...)
		default:
			panic(fmt.Sprintf("%v: %T", t, v))
		}
	}
	done := f.Pixels == nil
	for _, t := range slices.Sorted(maps.Keys(f.Values)) {
		if t > part10.TagPixelData && !done {
			b, done = f.appendPixels(b), true
		}
		put(t)
	}
	if !done {
		b = f.appendPixels(b)
	}
	return b
}

func (f *Fake) appendPixels(b []byte) []byte {
	p := slices.Clone(f.Pixels)
	part10.LittleEndian(p, f.Enc, "OW", f.Values[part10.TagBitsAllocated].(int))
	return part10.AppendElement(b, f.Enc, part10.TagPixelData, "OW", p)
}

// File returns the whole Part 10 file.
func (f *Fake) File() []byte {
	uid := map[part10.Encoding]string{part10.ImplicitLE: part10.UIDImplicitLE, part10.ExplicitLE: part10.UIDExplicitLE, part10.ExplicitBE: part10.UIDExplicitBE}[f.Enc]
	sop, _ := f.Values[part10.TagSOPInstanceUID].(string)
	class, _ := f.Values[part10.TagSOPClassUID].(string)
	return append(part10.AppendFileMeta(nil, cmp.Or(class, CtClass), sop, uid, "test"), f.Dataset()...)
}

// Stack returns n axial slices 2.5 mm apart with names that run against their
// positions.
func Stack(n int) map[string]*Fake {
	out := map[string]*Fake{}
	for z := range n {
		name := fmt.Sprintf("%c.dcm", 'a'+n-1-z)
		out[name] = NewFake(fmt.Sprint(100+z), 50+2.5*float64(z), 100*z).With(part10.TagInstanceNumber, fmt.Sprint(n-z))
	}
	return out
}

// FilesOf returns a file system that holds the encoded fakes by file name.
func FilesOf(fakes map[string]*Fake) fstest.MapFS {
	m := fstest.MapFS{}
	for name, f := range fakes {
		m[name] = &fstest.MapFile{Data: f.File()}
	}
	return m
}

// Deflate returns a plain file with its data set deflated.
func Deflate(t *testing.T, file []byte) []byte {
	t.Helper()
	p, err := Tokens(file)
	if err != nil {
		t.Fatal(err)
	}
	out := bytes.NewBuffer(part10.HeaderWithSyntax(file, p, part10.UIDDeflatedLE))
	w, err := flate.NewWriter(out, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(file[p.DatasetStart():]); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Tokens splits an encoded file into its elements and decodes the values that an
// instance.Instance needs.
func Tokens(b []byte) (*part10.File, error) {
	return part10.TokenizeBytes(b, instance.IsWanted)
}

// SequenceOf returns a sequence of undefined length around items of undefined
// length that hold one element each.
func SequenceOf(enc part10.Encoding, tag part10.Tag, vr string, inner part10.Encoding, items ...[]byte) []byte {
	b := part10.AppendElementHeader(nil, enc, tag, vr, part10.UndefinedLength)
	for _, item := range items {
		b = part10.AppendElementHeader(b, inner, part10.TagItem, "", part10.UndefinedLength)
		b = append(b, item...)
		b = part10.AppendElementHeader(b, inner, part10.TagItemDelimitation, "", 0)
	}
	return part10.AppendElementHeader(b, inner, part10.TagSequenceDelimitation, "", 0)
}
