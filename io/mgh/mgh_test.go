package mgh_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quell/io/mgh"
	"quell/series"
	"quell/volume"
)

// head is a header of 2 x 3 x 4 voxels of int16 with two frames. nibabel 5.0 reads its affine as
// [[0 0 2 -4] [1 0 0 10] [0 -1.5 0 22.25]] in RAS+.
type head struct {
	Version             int32
	Size                [3]int32
	Frames, Type, Dof   int32
	Good                int16
	Spacing             [3]float32
	Row, Column, Normal [3]float32
	Centre              [3]float32
	Rest                [194]byte
}

func usual() head {
	return head{Version: 1, Size: [3]int32{2, 3, 4}, Frames: 2, Type: 4, Good: 1, Spacing: [3]float32{1, 1.5, 2},
		Row: [3]float32{0, 1, 0}, Column: [3]float32{0, 0, -1}, Normal: [3]float32{1, 0, 0}, Centre: [3]float32{0, 11, 20}}
}

// encoded is a file with voxels that count from 0.
func encoded(h head) []byte {
	var b bytes.Buffer
	_ = binary.Write(&b, binary.BigEndian, h)
	for i := range 2 * 3 * 4 * int(max(h.Frames, 1)) {
		switch h.Type {
		case 0:
			b.WriteByte(byte(i))
		case 1:
			_ = binary.Write(&b, binary.BigEndian, int32(i))
		case 3:
			_ = binary.Write(&b, binary.BigEndian, float32(i))
		default:
			_ = binary.Write(&b, binary.BigEndian, int16(i))
		}
	}
	return b.Bytes()
}

func zipped(b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write(b)
	_ = z.Close()
	return out.Bytes()
}

// TestRead reads both frames of a file, of every type, compressed or not, at the positions that nibabel gives.
func TestRead(t *testing.T) {
	want := volume.Affine{{0, 0, -2, 4}, {-1, 0, 0, -10}, {0, -1.5, 0, 22.25}}
	for _, code := range []int32{0, 1, 3, 4, 10} {
		h := usual()
		h.Type = code
		for name, b := range map[string][]byte{"a.mgh": encoded(h), "a.mgz": zipped(encoded(h)), "a.MGH.gz": zipped(encoded(h))} {
			files := fstest.MapFS{name: {Data: b}}
			found, err := mgh.Format.Scan(t.Context(), files, []string{name})
			if err != nil || len(found.Entries) != 2 || !mgh.Sniff(b[:4], name) {
				t.Fatalf("%s, type %d: %v", name, code, err)
			}
			for frame := range 2 {
				s, err := mgh.Open.Read(t.Context(), files, name, frame, "")
				if err != nil || s.Volume.Dims != [3]int{2, 3, 4} || s.Volume.Affine != want {
					t.Fatalf("%s, type %d: %v, %+v", name, code, err, s)
				}
				if v := s.Volume.Data; v[0] != float32(24*frame) || v[23] != float32(24*frame+23) {
					t.Errorf("%s, type %d: frame %d: %v", name, code, frame, v)
				}
			}
		}
	}
}

// TestNoPositions: a file without positions lies as FreeSurfer takes it, and says so.
func TestNoPositions(t *testing.T) {
	h := usual()
	h.Good, h.Frames = 0, 1
	s, err := mgh.Open.Read(t.Context(), fstest.MapFS{"a.mgh": {Data: encoded(h)}}, "a.mgh", 0, "")
	if err != nil {
		t.Fatal(err)
	}
	if want := (volume.Affine{{1, 0, 0, -1}, {0, 0, -1, 2}, {0, -1, 0, 1.5}}); s.Volume.Affine != want {
		t.Errorf("%v, want %v", s.Volume.Affine, want)
	}
	if !slices.ContainsFunc(s.Findings, func(f series.Finding) bool { return f.Kind == series.Orientation }) {
		t.Errorf("%+v", s.Findings)
	}
}

// TestRefused: each with its sentence.
func TestRefused(t *testing.T) {
	for want, change := range map[string]func(h *head){
		"not an MGH file":        func(h *head) { h.Version = 2 },
		"of the type 2":          func(h *head) { h.Type = 2 },
		"than a volume can have": func(h *head) { h.Size = [3]int32{math.MaxInt32, math.MaxInt32, 2} },
		"volumes, more or fewer": func(h *head) { h.Frames = 0 },
		"not finite":             func(h *head) { h.Row[0] = float32(math.NaN()) },
		"lie in one plane":       func(h *head) { h.Row = h.Column },
		"should end at byte":     func(h *head) { h.Size[0] = 9 },
	} {
		h := usual()
		b := encoded(h)
		change(&h)
		copy(b, encoded(h)[:284])
		if s, err := mgh.Open.Read(t.Context(), fstest.MapFS{"a.mgh": {Data: b}}, "a.mgh", 0, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", want, s, err)
		}
	}
	b := encoded(usual())
	for _, n := range []int{0, 100, 283} {
		if _, err := mgh.Open.Read(t.Context(), fstest.MapFS{"a.mgh": {Data: b[:n]}}, "a.mgh", 0, ""); err == nil {
			t.Errorf("%d bytes are read", n)
		}
	}
	if mgh.Sniff(b, "a.nii") || mgh.Sniff([]byte("text"), "a.mgh") {
		t.Error("another file is taken for MGH")
	}
}

// FuzzRead: no header makes the reader panic, or claim memory that the file does not hold.
func FuzzRead(f *testing.F) {
	f.Add(encoded(usual()))
	f.Add(zipped(encoded(usual())))
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := mgh.Open.Read(t.Context(), fstest.MapFS{"a.mgh": {Data: b}}, "a.mgh", 0, ""); err == nil {
			if err := s.Volume.Validate(); err != nil {
				t.Error(err)
			}
		}
	})
}
