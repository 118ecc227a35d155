package dicom

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"quell/volume"
)

// newUIHTiles returns an image of five slices of 4 x 3 pixels in three columns and
// two rows of tiles, 2.5 mm apart from z on down; the n-th pixel of slice s is
// 100 s + n, of the empty tile -1. It has no position of its own.
func newUIHTiles(enc encoding, z float64) *fake {
	const slices, across, down, cols, rows = 5, 3, 2, 4, 3
	var items []byte
	for s := range slices {
		position := fmt.Appendf(nil, `-10\-20\%g`, z-2.5*float64(s))
		item := appendElement(nil, enc, 0x00080032, "TM", []byte("133835"))
		items = appendItem(items, enc, appendElement(item, enc, tagImagePositionPatient, "DS", position))
	}
	float := func(t tagID, values ...float64) rawElement {
		var b []byte
		for _, v := range values {
			b = enc.order.(binary.AppendByteOrder).AppendUint64(b, math.Float64bits(v))
		}
		return appendElement(nil, enc, t, "FD", b)
	}
	f := newFake("70", 0, 0).with(tagModality, "MR").with(tagSOPClassUID, "1.2.840.10008.5.1.4.1.1.4").
		with(tagImageType, `ORIGINAL\PRIMARY\M\VFRAME`).with(tagRows, down*rows).with(tagColumns, across*cols).
		with(tagSpacingBetweenSlices, "2.5").with(tagImagePositionPatient, nil).
		with(tagRescaleIntercept, nil).with(tagRescaleSlope, nil).
		with(uihPrivateCreator, rawElement(appendElement(nil, enc, uihPrivateCreator, "LO", []byte(uihOwner)))).
		with(uihBValue, float(uihBValue, 929.75018313375267)).with(uihDirection, float(uihDirection, 0, 0.6, 0.8)).
		with(uihFrameSequence, rawElement(appendElement(nil, enc, uihFrameSequence, "SQ", items)))
	f.enc = enc
	f.tile(slices, across, down, cols, rows)
	return f
}

// TestUIHTiles cuts images of tiles into their slices, each at the place that the private
// sequence gives it.
func TestUIHTiles(t *testing.T) {
	for name, enc := range map[string]encoding{"implicit": implicitLE, "explicit": explicitLE, "big endian": explicitBE} {
		c := scan(t, oneFile(newUIHTiles(enc, 40)))
		if len(c.Entries) != 1 || c.Entries[0].Err != nil {
			t.Fatalf("%s: %+v", name, c.Entries)
		}
		s := load(t, c, 0)
		want := volume.Affine{{0.5, 0, 0, -10}, {0, 0.75, 0, -20}, {0, 0, 2.5, 30}}
		if s.Volume.Affine != want || s.Volume.Dims != [3]int{4, 3, 5} {
			t.Errorf("%s: %+v, want %v", name, s.Volume.Geometry, want)
		}
		for z := range 5 {
			tile := 4 - z
			for n, v := range s.Volume.Plane(z) {
				if v != float32(100*tile+n) {
					t.Fatalf("%s: slice %d pixel %d is %g", name, z, n, v)
				}
			}
		}
	}
}

// TestUIHTilesOfOneSeries are told apart by b-value and direction.
func TestUIHTilesOfOneSeries(t *testing.T) {
	along := binary.LittleEndian.AppendUint64(nil, math.Float64bits(1))
	along = append(along, make([]byte, 16)...)
	b0 := newUIHTiles(explicitLE, 40).with(tagSOPInstanceUID, "1.2.3.71").
		with(uihBValue, rawElement(appendElement(nil, explicitLE, uihBValue, "FD", make([]byte, 8))))
	turned := newUIHTiles(explicitLE, 40).with(tagSOPInstanceUID, "1.2.3.72").
		with(uihDirection, rawElement(appendElement(nil, explicitLE, uihDirection, "FD", along)))
	c := scan(t, filesOf(map[string]*fake{"a": newUIHTiles(explicitLE, 40), "b": b0, "c": turned}))
	var parts []string
	for _, e := range c.Entries {
		parts = append(parts, e.Part)
	}
	if want := []string{"b-value 0", `b-value 929.75, direction 0\0.6\0.8`, `b-value 929.75, direction 1\0\0`}; !slices.Equal(parts, want) {
		t.Errorf("parts %q, want %q", parts, want)
	}
}

func TestUIHTilesRefused(t *testing.T) {
	const silent = "its private header does not say where they lie"
	for name, c := range map[string]struct {
		file *fake
		want string
	}{
		"stripped":       {newUIHTiles(explicitLE, 40).with(uihFrameSequence, nil), silent},
		"no orientation": {newUIHTiles(explicitLE, 40).with(tagImageOrientationPatient, nil), silent},
		"other size":     {newUIHTiles(explicitLE, 40).with(tagColumns, 8).with(tagRows, 9), "5 slices do not fit its 8 x 9 pixels"},
	} {
		_, err := scan(t, oneFile(c.file)).Load(t.Context(), 0, nil)
		if err == nil {
			t.Errorf("%s: it is read", name)
			continue
		}
		wantError(t, err, "m.dcm: ", "UIH VFRAME", c.want, "; ")
	}
}

// TestUIHTilesExport puts the slices back into their tiles; without the patient's
// identity, only their places stay of the private sequence.
func TestUIHTilesExport(t *testing.T) {
	for name, d := range map[string]Derived{"whole": testDerived, "de-identified": hidden("s")} {
		_, s := onDisk(t, map[string]*fake{"m.dcm": newUIHTiles(explicitLE, 40)})
		out, _ := export(t, s, d)
		back := load(t, scan(t, os.DirFS(out)), 0)
		if back.Volume.Geometry != s.Volume.Geometry || !slices.Equal(back.Volume.Data, s.Volume.Data) {
			t.Errorf("%s: the tiles came back differently", name)
		}
		if has := elementBytes(t, readSourceFile(t, out, sliceName(0)))[uihBValue] != nil; has != (name == "whole") {
			t.Errorf("%s: b-value there: %v", name, has)
		}
	}
}
