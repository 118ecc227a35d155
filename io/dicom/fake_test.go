package dicom

import (
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"quell/series"
)

// fake is a generated DICOM file: attributes by tag, in any of the three plain
// encodings. Numbers that DICOM keeps in binary are given as int.
type fake struct {
	enc    encoding
	values map[tagID]any // string, int (US), []byte (as they are) or rawElement
	pixels []byte        // little endian; turned around where enc is big endian
}

// rawElement is a whole encoded element, put in as it is.
type rawElement []byte

const ctClass = "1.2.840.10008.5.1.4.1.1.2"

// newFake returns a CT slice of 16-bit signed pixels, 4 x 3 (cols x rows),
// whose n-th pixel is first+n.
func newFake(uid string, z float64, first int) *fake {
	f := &fake{enc: explicitLE, values: map[tagID]any{
		tagSpecificCharacterSet:         "ISO_IR 100",
		tagImageType:                    `ORIGINAL\PRIMARY\AXIAL`,
		tagSOPClassUID:                  ctClass,
		tagSOPInstanceUID:               "1.2.3." + uid,
		tagModality:                     "CT",
		tagManufacturer:                 "Maker",
		tagSeriesDescription:            "Head",
		tagPatientName:                  "Nobody",
		tagStudyInstanceUID:             "1.2.3.1",
		tagSeriesInstanceUID:            "1.2.3.2",
		tagSeriesNumber:                 "7",
		tagInstanceNumber:               "1",
		tagSliceThickness:               "99",
		tagImagePositionPatient:         fmt.Sprintf(`-10\-20\%g`, z),
		tagImageOrientationPatient:      `1\0\0\0\1\0`,
		tagFrameOfReferenceUID:          "1.2.3.9",
		tagSamplesPerPixel:              1,
		tagPhotometricInterpretation:    "MONOCHROME2",
		tagRows:                         3,
		tagColumns:                      4,
		tagPixelSpacing:                 `0.75\0.5`,
		tagBitsAllocated:                16,
		tagBitsStored:                   16,
		tagHighBit:                      15,
		tagPixelRepresentation:          1,
		tagRescaleIntercept:             "-1000",
		tagRescaleSlope:                 "2",
		tagWindowCenter:                 `40\300`,
		tagWindowWidth:                  `80\1500`,
		tagWindowCenterWidthExplanation: `BRAIN\BONE`,
	}}
	for i := range 12 {
		f.pixels = binary.LittleEndian.AppendUint16(f.pixels, uint16(int16(first+i)))
	}
	return f
}

// with sets one attribute; nil removes it.
func (f *fake) with(t tagID, v any) *fake {
	if v == nil {
		delete(f.values, t)
	} else {
		f.values[t] = v
	}
	return f
}

// dataset encodes the attributes in order of tags, pixels among them.
func (f *fake) dataset() []byte {
	var b []byte
	put := func(t tagID) {
		vr := dictionaryVR(t)
		switch v := f.values[t].(type) {
		case string:
			b = appendElement(b, f.enc, t, vr, []byte(v))
		case int:
			b = appendElement(b, f.enc, t, "US", f.enc.order.(binary.AppendByteOrder).AppendUint16(nil, uint16(v)))
		case []byte:
			b = appendElement(b, f.enc, t, vr, v)
		case rawElement:
			b = append(b, v...)
		default:
			panic(fmt.Sprintf("%v: %T", t, v))
		}
	}
	done := f.pixels == nil
	for _, t := range slices.Sorted(maps.Keys(f.values)) {
		if t > tagPixelData && !done {
			b, done = f.appendPixels(b), true
		}
		put(t)
	}
	if !done {
		b = f.appendPixels(b)
	}
	return b
}

func (f *fake) appendPixels(b []byte) []byte {
	p := slices.Clone(f.pixels)
	littleEndian(p, f.enc, "OW", f.values[tagBitsAllocated].(int))
	return appendElement(b, f.enc, tagPixelData, "OW", p)
}

// file returns the whole Part 10 file.
func (f *fake) file() []byte {
	uid := map[encoding]string{implicitLE: uidImplicitLE, explicitLE: uidExplicitLE, explicitBE: uidExplicitBE}[f.enc]
	sop, _ := f.values[tagSOPInstanceUID].(string)
	return append(appendFileMeta(nil, ctClass, sop, uid, "test"), f.dataset()...)
}

// stack returns n axial slices 2.5 mm apart whose names run against their
// positions.
func stack(n int) map[string]*fake {
	out := map[string]*fake{}
	for z := range n {
		name := fmt.Sprintf("%c.dcm", 'a'+n-1-z)
		out[name] = newFake(fmt.Sprint(100+z), 50+2.5*float64(z), 100*z).with(tagInstanceNumber, fmt.Sprint(n-z))
	}
	return out
}

func filesOf(fakes map[string]*fake) fstest.MapFS {
	m := fstest.MapFS{}
	for name, f := range fakes {
		m[name] = &fstest.MapFile{Data: f.file()}
	}
	return m
}

func scan(t *testing.T, fsys fs.FS) *Catalog {
	t.Helper()
	c, err := Scan(context.Background(), fsys, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func load(t *testing.T, c *Catalog, i int) *series.Series {
	t.Helper()
	s, err := c.Load(context.Background(), i, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// finding returns the finding of a kind.
func finding(t *testing.T, fs []series.Finding, kind series.Kind) series.Finding {
	t.Helper()
	for _, f := range fs {
		if f.Kind == kind {
			return f
		}
	}
	t.Fatalf("no finding %q in %v", kind, fs)
	return series.Finding{}
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want one with %q", parts)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q does not say %q", err, p)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q is not one line", err)
	}
}

var testDerived = Derived{
	Recipe:      []byte(`{"version":1,"filter":"nlm","dims":3}`),
	Description: "Quell test: nlm 3-D",
	Suffix:      "DN",
	Version:     "0.0.1",
	Now:         time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC),
}
