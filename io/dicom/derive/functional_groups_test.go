package derive_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/io/dicom/derive"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
	"quell/series"
	"quell/volume"
)

// groupBytes returns the elements of each item of a sequence of functional
// groups, by tag.
func groupBytes(t *testing.T, file []byte, tag part10.Tag) []map[part10.Tag][]byte {
	t.Helper()
	p, err := dicomtest.Tokens(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []map[part10.Tag][]byte
	for _, e := range p.Elements {
		if e.Tag != tag {
			continue
		}
		err := part10.EachItem(file, e, p.Syntax.Encoding, func(item part10.SequenceItem) error {
			m := map[part10.Tag][]byte{}
			for _, e := range item.Elements {
				m[e.Tag] = file[e.Start:e.End]
			}
			out = append(out, m)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestMultiFrameExport exports a multi-frame image in every plain encoding: one
// file again, each frame by its own rescale, and all that the tables do not name
// byte for byte.
func TestMultiFrameExport(t *testing.T) {
	for _, enc := range []part10.Encoding{part10.ImplicitLE, part10.ExplicitLE, part10.ExplicitBE} {
		for _, undefined := range []bool{false, true} {
			dir, s := dicomtest.OnDisk(t, map[string]*dicomtest.Fake{"m.dcm": dicomtest.NewEnhanced(enc, undefined, dicomtest.ThreeFrames...)})
			result := s.Volume.Clone()
			for i := range result.Data {
				result.Data[i] += float32(i%5) * 0.3
			}
			result.Data[0] = 1e9 // lies in the frame of slope 2
			out := filepath.Join(t.TempDir(), "out")
			if r := dicomtest.Write(t, out, s, result); r.Files != 1 || r.Clipped != 1 {
				t.Errorf("report %+v", r)
			}
			back := dicomtest.Load(t, dicomtest.Scan(t, os.DirFS(out)), 0)
			if back.Volume.Geometry != s.Volume.Geometry || back.Sources[0].Frame != 2 {
				t.Errorf("%v: %+v", enc, back.Volume.Geometry)
			}
			for z := range 3 {
				for n, v := range back.Volume.Plane(z) {
					want := result.Plane(z)[n]
					if z == 0 && n == 0 {
						want = 2 * 32767
					}
					if d := float64(max(v-want, want-v)); d > s.Sources[z].Slope/2+1e-4 {
						t.Errorf("%v: voxel %d of slice %d is %g, want %g", enc, n, z, v, want)
					}
				}
			}

			before, after := dicomtest.ReadSourceFile(t, dir, "m.dcm"), dicomtest.ReadSourceFile(t, out, dicomtest.SliceName(0))
			was, is := dicomtest.ElementBytes(t, before), dicomtest.ElementBytes(t, after)
			changed := map[part10.Tag]bool{0x19710010: true, 0x19711001: true, part10.TagPixelData: true,
				part10.TagSharedFunctionalGroupsSequence: true, part10.TagPerFrameFunctionalGroupsSequence: true}
			for _, tag := range derive.DerivedTags() {
				changed[tag] = true
			}
			for tag, b := range was {
				if !changed[tag] && !bytes.Equal(is[tag], b) {
					t.Errorf("%v: %v is % x, was % x", enc, tag, is[tag], b)
				}
			}
			if is[0x00189005] != nil || is[part10.TagSourceImageSequence] != nil || is[part10.TagDerivationDescription] != nil {
				t.Error("the pulse sequence, or a derivation outside the frames, is there")
			}
			if v := is[part10.TagSourceImageEvidenceSequence]; !bytes.Contains(v, []byte("1.2.3.60")) || !bytes.Contains(v, []byte("1.2.3.2")) || !bytes.Contains(v, []byte("1.2.3.1")) {
				t.Errorf("source evidence %q", v)
			}
			if !bytes.Contains(is[part10.TagImageType], []byte(`DERIVED\PRIMARY\M\NONE`)) {
				t.Errorf("image type %q", is[part10.TagImageType])
			}
			wasFrames, isFrames := groupBytes(t, before, part10.TagPerFrameFunctionalGroupsSequence), groupBytes(t, after, part10.TagPerFrameFunctionalGroupsSequence)
			if len(isFrames) != 3 {
				t.Fatalf("%d frames are described", len(isFrames))
			}
			for i, frame := range isFrames {
				for tag, b := range wasFrames[i] {
					if tag != part10.TagMRImageFrameTypeSequence && !bytes.Equal(frame[tag], b) {
						t.Errorf("%v: %v of frame %d is % x, was % x", enc, tag, i, frame[tag], b)
					}
				}
				if v := frame[part10.TagMRImageFrameTypeSequence]; !bytes.Contains(v, []byte(`DERIVED\PRIMARY\M\NONE`)) || !bytes.Contains(v, []byte("MAGNITUDE")) {
					t.Errorf("frame type %q", v)
				}
				ref := part10.AppendElement(nil, enc, part10.TagReferencedFrameNumber, "IS", fmt.Append(nil, i+1))
				if v := frame[part10.TagDerivationImageSequence]; !bytes.Contains(v, ref) || !bytes.Contains(v, []byte("121322")) || !bytes.Contains(v, []byte("113087")) || !bytes.Contains(v, []byte("1.2.3.60")) {
					t.Errorf("derivation of frame %d: %q", i, v)
				}
			}
			if !bytes.Equal(groupBytes(t, before, part10.TagSharedFunctionalGroupsSequence)[0][part10.TagPlaneOrientationSequence], groupBytes(t, after, part10.TagSharedFunctionalGroupsSequence)[0][part10.TagPlaneOrientationSequence]) {
				t.Error("a shared group changed")
			}
		}
	}
}

// TestMultiFrameCut exports one of two volumes that a file holds, and a run of
// its slices: the file has these frames alone, and each names its source frame.
func TestMultiFrameCut(t *testing.T) {
	var frames []dicomtest.FakeFrame
	for _, z := range []float64{0, 5, 10} {
		for time := range 2 {
			frames = append(frames, dicomtest.FakeFrame{Z: z, Time: time + 1, BValue: -1})
		}
	}
	dir, _ := dicomtest.OnDisk(t, map[string]*dicomtest.Fake{"m.dcm": dicomtest.NewEnhanced(part10.ExplicitLE, true, frames...).
		With(0x00209311, "3D_TEMPORAL").With(0x00286010, []byte{6, 0})})
	s := dicomtest.Load(t, dicomtest.Scan(t, os.DirFS(dir)), 1)
	part := *s
	part.Volume, part.Sources = s.Volume.Crop(volume.Slices(s.Volume.Geometry, 1, 3)), s.Sources[1:]
	for name, src := range map[string]*series.Series{"volume": s, "run": &part} {
		out := filepath.Join(t.TempDir(), "out")
		dicomtest.Write(t, out, src, src.Volume)
		c := dicomtest.Scan(t, os.DirFS(out))
		if len(c.Entries) != 1 {
			t.Fatalf("%s: %d volumes", name, len(c.Entries))
		}
		back := dicomtest.Load(t, c, 0)
		if back.Volume.Geometry != src.Volume.Geometry || !slices.Equal(back.Volume.Data, src.Volume.Data) {
			t.Errorf("%s came back differently", name)
		}
		file := dicomtest.ReadSourceFile(t, out, dicomtest.SliceName(0))
		if v := dicomtest.ElementBytes(t, file); v[0x00209311] != nil || v[0x00286010] != nil {
			t.Errorf("%s: what was said of all frames is still there", name)
		}
		if v := dicomtest.ElementBytes(t, file)[part10.TagNumberOfFrames]; strings.TrimSpace(string(v[8:])) != fmt.Sprint(len(src.Sources)) {
			t.Errorf("%s: number of frames %q", name, v)
		}
		for i, frame := range groupBytes(t, file, part10.TagPerFrameFunctionalGroupsSequence) {
			ref := part10.AppendElement(nil, part10.ExplicitLE, part10.TagReferencedFrameNumber, "IS", fmt.Append(nil, src.Sources[i].Frame+1))
			if !bytes.Contains(frame[part10.TagDerivationImageSequence], ref) {
				t.Errorf("%s: derivation of frame %d: %q", name, i, frame[part10.TagDerivationImageSequence])
			}
		}
	}
}

// TestMultiFrameDerivedAgain keeps earlier derivations, also the ones that all
// frames shared, which a group of the frames' own replaces.
func TestMultiFrameDerivedAgain(t *testing.T) {
	f := dicomtest.NewEnhanced(part10.ExplicitLE, false, dicomtest.ThreeFrames...)
	g := dicomtest.GroupWriter{Enc: part10.ExplicitLE, Undefined: true}
	f.With(part10.TagSharedFunctionalGroupsSequence, dicomtest.RawElement(g.Sequence(part10.TagSharedFunctionalGroupsSequence, slices.Concat(
		g.Group(part10.TagDerivationImageSequence, part10.TagDerivationDescription, "before"),
		g.Group(part10.TagPlaneOrientationSequence, part10.TagImageOrientationPatient, `1\0\0\0\1\0`),
		g.Group(part10.TagPixelMeasuresSequence, part10.TagPixelSpacing, `0.75\0.5`)))))
	_, s := dicomtest.OnDisk(t, map[string]*dicomtest.Fake{"m.dcm": f})
	first, _ := dicomtest.Export(t, s, dicomtest.TestDerived)
	again := dicomtest.Load(t, dicomtest.Scan(t, os.DirFS(first)), 0)
	second, _ := dicomtest.Export(t, again, dicomtest.TestDerived)
	file := dicomtest.ReadSourceFile(t, second, dicomtest.SliceName(0))
	for _, frame := range groupBytes(t, file, part10.TagPerFrameFunctionalGroupsSequence) {
		d := frame[part10.TagDerivationImageSequence]
		if bytes.Count(d, []byte("before")) != 1 || bytes.Count(d, []byte("121322")) != 2 {
			t.Errorf("derivation %q", d)
		}
	}
	if groupBytes(t, file, part10.TagSharedFunctionalGroupsSequence)[0][part10.TagDerivationImageSequence] != nil {
		t.Error("the shared derivation is still there")
	}
}

// TestSecondaryCaptureExport exports frames that no functional group describes:
// all together, or not at all.
func TestSecondaryCaptureExport(t *testing.T) {
	dir, s := dicomtest.OnDisk(t, map[string]*dicomtest.Fake{"m.dcm": dicomtest.SecondaryFrames().With(part10.TagSpacingBetweenSlices, "2.5")})
	out, _ := dicomtest.Export(t, s, dicomtest.TestDerived)
	back := dicomtest.Load(t, dicomtest.Scan(t, os.DirFS(out)), 0)
	if back.Volume.Geometry != s.Volume.Geometry || !slices.Equal(back.Volume.Data, s.Volume.Data) {
		t.Error("the frames came back differently")
	}
	if v := dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, out, dicomtest.SliceName(0))); v[part10.TagSourceImageSequence] == nil || v[part10.TagSourceImageEvidenceSequence] != nil ||
		!bytes.Equal(v[part10.TagPixelData], dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, dir, "m.dcm"))[part10.TagPixelData]) {
		t.Error("the source is not named, or pixels changed")
	}
	part := *s
	part.Volume, part.Sources = s.Volume.Crop(volume.Slices(s.Volume.Geometry, 1, 3)), s.Sources[1:]
	_, err := dicomtest.WriteAs(context.Background(), filepath.Join(t.TempDir(), "x"), &part, part.Volume, dicomtest.TestDerived, nil)
	dicomtest.WantError(t, err, "m.dcm: frames cannot be cut out", "; write NIfTI instead")
}

// TestRescalePerSliceExport exports slices with a slope and an intercept of their own, as PET has.
func TestRescalePerSliceExport(t *testing.T) {
	fakes := dicomtest.Stack(3)
	for i, name := range []string{"a.dcm", "b.dcm", "c.dcm"} {
		fakes[name].With(part10.TagRescaleSlope, fmt.Sprint(0.125*float64(i+1))).With(part10.TagRescaleIntercept, "0").With(part10.TagModality, "PT").With(part10.TagUnits, "BQML")
	}
	_, s := dicomtest.OnDisk(t, fakes)
	if s.Volume.Unit != "BQML" {
		t.Errorf("unit %q", s.Volume.Unit)
	}
	result := s.Volume.Clone()
	for i := range result.Data {
		result.Data[i] *= 0.97
	}
	out := filepath.Join(t.TempDir(), "out")
	dicomtest.Write(t, out, s, result)
	back := dicomtest.Load(t, dicomtest.Scan(t, os.DirFS(out)), 0)
	for z, src := range s.Sources {
		for n, v := range back.Volume.Plane(z) {
			if d := float64(v - result.Plane(z)[n]); max(d, -d) > src.Slope/2+1e-5 {
				t.Errorf("slice %d pixel %d is off by %g, its step is %g", z, n, d, src.Slope)
			}
		}
	}
}

// TestGroupsMissing exports an image of a class with functional groups that has
// none: it says its derivation once, and as ImageType what its class allows.
func TestGroupsMissing(t *testing.T) {
	f := dicomtest.NewEnhanced(part10.ExplicitLE, false, dicomtest.ThreeFrames...)
	delete(f.Values, part10.TagSharedFunctionalGroupsSequence)
	delete(f.Values, part10.TagPerFrameFunctionalGroupsSequence)
	_, s := dicomtest.OnDisk(t, map[string]*dicomtest.Fake{"m.dcm": f})
	out, _ := dicomtest.Export(t, s, dicomtest.TestDerived)
	is := dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, out, dicomtest.SliceName(0)))
	if is[part10.TagSourceImageEvidenceSequence] != nil || is[part10.TagSourceImageSequence] == nil || is[part10.TagDerivationCodeSequence] == nil || is[part10.TagDerivationDescription] == nil {
		t.Errorf("evidence %q, source %q, derivation %q", is[part10.TagSourceImageEvidenceSequence], is[part10.TagSourceImageSequence], is[part10.TagDerivationDescription])
	}
	if !bytes.Contains(is[part10.TagImageType], []byte(`DERIVED\PRIMARY\M\NONE`)) {
		t.Errorf("image type %q", is[part10.TagImageType])
	}
}
