package dicom

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/series"
	"quell/volume"
)

// groupBytes returns the elements of each item of a sequence of functional
// groups, by tag.
func groupBytes(t *testing.T, file []byte, tag tagID) []map[tagID][]byte {
	t.Helper()
	p, err := tokens(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []map[tagID][]byte
	for _, e := range p.elements {
		if e.tag != tag {
			continue
		}
		err := eachItem(file, e, p.syntax.encoding, func(item sequenceItem) error {
			m := map[tagID][]byte{}
			for _, e := range item.elements {
				m[e.tag] = file[e.start:e.end]
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
	for _, enc := range []encoding{implicitLE, explicitLE, explicitBE} {
		for _, undefined := range []bool{false, true} {
			dir, s := onDisk(t, map[string]*fake{"m.dcm": newEnhanced(enc, undefined, threeFrames...)})
			result := s.Volume.Clone()
			for i := range result.Data {
				result.Data[i] += float32(i%5) * 0.3
			}
			result.Data[0] = 1e9 // lies in the frame of slope 2
			out := filepath.Join(t.TempDir(), "out")
			if r := write(t, out, s, result); r.Files != 1 || r.Clipped != 1 {
				t.Errorf("report %+v", r)
			}
			back := load(t, scan(t, os.DirFS(out)), 0)
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

			before, after := readSourceFile(t, dir, "m.dcm"), readSourceFile(t, out, sliceName(0))
			was, is := elementBytes(t, before), elementBytes(t, after)
			changed := map[tagID]bool{0x19710010: true, 0x19711001: true, tagPixelData: true,
				tagSharedFunctionalGroupsSequence: true, tagPerFrameFunctionalGroupsSequence: true}
			for _, r := range derivedAttributes {
				changed[r.tag] = true
			}
			for tag, b := range was {
				if !changed[tag] && !bytes.Equal(is[tag], b) {
					t.Errorf("%v: %v is % x, was % x", enc, tag, is[tag], b)
				}
			}
			if is[0x00189005] != nil || is[tagSourceImageSequence] != nil || is[tagDerivationDescription] != nil {
				t.Error("the pulse sequence, or a derivation outside the frames, is there")
			}
			if v := is[tagSourceImageEvidenceSequence]; !bytes.Contains(v, []byte("1.2.3.60")) || !bytes.Contains(v, []byte("1.2.3.2")) || !bytes.Contains(v, []byte("1.2.3.1")) {
				t.Errorf("source evidence %q", v)
			}
			if !bytes.Contains(is[tagImageType], []byte(`DERIVED\PRIMARY\M\NONE`)) {
				t.Errorf("image type %q", is[tagImageType])
			}
			wasFrames, isFrames := groupBytes(t, before, tagPerFrameFunctionalGroupsSequence), groupBytes(t, after, tagPerFrameFunctionalGroupsSequence)
			if len(isFrames) != 3 {
				t.Fatalf("%d frames are described", len(isFrames))
			}
			for i, frame := range isFrames {
				for tag, b := range wasFrames[i] {
					if tag != tagMRImageFrameTypeSequence && !bytes.Equal(frame[tag], b) {
						t.Errorf("%v: %v of frame %d is % x, was % x", enc, tag, i, frame[tag], b)
					}
				}
				if v := frame[tagMRImageFrameTypeSequence]; !bytes.Contains(v, []byte(`DERIVED\PRIMARY\M\NONE`)) || !bytes.Contains(v, []byte("MAGNITUDE")) {
					t.Errorf("frame type %q", v)
				}
				ref := appendElement(nil, enc, tagReferencedFrameNumber, "IS", fmt.Append(nil, i+1))
				if v := frame[tagDerivationImageSequence]; !bytes.Contains(v, ref) || !bytes.Contains(v, []byte("121322")) || !bytes.Contains(v, []byte("113087")) || !bytes.Contains(v, []byte("1.2.3.60")) {
					t.Errorf("derivation of frame %d: %q", i, v)
				}
			}
			if !bytes.Equal(groupBytes(t, before, tagSharedFunctionalGroupsSequence)[0][tagPlaneOrientationSequence], groupBytes(t, after, tagSharedFunctionalGroupsSequence)[0][tagPlaneOrientationSequence]) {
				t.Error("a shared group changed")
			}
		}
	}
}

// TestMultiFrameCut exports one of two volumes that a file holds, and a run of
// its slices: the file has these frames alone, and each names its source frame.
func TestMultiFrameCut(t *testing.T) {
	var frames []fakeFrame
	for _, z := range []float64{0, 5, 10} {
		for time := range 2 {
			frames = append(frames, fakeFrame{z: z, time: time + 1, bValue: -1})
		}
	}
	dir, _ := onDisk(t, map[string]*fake{"m.dcm": newEnhanced(explicitLE, true, frames...).
		with(0x00209311, "3D_TEMPORAL").with(0x00286010, []byte{6, 0})})
	s := load(t, scan(t, os.DirFS(dir)), 1)
	part := *s
	part.Volume, part.Sources = s.Volume.Crop(volume.Slices(s.Volume.Geometry, 1, 3)), s.Sources[1:]
	for name, src := range map[string]*series.Series{"volume": s, "run": &part} {
		out := filepath.Join(t.TempDir(), "out")
		write(t, out, src, src.Volume)
		c := scan(t, os.DirFS(out))
		if len(c.Entries) != 1 {
			t.Fatalf("%s: %d volumes", name, len(c.Entries))
		}
		back := load(t, c, 0)
		if back.Volume.Geometry != src.Volume.Geometry || !slices.Equal(back.Volume.Data, src.Volume.Data) {
			t.Errorf("%s came back differently", name)
		}
		file := readSourceFile(t, out, sliceName(0))
		if v := elementBytes(t, file); v[0x00209311] != nil || v[0x00286010] != nil {
			t.Errorf("%s: what was said of all frames is still there", name)
		}
		if v := elementBytes(t, file)[tagNumberOfFrames]; strings.TrimSpace(string(v[8:])) != fmt.Sprint(len(src.Sources)) {
			t.Errorf("%s: number of frames %q", name, v)
		}
		for i, frame := range groupBytes(t, file, tagPerFrameFunctionalGroupsSequence) {
			ref := appendElement(nil, explicitLE, tagReferencedFrameNumber, "IS", fmt.Append(nil, src.Sources[i].Frame+1))
			if !bytes.Contains(frame[tagDerivationImageSequence], ref) {
				t.Errorf("%s: derivation of frame %d: %q", name, i, frame[tagDerivationImageSequence])
			}
		}
	}
}

// TestMultiFrameDerivedAgain keeps earlier derivations, those that all frames
// shared too, which a group of the frames' own replaces.
func TestMultiFrameDerivedAgain(t *testing.T) {
	f := newEnhanced(explicitLE, false, threeFrames...)
	g := groupWriter{explicitLE, true}
	f.with(tagSharedFunctionalGroupsSequence, rawElement(g.sequence(tagSharedFunctionalGroupsSequence, slices.Concat(
		g.group(tagDerivationImageSequence, tagDerivationDescription, "before"),
		g.group(tagPlaneOrientationSequence, tagImageOrientationPatient, `1\0\0\0\1\0`),
		g.group(tagPixelMeasuresSequence, tagPixelSpacing, `0.75\0.5`)))))
	_, s := onDisk(t, map[string]*fake{"m.dcm": f})
	first, _ := export(t, s, testDerived)
	again := load(t, scan(t, os.DirFS(first)), 0)
	second, _ := export(t, again, testDerived)
	file := readSourceFile(t, second, sliceName(0))
	for _, frame := range groupBytes(t, file, tagPerFrameFunctionalGroupsSequence) {
		d := frame[tagDerivationImageSequence]
		if bytes.Count(d, []byte("before")) != 1 || bytes.Count(d, []byte("121322")) != 2 {
			t.Errorf("derivation %q", d)
		}
	}
	if groupBytes(t, file, tagSharedFunctionalGroupsSequence)[0][tagDerivationImageSequence] != nil {
		t.Error("the shared derivation is still there")
	}
}

// TestSecondaryCaptureExport exports frames that no functional group describes:
// all together, or not at all.
func TestSecondaryCaptureExport(t *testing.T) {
	dir, s := onDisk(t, map[string]*fake{"m.dcm": secondaryFrames().with(tagSpacingBetweenSlices, "2.5")})
	out, _ := export(t, s, testDerived)
	back := load(t, scan(t, os.DirFS(out)), 0)
	if back.Volume.Geometry != s.Volume.Geometry || !slices.Equal(back.Volume.Data, s.Volume.Data) {
		t.Error("the frames came back differently")
	}
	if v := elementBytes(t, readSourceFile(t, out, sliceName(0))); v[tagSourceImageSequence] == nil || v[tagSourceImageEvidenceSequence] != nil ||
		!bytes.Equal(v[tagPixelData], elementBytes(t, readSourceFile(t, dir, "m.dcm"))[tagPixelData]) {
		t.Error("the source is not named, or pixels changed")
	}
	part := *s
	part.Volume, part.Sources = s.Volume.Crop(volume.Slices(s.Volume.Geometry, 1, 3)), s.Sources[1:]
	_, err := Write(context.Background(), filepath.Join(t.TempDir(), "x"), &part, part.Volume, testDerived, nil)
	wantError(t, err, "m.dcm: frames cannot be cut out", "; write NIfTI instead")
}

// TestRescalePerSliceExport gives every slice its own slope and intercept, as PET
// has: each value comes back within half a step of its own slice.
func TestRescalePerSliceExport(t *testing.T) {
	fakes := stack(3)
	for i, name := range []string{"a.dcm", "b.dcm", "c.dcm"} {
		fakes[name].with(tagRescaleSlope, fmt.Sprint(0.125*float64(i+1))).with(tagRescaleIntercept, "0").with(tagModality, "PT").with(tagUnits, "BQML")
	}
	_, s := onDisk(t, fakes)
	if s.Volume.Unit != "BQML" {
		t.Errorf("unit %q", s.Volume.Unit)
	}
	result := s.Volume.Clone()
	for i := range result.Data {
		result.Data[i] *= 0.97
	}
	out := filepath.Join(t.TempDir(), "out")
	write(t, out, s, result)
	back := load(t, scan(t, os.DirFS(out)), 0)
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
	f := newEnhanced(explicitLE, false, threeFrames...)
	delete(f.values, tagSharedFunctionalGroupsSequence)
	delete(f.values, tagPerFrameFunctionalGroupsSequence)
	_, s := onDisk(t, map[string]*fake{"m.dcm": f})
	out, _ := export(t, s, testDerived)
	is := elementBytes(t, readSourceFile(t, out, sliceName(0)))
	if is[tagSourceImageEvidenceSequence] != nil || is[tagSourceImageSequence] == nil || is[tagDerivationCodeSequence] == nil || is[tagDerivationDescription] == nil {
		t.Errorf("evidence %q, source %q, derivation %q", is[tagSourceImageEvidenceSequence], is[tagSourceImageSequence], is[tagDerivationDescription])
	}
	if !bytes.Contains(is[tagImageType], []byte(`DERIVED\PRIMARY\M\NONE`)) {
		t.Errorf("image type %q", is[tagImageType])
	}
}
