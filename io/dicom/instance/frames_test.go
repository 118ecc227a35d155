package instance_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
	"quell/series"
	"quell/volume"
)

// TestFrames reads multi-frame images in every plain encoding: place, rescale
// and window of each frame are its own.
func TestFrames(t *testing.T) {
	for _, enc := range []part10.Encoding{part10.ImplicitLE, part10.ExplicitLE, part10.ExplicitBE} {
		for _, undefined := range []bool{false, true} {
			files := dicomtest.OneFile(dicomtest.NewEnhanced(enc, undefined, dicomtest.ThreeFrames...))
			c := dicomtest.Scan(t, files)
			if len(c.Entries) != 1 || len(c.Entries[0].Findings) != 0 || c.Entries[0].Slices != 3 {
				t.Fatalf("%v: %+v", enc, c.Entries)
			}
			s := dicomtest.Load(t, c, 0)
			want := volume.Affine{{0.5, 0, 0, -10}, {0, 0.75, 0, -20}, {0, 0, 5, 5}}
			if s.Volume.Affine != want || s.Volume.Dims != [3]int{4, 3, 3} {
				t.Errorf("geometry %+v", s.Volume.Geometry)
			}
			for z, src := range s.Sources {
				frame := 2 - z
				f := dicomtest.ThreeFrames[frame]
				if src.Frame != frame || src.Name != "m.dcm" || src.Slope != f.Slope || src.Inter != f.Inter || src.Position[2] != f.Z || src.UID != "1.2.3.60" {
					t.Errorf("source %d: %+v", z, src)
				}
				for n, v := range s.Volume.Plane(z) {
					if want := float32(float64(100*frame+n)*f.Slope + f.Inter); v != want {
						t.Fatalf("frame %d pixel %d is %g, want %g", frame, n, v, want)
					}
				}
			}
			if w := []volume.Window{{Center: 50, Width: 80}}; !slices.Equal(s.Windows, w) || s.Modality != "MR" {
				t.Errorf("windows %v, want %v", s.Windows, w)
			}
			if size := int64(len(files["m.dcm"].Data)); c.Entries[0].Bytes != size {
				t.Errorf("%d bytes, the file has %d", c.Entries[0].Bytes, size)
			}
		}
	}
}

// TestManyFrames reads functional groups that are longer than the read buffer, with and without lengths.
func TestManyFrames(t *testing.T) {
	const n = 900
	frames := make([]dicomtest.FakeFrame, n)
	for i := range frames {
		frames[i] = dicomtest.FakeFrame{Z: float64(n - i), Slope: 1 + float64(i%7), BValue: -1}
	}
	for _, undefined := range []bool{false, true} {
		s := dicomtest.Load(t, dicomtest.Scan(t, dicomtest.OneFile(dicomtest.NewEnhanced(part10.ExplicitLE, undefined, frames...))), 0)
		if s.Volume.Dims[2] != n || s.Volume.Spacing[2] != 1 || len(s.Findings) != 0 {
			t.Fatalf("%v, %v", s.Volume.Geometry, s.Findings)
		}
		for z, src := range s.Sources {
			if i := n - 1 - z; src.Frame != i || src.Slope != frames[i].Slope || src.Position[2] != frames[i].Z {
				t.Fatalf("slice %d: %+v", z, src)
			}
		}
	}
}

// TestFramesDivide splits one file into several volumes by its functional groups. They are in
// the order of time, or of the frames if the file says nothing of it.
func TestFramesDivide(t *testing.T) {
	for name, frame := range map[string]func(v int) dicomtest.FakeFrame{
		"temporal position": func(v int) dicomtest.FakeFrame { return dicomtest.FakeFrame{Time: v, BValue: -1} },
		"b-value":           func(v int) dicomtest.FakeFrame { return dicomtest.FakeFrame{BValue: float64(v)} },
		"echo time":         func(v int) dicomtest.FakeFrame { return dicomtest.FakeFrame{Echo: float64(v), BValue: -1} },
	} {
		var frames []dicomtest.FakeFrame
		for _, z := range []float64{0, 5, 10} {
			for _, v := range []int{700, 40} {
				f := frame(v)
				f.Z = z
				frames = append(frames, f)
			}
		}
		c := dicomtest.Scan(t, dicomtest.OneFile(dicomtest.NewEnhanced(part10.ExplicitLE, false, frames...)))
		if len(c.Entries) != 2 {
			t.Fatalf("%s: %d volumes", name, len(c.Entries))
		}
		timed := name == "temporal position" // the later frame is the earlier in time
		for i, v := range []string{"700", "40"} {
			if timed {
				i = 1 - i
			}
			if got := c.Entries[i].Part; got != name+" "+v {
				t.Errorf("volume %d is %q, want %q", i, got, name+" "+v)
			}
			f := dicomtest.Finding(t, c.Entries[i].Findings, "volumes")
			if !strings.Contains(f.Text.String(), "contains 2 volumes") || f.Severity != series.Warning {
				t.Errorf("finding %v", f)
			}
			s := dicomtest.Load(t, c, i)
			for z := range 3 {
				want := 2*z + i
				if timed {
					want = 2*z + 1 - i
				}
				if s.Sources[z].Frame != want || s.Volume.Plane(z)[0] != float32(100*want) {
					t.Errorf("%s: slice %d is frame %d, want %d", name, z, s.Sources[z].Frame, want)
				}
			}
		}
	}
}

// TestPrivateBValues splits single-frame images by the private b-values of scanner makers.
func TestPrivateBValues(t *testing.T) {
	for name, set := range map[string]func(f *dicomtest.Fake, b int){
		"Siemens": func(f *dicomtest.Fake, b int) {
			f.With(0x00190010, dicomtest.RawElement(part10.AppendElement(nil, part10.ExplicitLE, 0x00190010, "LO", []byte("SIEMENS MR HEADER"))))
			f.With(part10.TagSiemensBValue, dicomtest.RawElement(part10.AppendElement(nil, part10.ExplicitLE, part10.TagSiemensBValue, "IS", fmt.Append(nil, b))))
		},
		"GE": func(f *dicomtest.Fake, b int) {
			f.With(0x00430010, dicomtest.RawElement(part10.AppendElement(nil, part10.ExplicitLE, 0x00430010, "LO", []byte("GEMS_PARM_01"))))
			f.With(part10.TagGEBValue, dicomtest.RawElement(part10.AppendElement(nil, part10.ExplicitLE, part10.TagGEBValue, "IS", fmt.Appendf(nil, `%d\8\0\0`, 1_000_000_000+b))))
		},
	} {
		fakes := map[string]*dicomtest.Fake{}
		for i := range 6 {
			f := dicomtest.NewFake(fmt.Sprint(i), 5*float64(i%3), i)
			set(f, i/3*800)
			fakes[fmt.Sprint(i)] = f
		}
		c := dicomtest.Scan(t, dicomtest.FilesOf(fakes))
		if len(c.Entries) != 2 || c.Entries[0].Part != "b-value 0" || c.Entries[1].Part != "b-value 800" {
			t.Errorf("%s: %+v", name, c.Entries)
		}
	}
}

// TestFrameOffsets places frames if only the first has a position.
func TestFrameOffsets(t *testing.T) {
	detector := part10.AppendSequence(nil, part10.ExplicitLE, part10.TagDetectorInformationSequence, slices.Concat(
		part10.AppendElement(nil, part10.ExplicitLE, part10.TagImagePositionPatient, "DS", []byte(`-10\-20\5`)),
		part10.AppendElement(nil, part10.ExplicitLE, part10.TagImageOrientationPatient, "DS", []byte(`1\0\0\0\1\0`))))
	for name, f := range map[string]*dicomtest.Fake{
		"spacing":  dicomtest.SecondaryFrames().With(part10.TagSpacingBetweenSlices, "2.5"),
		"offsets":  dicomtest.SecondaryFrames().With(part10.TagGridFrameOffsetVector, `0\2.5\5`),
		"detector": dicomtest.SecondaryFrames().With(part10.TagSpacingBetweenSlices, "2.5").With(part10.TagImagePositionPatient, nil).With(part10.TagImageOrientationPatient, nil).With(part10.TagDetectorInformationSequence, dicomtest.RawElement(detector)),
	} {
		s := dicomtest.Load(t, dicomtest.Scan(t, dicomtest.OneFile(f)), 0)
		if want := (volume.Affine{{0.5, 0, 0, -10}, {0, 0.75, 0, -20}, {0, 0, 2.5, 5}}); s.Volume.Affine != want || len(s.Findings) != 0 {
			t.Errorf("%s: %v, %v", name, s.Volume.Affine, s.Findings)
		}
		if v := s.Volume.Plane(2)[1]; v != 25*2-1000 {
			t.Errorf("%s: a pixel of the last frame is %g", name, v)
		}
	}
}

// TestFramesWithoutPlace stacks frames without a position and reports that.
func TestFramesWithoutPlace(t *testing.T) {
	cine := []byte{0x18, 0, 0x63, 0x10}
	for name, f := range map[string]*dicomtest.Fake{
		"no spacing": dicomtest.SecondaryFrames(),
		"in time":    dicomtest.SecondaryFrames().With(part10.TagSpacingBetweenSlices, "2.5").With(part10.TagFrameIncrementPointer, cine),
	} {
		c := dicomtest.Scan(t, dicomtest.OneFile(f))
		if len(c.Entries) != 1 {
			t.Fatalf("%s: %d volumes", name, len(c.Entries))
		}
		s := dicomtest.Load(t, c, 0)
		got := dicomtest.Finding(t, s.Findings, "position")
		if want := (volume.Affine{{0.5, 0, 0, -10}, {0, 0.75, 0, -20}, {0, 0, 1, 5}}); name == "no spacing" && s.Volume.Affine != want {
			t.Errorf("%s: affine %v, want that of the first frame, %v", name, s.Volume.Affine, want)
		}
		if !strings.Contains(got.Text.String(), "stacked in their order") || s.Volume.Dims != [3]int{4, 3, 3} || s.Sources[2].Frame != 2 {
			t.Errorf("%s: %v, %v", name, got, s.Volume.Dims)
		}
	}
}

// TestFramesRefused checks that each damage to a multi-frame image ends in one
// sentence, and that none costs more memory than its file.
func TestFramesRefused(t *testing.T) {
	per := func(f *dicomtest.Fake, raw []byte) *dicomtest.Fake {
		return f.With(part10.TagPerFrameFunctionalGroupsSequence, dicomtest.RawElement(raw))
	}
	g := dicomtest.GroupWriter{Enc: part10.ExplicitLE, Undefined: false}
	text := part10.AppendElement(nil, part10.ExplicitLE, part10.TagPerFrameFunctionalGroupsSequence, "UT", []byte("text"))
	tiny := dicomtest.NewFake("1", 0, 0).With(part10.TagRows, 1).With(part10.TagColumns, 1).With(part10.TagNumberOfFrames, "100000").With(part10.TagSOPClassUID, dicomtest.EnhancedMR)
	tiny.Pixels = make([]byte, 200000)
	for name, c := range map[string]struct {
		f    *dicomtest.Fake
		want string
	}{
		"two described":  {per(dicomtest.NewEnhanced(part10.ExplicitLE, false, dicomtest.ThreeFrames...), g.Sequence(part10.TagPerFrameFunctionalGroupsSequence, nil, nil)), "describe 2 frames, and the image has 3"},
		"of other type":  {per(dicomtest.NewEnhanced(part10.ExplicitLE, false, dicomtest.ThreeFrames...), text), "functional groups are damaged (a sequence is of another type)"},
		"few pixels":     {dicomtest.NewEnhanced(part10.ExplicitLE, false, dicomtest.ThreeFrames...).With(part10.TagNumberOfFrames, "4"), "72 bytes of pixels where 4 images of 4 x 3 pixels need 96"},
		"endless frames": {dicomtest.NewEnhanced(part10.ExplicitLE, false, dicomtest.ThreeFrames...).With(part10.TagNumberOfFrames, "2147483647"), "need"},
		"tiny frames":    {tiny, "100000 frames, and of a file of"},
		"slope 0":        {dicomtest.NewEnhanced(part10.ExplicitLE, false, dicomtest.ThreeFrames[0], dicomtest.FakeFrame{Slope: 1e-300, Inter: 1e300, BValue: -1}, dicomtest.ThreeFrames[2]), "lead out of range"},
	} {
		cat := dicomtest.Scan(t, dicomtest.OneFile(c.f))
		_, err := cat.Load(context.Background(), 0, nil)
		dicomtest.WantError(t, err, "m.dcm: ", c.want, "; ")
		if !strings.Contains(name, "slope") && name != "tiny frames" && !cat.Entries[0].Damaged {
			t.Errorf("%s does not count as damaged", name)
		}
	}
}

// TestLegacyConvertedFrames splits the frames of a legacy converted image by an attribute outside the groups.
func TestLegacyConvertedFrames(t *testing.T) {
	f := dicomtest.NewEnhanced(part10.ExplicitLE, false, dicomtest.ThreeFrames[0], dicomtest.ThreeFrames[1], dicomtest.ThreeFrames[0], dicomtest.ThreeFrames[1]).
		With(part10.TagSOPClassUID, "1.2.840.10008.5.1.4.1.1.4.4")
	g := dicomtest.GroupWriter{Enc: part10.ExplicitLE, Undefined: true}
	var items [][]byte
	for i := range 4 {
		items = append(items, slices.Concat(
			g.Group(part10.TagPlanePositionSequence, part10.TagImagePositionPatient, fmt.Sprintf(`0\0\%d`, 3*(i%2))),
			g.Group(part10.TagUnassignedPerFrameConvertedAttributesSequence, part10.TagEchoNumbers, fmt.Sprint(i/2+1))))
	}
	f.With(part10.TagPerFrameFunctionalGroupsSequence, dicomtest.RawElement(g.Sequence(part10.TagPerFrameFunctionalGroupsSequence, items...)))
	c := dicomtest.Scan(t, dicomtest.OneFile(f))
	if len(c.Entries) != 2 || c.Entries[0].Part != "echo 1" || c.Entries[1].Part != "echo 2" || c.Entries[1].Stack[0].Frame != 2 {
		t.Errorf("%+v", c.Entries)
	}
}

// TestEncodingOfFrames: functional groups state what was acquired of k-space, in either encoding; groups that do not state
// it leave the file's own attributes.
func TestEncodingOfFrames(t *testing.T) {
	for _, enc := range []part10.Encoding{part10.ImplicitLE, part10.ExplicitBE} {
		number := func(tag part10.Tag, n uint16) []byte {
			return part10.AppendElement(nil, enc, tag, "US", enc.Order.(binary.AppendByteOrder).AppendUint16(nil, n))
		}
		g := dicomtest.GroupWriter{Enc: enc}
		steps := slices.Concat(number(part10.TagMRAcquisitionFrequencyEncodingSteps, 128), number(part10.TagMRAcquisitionPhaseEncodingStepsInPlane, 60))
		geometry := func(direction string) []byte {
			return g.Group(part10.TagMRFOVGeometrySequence, part10.TagInPlanePhaseEncodingDirection, direction, part10.TagPercentPhaseFieldOfView, "75", part10.TagPercentSampling, steps)
		}
		parallel := g.Group(part10.TagMRModifierSequence, part10.TagParallelReductionFactorInPlane, 2.0)
		for name, c := range map[string]struct {
			groups []byte
			want   volume.Encoding
		}{
			"columns":  {slices.Concat(geometry("COLUMN"), parallel), volume.Encoding{{128}, {60, 80, 120}}},
			"rows":     {geometry("ROW"), volume.Encoding{{60, 80}, {128}}},
			"spiral":   {geometry("OTHER"), volume.Encoding{}},
			"no group": {parallel, volume.Encoding{}},
		} {
			f := dicomtest.NewEnhanced(enc, false, dicomtest.ThreeFrames...)
			shared := slices.Concat(c.groups,
				g.Group(part10.TagPlaneOrientationSequence, part10.TagImageOrientationPatient, `1\0\0\0\1\0`),
				g.Group(part10.TagPixelMeasuresSequence, part10.TagSliceThickness, "99", part10.TagPixelSpacing, `0.75\0.5`))
			f.With(part10.TagSharedFunctionalGroupsSequence, dicomtest.RawElement(g.Sequence(part10.TagSharedFunctionalGroupsSequence, shared)))
			if s := dicomtest.Load(t, dicomtest.Scan(t, dicomtest.OneFile(f)), 0); s.Encoding != c.want {
				t.Errorf("%s: %v, want %v", name, s.Encoding, c.want)
			}
		}
	}
}
