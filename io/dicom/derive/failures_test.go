package derive_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quell/io/dicom/derive"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
	"quell/series"
	"quell/volume"
)

// TestExtremesOverFrames: the smallest and the largest stored value are over all frames,
// wherever they lie; padding does not count.
func TestExtremesOverFrames(t *testing.T) {
	for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		f := dicomtest.NewEnhanced(part10.ExplicitLE, false, dicomtest.FakeFrame{Z: 0, BValue: -1}, dicomtest.FakeFrame{Z: 5, BValue: -1}, dicomtest.FakeFrame{Z: 10, BValue: -1}).
			With(part10.TagSmallestImagePixelValue, 1).With(part10.TagLargestImagePixelValue, 1).With(part10.TagPixelPaddingValue, []byte{0x30, 0xF8}) // -2000
		f.Pixels = nil
		for _, at := range order {
			for n := range 12 {
				v := 100*at + n - 150 // the middle one from -50 to -39, all from -150 to 61
				if n == 0 {
					v = -2000
				}
				f.Pixels = binary.LittleEndian.AppendUint16(f.Pixels, uint16(int16(v)))
			}
		}
		_, s := dicomtest.OnDisk(t, map[string]*dicomtest.Fake{"m.dcm": f})
		out, _ := dicomtest.Export(t, s, dicomtest.TestDerived)
		is := dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, out, dicomtest.SliceName(0)))
		for tag, want := range map[part10.Tag]int16{part10.TagSmallestImagePixelValue: -149, part10.TagLargestImagePixelValue: 61} {
			b := is[tag]
			if got := int16(binary.LittleEndian.Uint16(b[8:])); got != want || string(b[4:6]) != "SS" {
				t.Errorf("order %v: %v is %d, want %d, as %s", order, tag, got, want, b[4:6])
			}
		}
	}
}

// TestSourceThatIsAnother refuses a file that is not the one that was loaded.
func TestSourceThatIsAnother(t *testing.T) {
	enhanced := dicomtest.NewEnhanced(part10.ExplicitLE, false, dicomtest.ThreeFrames...)
	_, s := dicomtest.OnDisk(t, map[string]*dicomtest.Fake{"x.dcm": enhanced})
	fewer := dicomtest.NewEnhanced(part10.ExplicitLE, false, dicomtest.ThreeFrames[:2]...)
	other := dicomtest.NewEnhanced(part10.ExplicitLE, false, dicomtest.ThreeFrames...).With(part10.TagSOPInstanceUID, "1.2.3.61")
	colour := dicomtest.NewEnhanced(part10.ExplicitLE, false, dicomtest.ThreeFrames...).With(part10.TagSamplesPerPixel, 3)
	wide := dicomtest.NewEnhanced(part10.ExplicitLE, false, dicomtest.ThreeFrames...).With(part10.TagRows, 2).With(part10.TagColumns, 4)
	wide.Pixels = wide.Pixels[:2*2*4*3]
	for what, c := range map[string]struct {
		file []byte
		want string
	}{
		"the same":    {enhanced.File(), ""},
		"another UID": {other.File(), "the source file is not the one that was loaded"},
		"two frames":  {fewer.File(), "the source file is not the one that was loaded"},
		"colour":      {colour.File(), "the source file is not the one that was loaded"},
		"other size":  {wide.File(), "a slice has 12 voxels, its source 4 x 2"},
		"no DICOM":    {[]byte("no DICOM"), "x.dcm: "},
	} {
		err := func() error {
			from := *s
			from.Sources = slices.Clone(s.Sources)
			for z := range from.Sources {
				from.Sources[z].FS = fstest.MapFS{"x.dcm": {Data: c.file}}
			}
			d, err := dicomtest.Derive(t, &from, dicomtest.TestDerived)
			if err != nil {
				return err
			}
			_, _, err = d.File(0, derive.SliceFiles(from.Sources)[0], new(derive.Buffers))
			return err
		}()
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", what, err)
			}
			continue
		}
		dicomtest.WantError(t, err, c.want)
	}
	for frame, ok := range map[int]bool{-1: false, 0: true, 2: true, 3: false} {
		from := *s
		from.Sources = slices.Clone(s.Sources)
		from.Sources[0].Frame = frame
		d, err := dicomtest.Derive(t, &from, dicomtest.TestDerived)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := d.File(0, []int{0}, new(derive.Buffers)); (err == nil) != ok {
			t.Errorf("frame %d: %v", frame, err)
		}
	}
}

// TestDamagedBehindItsBack: attributes that cannot be rewritten are an error that names the
// file; a sequence that cannot be extended is replaced, and reported.
func TestDamagedBehindItsBack(t *testing.T) {
	file := dicomtest.NewEnhanced(part10.ExplicitLE, false, dicomtest.ThreeFrames...).File()
	at := func(tag part10.Tag) func(p *part10.File, b []byte) {
		return func(p *part10.File, b []byte) {
			e, ok := p.Find(tag)
			if !ok {
				t.Fatalf("no %v", tag)
			}
			b[e.Value] ^= 0x55 // the tag of the first item
		}
	}
	inside := func(text string) func(p *part10.File, b []byte) { // damages the length of the element that holds text
		return func(_ *part10.File, b []byte) {
			i := bytes.Index(b, []byte(text))
			if i < 0 {
				t.Fatalf("no %q", text)
			}
			b[i-1] = 0xEE
		}
	}
	for what, c := range map[string]struct {
		file   []byte
		damage func(p *part10.File, b []byte)
		step   string
		want   string
	}{
		"nothing":          {file, func(*part10.File, []byte) {}, "groups", ""},
		"no damage":        {file, func(*part10.File, []byte) {}, "file", ""},
		"frames":           {file, at(part10.TagPerFrameFunctionalGroupsSequence), "groups", "x.dcm: its functional groups cannot be rewritten ("},
		"frames of a file": {file, at(part10.TagPerFrameFunctionalGroupsSequence), "file", "x.dcm: its functional groups cannot be rewritten ("},
		"shared":           {file, at(part10.TagSharedFunctionalGroupsSequence), "groups", "x.dcm: its functional groups cannot be rewritten ("},
		"a frame's type":   {file, inside(`ORIGINAL\PRIMARY\M\NONE` + " \x08\x00\x08\x92"), "groups", "x.dcm: its functional groups cannot be rewritten ("},
		"identity":         {file, at(part10.TagSharedFunctionalGroupsSequence), "identity", "x.dcm: its attributes cannot be de-identified ("},
	} {
		_, err := derive.Damaged("x.dcm", bytes.Clone(c.file), c.damage, c.step)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
}

// TestCancelledPreparation ends before any file is read.
func TestCancelledPreparation(t *testing.T) {
	_, s := dicomtest.OnDisk(t, dicomtest.Stack(2))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, fresh := range []bool{false, true} {
		if err := derive.NewVoxels(t.TempDir(), s.Volume.Geometry, fresh).Add(cancelled, s.Volume); !errors.Is(err, context.Canceled) {
			t.Errorf("new: %v, %v", fresh, err)
		}
	}
	s.UID = "" // so that its study follows from its voxels
	if _, err := derive.New(cancelled, s, dicomtest.TestDerived, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("derived: %v", err)
	}
}

// TestUIDsStay what they were in earlier versions: an export that is made again replaces the first one.
func TestUIDsStay(t *testing.T) {
	load := func(enc part10.Encoding, study bool) *series.Series {
		fakes := dicomtest.Stack(2)
		for _, f := range fakes {
			if f.Enc = enc; !study {
				f.With(part10.TagStudyInstanceUID, nil)
			}
		}
		_, s := dicomtest.OnDisk(t, fakes)
		return s
	}
	for what, c := range map[string]struct {
		s    *series.Series
		c    pixel.Compression
		want string
	}{
		"plain":    {load(part10.ExplicitLE, true), "", "2.25.57266028393959537069589532434516143301 2.25.128748987840226110946948102124220596958 1.2.3.1"},
		"implicit": {load(part10.ImplicitLE, true), "", "2.25.283261344516957997170724556650220246485 2.25.255067396688344066321144262235304415943 1.2.3.1"},
		"RLE":      {load(part10.ExplicitLE, true), pixel.RLE, "2.25.16455946070943388619958523551535202044 2.25.70241900890695486779771612253895224722 1.2.3.1"},
		"no study": {load(part10.ExplicitLE, false), "", "2.25.57266028393959537069589532434516143301 2.25.128748987840226110946948102124220596958 2.25.12935471232938944704004700681730514664"},
	} {
		d := dicomtest.TestDerived
		d.Compress = c.c
		out, r := dicomtest.Export(t, c.s, d)
		is := dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, out, dicomtest.SliceName(1)))
		got := fmt.Sprintf("%s %s %s", r.SeriesUID, uidOf(is[part10.TagSOPInstanceUID]), uidOf(is[part10.TagStudyInstanceUID]))
		if got != c.want {
			t.Errorf("%s: %s, want %s", what, got, c.want)
		}
	}
}

// TestNewUIDsStay likewise the UIDs of a series without a DICOM source.
func TestNewUIDsStay(t *testing.T) {
	n := dicomtest.Capture(t, niftiLike([3]int{2, 2, 2}, func(i int) float32 { return float32(i) }), dicomtest.TestDerived)
	is := dicomtest.ElementBytes(t, n.File(1, volume.Vec{}, pixelsOf(t, n, 1)))
	got := fmt.Sprintf("%s %s %s %s", n.UID, uidOf(is[part10.TagSOPInstanceUID]), uidOf(is[part10.TagStudyInstanceUID]), uidOf(is[part10.TagFrameOfReferenceUID]))
	if want := "2.25.236705883586235038419015991574236837701 2.25.193573981726256596722898741797302385288 2.25.19031692761683693779302840621067105387 2.25.53547655615974703524911844112453695266"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func pixelsOf(t *testing.T, n *derive.SecondaryCaptures, z int) []byte {
	t.Helper()
	pixels, err := n.Pixels(z)
	if err != nil {
		t.Fatal(err)
	}
	return pixels
}

func uidOf(element []byte) string { return strings.TrimRight(string(element[8:]), "\x00") }

// TestSecondaryCaptureAttributes compares the attributes of a new image.
func TestSecondaryCaptureAttributes(t *testing.T) {
	s := niftiLike([3]int{5, 4, 3}, func(i int) float32 { return float32(i) - 30 })
	s.Volume.Unit = "HU"
	s.Windows = []volume.Window{{Center: 40, Width: 80}, {Center: 1, Width: 2}}
	s.Volume.Mask = make([]bool, len(s.Volume.Data))
	for i := range s.Volume.Mask {
		s.Volume.Mask[i] = i > 0
	}
	d := dicomtest.TestDerived
	d.Version, d.Suffix, d.Description = strings.Repeat("v", 70), strings.Repeat("s", 70), strings.Repeat("d", 1030)
	n := dicomtest.Capture(t, s, d)
	is := dicomtest.ElementBytes(t, n.File(1, volume.Vec{1, 2, 3.5}, pixelsOf(t, n, 1)))
	us := func(v int) string { return string([]byte{byte(v), byte(v >> 8)}) }
	for tag, want := range map[part10.Tag]string{
		part10.TagImageType: `DERIVED\SECONDARY`, part10.TagModality: "OT", part10.TagConversionType: "WSD", part10.TagManufacturer: "Quell", part10.TagManufacturerModelName: "Quell",
		part10.TagSoftwareVersions: strings.Repeat("v", 64), part10.TagSeriesDescription: "brain " + strings.Repeat("s", 58), part10.TagDerivationDescription: strings.Repeat("d", 1024),
		part10.TagStudyID: "1", part10.TagSeriesNumber: "9000", part10.TagInstanceNumber: "2", part10.TagSeriesInstanceUID: n.UID,
		part10.TagImagePositionPatient: `1\2\3.5`, part10.TagImageOrientationPatient: `1\0\0\0\1\0`, part10.TagPixelSpacing: `1.1\0.9`, part10.TagSliceThickness: "2.5",
		part10.TagPhotometricInterpretation: "MONOCHROME2", part10.TagSamplesPerPixel: us(1), part10.TagRows: us(4), part10.TagColumns: us(5),
		part10.TagBitsAllocated: us(16), part10.TagBitsStored: us(16), part10.TagHighBit: us(15), part10.TagPixelRepresentation: us(1), part10.TagPixelPaddingValue: us(-30),
		part10.TagWindowCenter: "40", part10.TagWindowWidth: "80", part10.TagRescaleIntercept: "0", part10.TagRescaleSlope: "1", part10.TagRescaleType: "HU",
		part10.TagPatientName: "", part10.TagLaterality: "", part10.TagPositionReferenceIndicator: "",
		part10.TagStudyDate: "20260304", part10.TagContentDate: "20260304", part10.TagSeriesDate: "20260304", part10.TagInstanceCreationDate: "20260304",
	} {
		b, ok := is[tag]
		if got := strings.TrimRight(string(b[min(8, len(b)):]), " \x00"); !ok || got != strings.TrimRight(want, "\x00") {
			t.Errorf("%v: %q, want %q", tag, got, want)
		}
	}
	if vr := string(is[part10.TagPixelPaddingValue][4:6]); vr != "SS" {
		t.Errorf("padding as %s", vr)
	}
	for _, tag := range []part10.Tag{part10.TagStudyTime, part10.TagContentTime, part10.TagSeriesTime, part10.TagInstanceCreationTime} {
		if !strings.HasPrefix(string(is[tag][8:]), "050607") {
			t.Errorf("%v: %q", tag, is[tag])
		}
	}
	// Values from 0 on are unsigned; without a window, a mask or a unit nothing is said of them.
	s = niftiLike([3]int{5, 4, 3}, func(i int) float32 { return float32(i) })
	n = dicomtest.Capture(t, s, d)
	is = dicomtest.ElementBytes(t, n.File(0, volume.Vec{}, pixelsOf(t, n, 0)))
	if is[part10.TagWindowCenter] != nil || is[part10.TagWindowWidth] != nil || is[part10.TagPixelPaddingValue] != nil ||
		is[part10.TagPixelRepresentation][8] != 0 || !strings.HasPrefix(string(is[part10.TagRescaleType][8:]), "US") {
		t.Errorf("plain: %q, %q", is[part10.TagRescaleType], is[part10.TagPixelRepresentation])
	}
}
