package dicom

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quell/series"
	"quell/volume"
)

func oneFile(f *fake) fstest.MapFS { return fstest.MapFS{"m.dcm": {Data: f.file()}} }

// threeFrames lie against the order of their positions, each with a rescale and
// a window of its own.
var threeFrames = []fakeFrame{
	{z: 15, slope: 1, inter: -1, bValue: -1},
	{z: 10, slope: 0.5, inter: 3, bValue: -1},
	{z: 5, slope: 2, inter: 0, bValue: -1},
}

// TestFrames reads multi-frame images in every plain encoding: place, rescale
// and window of each frame are its own.
func TestFrames(t *testing.T) {
	for _, enc := range []encoding{implicitLE, explicitLE, explicitBE} {
		for _, undefined := range []bool{false, true} {
			c := scan(t, oneFile(newEnhanced(enc, undefined, threeFrames...)))
			if len(c.Entries) != 1 || len(c.Entries[0].Findings) != 0 || c.Entries[0].Slices != 3 {
				t.Fatalf("%v: %+v", enc, c.Entries)
			}
			s := load(t, c, 0)
			want := volume.Affine{{0.5, 0, 0, -10}, {0, 0.75, 0, -20}, {0, 0, 5, 5}}
			if s.Volume.Affine != want || s.Volume.Dims != [3]int{4, 3, 3} {
				t.Errorf("geometry %+v", s.Volume.Geometry)
			}
			for z, src := range s.Sources {
				frame := 2 - z
				f := threeFrames[frame]
				if src.Frame != frame || src.Name != "m.dcm" || src.Slope != f.slope || src.Inter != f.inter || src.Position[2] != f.z || src.UID != "1.2.3.60" {
					t.Errorf("source %d: %+v", z, src)
				}
				for n, v := range s.Volume.Plane(z) {
					if want := float32(float64(100*frame+n)*f.slope + f.inter); v != want {
						t.Fatalf("frame %d pixel %d is %g, want %g", frame, n, v, want)
					}
				}
			}
			if w := []volume.Window{{Center: 50, Width: 80}}; !slices.Equal(s.Windows, w) || s.Modality != "MR" {
				t.Errorf("windows %v, want %v", s.Windows, w)
			}
			if info, _ := scanSize(t, c); c.Entries[0].Bytes != info {
				t.Errorf("%d bytes, the file has %d", c.Entries[0].Bytes, info)
			}
		}
	}
}

func scanSize(t *testing.T, c *Catalog) (int64, error) {
	t.Helper()
	f, err := c.fsys.Open("m.dcm")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	return info.Size(), err
}

// TestManyFrames reads functional groups of more than one window of the file,
// whose end is known only when it is reached, from a stream that cannot go back.
func TestManyFrames(t *testing.T) {
	const n = 900
	frames := make([]fakeFrame, n)
	for i := range frames {
		frames[i] = fakeFrame{z: float64(n - i), slope: 1 + float64(i%7), bValue: -1}
	}
	for _, undefined := range []bool{false, true} {
		s := load(t, scan(t, oneFile(newEnhanced(explicitLE, undefined, frames...))), 0)
		if s.Volume.Dims[2] != n || s.Volume.Spacing[2] != 1 || len(s.Findings) != 0 {
			t.Fatalf("%v, %v", s.Volume.Geometry, s.Findings)
		}
		for z, src := range s.Sources {
			if i := n - 1 - z; src.Frame != i || src.Slope != frames[i].slope || src.Position[2] != frames[i].z {
				t.Fatalf("slice %d: %+v", z, src)
			}
		}
	}
}

// TestFramesDivide has one file hold several volumes, told apart as its
// functional groups do.
func TestFramesDivide(t *testing.T) {
	for name, frame := range map[string]func(v int) fakeFrame{
		"temporal position": func(v int) fakeFrame { return fakeFrame{time: v, bValue: -1} },
		"b-value":           func(v int) fakeFrame { return fakeFrame{bValue: float64(v)} },
		"echo time":         func(v int) fakeFrame { return fakeFrame{echo: float64(v), bValue: -1} },
	} {
		var frames []fakeFrame
		for _, z := range []float64{0, 5, 10} {
			for _, v := range []int{700, 40} { // as numbers, 40 comes first
				f := frame(v)
				f.z = z
				frames = append(frames, f)
			}
		}
		c := scan(t, oneFile(newEnhanced(explicitLE, false, frames...)))
		if len(c.Entries) != 2 {
			t.Fatalf("%s: %d volumes", name, len(c.Entries))
		}
		for i, v := range []string{"40", "700"} {
			if got := c.Entries[i].Part; got != name+" "+v {
				t.Errorf("volume %d is %q, want %q", i, got, name+" "+v)
			}
			f := finding(t, c.Entries[i].Findings, "volumes")
			if !strings.Contains(f.Text, "holds 2 volumes") || f.Severity != series.Warning {
				t.Errorf("finding %v", f)
			}
			s := load(t, c, i)
			for z := range 3 {
				if want := 2*z + 1 - i; s.Sources[z].Frame != want || s.Volume.Plane(z)[0] != float32(100*want) {
					t.Errorf("%s: slice %d is frame %d, want %d", name, z, s.Sources[z].Frame, want)
				}
			}
		}
	}
}

// TestPrivateBValues divides single-frame images by what makers call the b-value.
func TestPrivateBValues(t *testing.T) {
	for name, set := range map[string]func(f *fake, b int){
		"Siemens": func(f *fake, b int) {
			f.with(0x00190010, rawElement(appendElement(nil, explicitLE, 0x00190010, "LO", []byte("SIEMENS MR HEADER"))))
			f.with(siemensBValue, rawElement(appendElement(nil, explicitLE, siemensBValue, "IS", fmt.Append(nil, b))))
		},
		"GE": func(f *fake, b int) {
			f.with(0x00430010, rawElement(appendElement(nil, explicitLE, 0x00430010, "LO", []byte("GEMS_PARM_01"))))
			f.with(geBValue, rawElement(appendElement(nil, explicitLE, geBValue, "IS", fmt.Appendf(nil, `%d\8\0\0`, 1_000_000_000+b))))
		},
	} {
		fakes := map[string]*fake{}
		for i := range 6 {
			f := newFake(fmt.Sprint(i), 5*float64(i%3), i)
			set(f, i/3*800)
			fakes[fmt.Sprint(i)] = f
		}
		c := scan(t, filesOf(fakes))
		if len(c.Entries) != 2 || c.Entries[0].Part != "b-value 0" || c.Entries[1].Part != "b-value 800" {
			t.Errorf("%s: %+v", name, c.Entries)
		}
	}
}

// secondaryFrames is a multi-frame secondary capture of three frames.
func secondaryFrames() *fake {
	f := newFake("61", 5, 0).with(tagNumberOfFrames, "3").with(tagSliceThickness, nil).
		with(tagSOPClassUID, "1.2.840.10008.5.1.4.1.1.7.3").with(tagModality, "OT")
	for i := 12; i < 36; i++ {
		f.pixels = binary.LittleEndian.AppendUint16(f.pixels, uint16(i))
	}
	return f
}

// TestFrameOffsets places frames that only their first one has a position for.
func TestFrameOffsets(t *testing.T) {
	detector := appendSequence(nil, explicitLE, tagDetectorInformationSequence, slices.Concat(
		appendElement(nil, explicitLE, tagImagePositionPatient, "DS", []byte(`-10\-20\5`)),
		appendElement(nil, explicitLE, tagImageOrientationPatient, "DS", []byte(`1\0\0\0\1\0`))))
	for name, f := range map[string]*fake{
		"spacing":  secondaryFrames().with(tagSpacingBetweenSlices, "2.5"),
		"offsets":  secondaryFrames().with(tagGridFrameOffsetVector, `0\2.5\5`),
		"detector": secondaryFrames().with(tagSpacingBetweenSlices, "2.5").with(tagImagePositionPatient, nil).with(tagImageOrientationPatient, nil).with(tagDetectorInformationSequence, rawElement(detector)),
	} {
		s := load(t, scan(t, oneFile(f)), 0)
		if want := (volume.Affine{{0.5, 0, 0, -10}, {0, 0.75, 0, -20}, {0, 0, 2.5, 5}}); s.Volume.Affine != want || len(s.Findings) != 0 {
			t.Errorf("%s: %v, %v", name, s.Volume.Affine, s.Findings)
		}
		if v := s.Volume.Plane(2)[1]; v != 25*2-1000 {
			t.Errorf("%s: a pixel of the last frame is %g", name, v)
		}
	}
}

// TestFramesWithoutPlace stacks frames that say nothing of space and says so.
func TestFramesWithoutPlace(t *testing.T) {
	cine := []byte{0x18, 0, 0x63, 0x10}
	for name, f := range map[string]*fake{
		"no spacing": secondaryFrames(),
		"in time":    secondaryFrames().with(tagSpacingBetweenSlices, "2.5").with(tagFrameIncrementPointer, cine),
	} {
		c := scan(t, oneFile(f))
		if len(c.Entries) != 1 {
			t.Fatalf("%s: %d volumes", name, len(c.Entries))
		}
		s := load(t, c, 0)
		got := finding(t, s.Findings, "position")
		if want := (volume.Affine{{0.5, 0, 0, -10}, {0, 0.75, 0, -20}, {0, 0, 1, 5}}); name == "no spacing" && s.Volume.Affine != want {
			t.Errorf("%s: affine %v, want that of the first frame, %v", name, s.Volume.Affine, want)
		}
		if !strings.Contains(got.Text, "stacked in their order") || s.Volume.Dims != [3]int{4, 3, 3} || s.Sources[2].Frame != 2 {
			t.Errorf("%s: %v, %v", name, got, s.Volume.Dims)
		}
	}
}

// TestFramesRefused checks that each damage to a multi-frame image ends in one
// sentence, and that none costs more memory than its file.
func TestFramesRefused(t *testing.T) {
	per := func(f *fake, raw []byte) *fake { return f.with(tagPerFrameFunctionalGroupsSequence, rawElement(raw)) }
	g := groupWriter{explicitLE, false}
	text := appendElement(nil, explicitLE, tagPerFrameFunctionalGroupsSequence, "UT", []byte("text"))
	tiny := newFake("1", 0, 0).with(tagRows, 1).with(tagColumns, 1).with(tagNumberOfFrames, "100000").with(tagSOPClassUID, enhancedMR)
	tiny.pixels = make([]byte, 200000)
	for name, c := range map[string]struct {
		f    *fake
		want string
	}{
		"two described":  {per(newEnhanced(explicitLE, false, threeFrames...), g.sequence(tagPerFrameFunctionalGroupsSequence, nil, nil)), "describe 2 frames, and the image has 3"},
		"of other type":  {per(newEnhanced(explicitLE, false, threeFrames...), text), "functional groups are damaged (a sequence is of another type)"},
		"few pixels":     {newEnhanced(explicitLE, false, threeFrames...).with(tagNumberOfFrames, "4"), "72 bytes of pixels where 4 images of 4 x 3 pixels need 96"},
		"endless frames": {newEnhanced(explicitLE, false, threeFrames...).with(tagNumberOfFrames, "2147483647"), "need"},
		"tiny frames":    {tiny, "100000 frames, more than a file of"},
		"slope 0":        {newEnhanced(explicitLE, false, threeFrames[0], fakeFrame{slope: 1e-300, inter: 1e300, bValue: -1}, threeFrames[2]), "lead out of range"},
	} {
		cat := scan(t, oneFile(c.f))
		_, err := cat.Load(context.Background(), 0, nil)
		wantError(t, err, "m.dcm: ", c.want, "; ")
		if !strings.Contains(name, "slope") && !cat.Entries[0].damaged {
			t.Errorf("%s does not count as damaged", name)
		}
	}
}

// TestLegacyConvertedFrames divides the frames of a legacy converted image by an
// attribute that has no functional group.
func TestLegacyConvertedFrames(t *testing.T) {
	f := newEnhanced(explicitLE, false, threeFrames[0], threeFrames[1], threeFrames[0], threeFrames[1]).
		with(tagSOPClassUID, "1.2.840.10008.5.1.4.1.1.4.4")
	g := groupWriter{explicitLE, true}
	var items [][]byte
	for i := range 4 {
		items = append(items, slices.Concat(
			g.group(tagPlanePositionSequence, tagImagePositionPatient, fmt.Sprintf(`0\0\%d`, 3*(i%2))),
			g.group(tagUnassignedPerFrameConvertedAttributesSequence, tagEchoNumbers, fmt.Sprint(i/2+1))))
	}
	f.with(tagPerFrameFunctionalGroupsSequence, rawElement(g.sequence(tagPerFrameFunctionalGroupsSequence, items...)))
	c := scan(t, oneFile(f))
	if len(c.Entries) != 2 || c.Entries[0].Part != "echo 1" || c.Entries[1].Part != "echo 2" || c.Entries[1].slices[0].frame != 2 {
		t.Errorf("%+v", c.Entries)
	}
}
