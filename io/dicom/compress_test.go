package dicom

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/assets"
	"quell/volume"
)

// TestCompressedExport writes the bundled series as RLE: voxels are as in the plain
// export, here and, where they are installed, in dcmtk's and GDCM's reading.
func TestCompressedExport(t *testing.T) {
	c := scan(t, assets.Series)
	s := load(t, c, c.Default)
	s = &volume.Series{Meta: s.Meta, Volume: s.Volume.Crop(volume.Slices(s.Volume.Geometry, 3, 5)), Sources: s.Sources[3:5]}
	d := testDerived
	plain, packed := filepath.Join(t.TempDir(), "plain"), filepath.Join(t.TempDir(), "packed")
	write(t, plain, s, s.Volume)
	d.Compress = true
	r, err := Write(context.Background(), packed, s, s.Volume, d, nil)
	if err != nil || len(r.Warnings) != 0 {
		t.Fatalf("%v, %q", err, r.Warnings)
	}
	unpacked, back := load(t, scan(t, os.DirFS(plain)), 0), load(t, scan(t, os.DirFS(packed)), 0)
	if back.Volume.Geometry != unpacked.Volume.Geometry || !slices.Equal(back.Volume.Data, s.Volume.Data) {
		t.Error("the series came back differently")
	}
	for _, name := range names(t, packed) {
		want := elementBytes(t, readSourceFile(t, plain, name))
		file := readSourceFile(t, packed, name)
		is := elementBytes(t, file)
		for tag, b := range want {
			if tag != tagPixelData && !bytes.Equal(is[tag], b) {
				t.Errorf("%v differs from that of the plain export", tag)
			}
		}
		if p, err := tokens(file); err != nil || p.syntax.uid != uidRLE || len(is[tagPixelData]) >= len(want[tagPixelData])*3/4 {
			t.Errorf("%v, %d bytes of pixels for %d", err, len(is[tagPixelData]), len(want[tagPixelData]))
		}
		for _, command := range [][]string{{"dcmdrle"}, {"gdcmconv", "--raw"}} {
			if _, err := exec.LookPath(command[0]); err != nil {
				t.Logf("%s is not installed", command[0])
				continue
			}
			out := filepath.Join(t.TempDir(), "plain.dcm")
			if text, err := exec.Command(command[0], append(command[1:], filepath.Join(packed, name), out)...).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", command[0], err, text)
				continue
			}
			other := elementBytes(t, readSourceFile(t, filepath.Dir(out), filepath.Base(out)))
			if got := other[tagPixelData]; len(got) < 12 || !bytes.Equal(got[12:], want[tagPixelData][12:]) {
				t.Errorf("%s reads other pixels", command[0])
			}
		}
	}
}

// TestCompressedNew compresses a series that has no DICOM source.
func TestCompressedNew(t *testing.T) {
	_, s := onDisk(t, stack(3))
	s.Sources = nil
	d := testDerived
	d.Compress = true
	out := filepath.Join(t.TempDir(), "out")
	if _, err := WriteNew(context.Background(), out, s, d, nil); err != nil {
		t.Fatal(err)
	}
	if back := load(t, scan(t, os.DirFS(out)), 0); !slices.Equal(back.Volume.Data, s.Volume.Data) {
		t.Error("the series came back differently")
	}
}

// TestNotCompressible writes plainly, and says so, where a compressed file would
// need another encoding.
func TestNotCompressible(t *testing.T) {
	implicit := stack(2)
	for _, f := range implicit {
		f.enc = implicitLE
	}
	for name, fakes := range map[string]map[string]*fake{"implicit": implicit, "frames": {"m.dcm": newEnhanced(explicitLE, false, threeFrames...)}} {
		_, s := onDisk(t, fakes)
		d := testDerived
		d.Compress = true
		r, err := Write(context.Background(), filepath.Join(t.TempDir(), "out"), s, s.Volume, d, nil)
		if err != nil || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "not compressed") {
			t.Errorf("%s: %v, %q", name, err, r.Warnings)
		}
	}
}
