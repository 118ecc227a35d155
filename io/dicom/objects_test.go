package dicom_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"

	"quell/io/dicom"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
)

// TestObjects finds class, UID, syntax and data set of files of every encoding, and counts the
// others.
func TestObjects(t *testing.T) {
	implicit := dicomtest.NewFake("1.1", 0, 0)
	implicit.Enc = part10.ImplicitLE
	explicit := dicomtest.NewFake("1.2", 0, 1)
	bare := dicomtest.NewFake("1.3", 0, 2).File()
	p, err := part10.TokenizeBytes(bare, nil)
	if err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{
		"a/implicit": {Data: implicit.File()}, "b.dcm": {Data: explicit.File()}, "c.dcm": {Data: dicomtest.Deflate(t, explicit.File())},
		"d.dcm": {Data: bare[p.Elements[0].Start:]}, "readme.txt": {Data: []byte("no DICOM")}, "empty": {},
	}
	got, others, err := dicom.Objects(context.Background(), fsys)
	if err != nil || len(got) != 4 || others != 2 {
		t.Fatalf("%d objects, %d others, %v", len(got), others, err)
	}
	for i, want := range []struct{ name, syntax string }{
		{"a/implicit", part10.UIDImplicitLE}, {"b.dcm", part10.UIDExplicitLE}, {"c.dcm", part10.UIDDeflatedLE}, {"d.dcm", part10.UIDExplicitLE},
	} {
		o := got[i]
		if o.Name != want.name || o.Syntax != want.syntax || o.UID == "" || o.SeriesUID == "" || o.ClassName() != "CT Image Storage" {
			t.Errorf("%+v, want %+v", o, want)
		}
		data := fsys[want.name].Data
		if o.Start+o.Size != int64(len(data)) {
			t.Errorf("%s: %d bytes from %d of %d", o.Name, o.Size, o.Start, len(data))
		}
		if want.syntax != part10.UIDDeflatedLE && !bytes.HasPrefix(data[o.Start:], []byte{8, 0}) {
			t.Errorf("%s: begins with % x", o.Name, data[o.Start:o.Start+4])
		}
	}
	if got[2].UID != got[1].UID || got[1].SyntaxName() != "Explicit VR Little Endian" {
		t.Errorf("%+v", got[1:3])
	}
}

// TestObjectsThatCannotBeSent are errors that name the file.
func TestObjectsThatCannotBeSent(t *testing.T) {
	whole := dicomtest.NewFake("1", 0, 0)
	file := whole.File()
	for what, c := range map[string]struct {
		data []byte
		want string
	}{
		"cut":      {file[:len(file)-1], "x.dcm: it is damaged"},
		"no UID":   {dicomtest.NewFake("1", 0, 0).With(part10.TagSOPInstanceUID, "").File(), "x.dcm: it has no SOP class or instance UID"},
		"no class": {dicomtest.NewFake("1", 0, 0).With(part10.TagSOPClassUID, "").File(), "x.dcm: it has no SOP class or instance UID"},
	} {
		_, _, err := dicom.Objects(context.Background(), fstest.MapFS{"x.dcm": {Data: c.data}})
		if err == nil {
			t.Errorf("%s: no error", what)
			continue
		}
		dicomtest.WantError(t, err, c.want)
	}
	_, _, err := dicom.Objects(context.Background(), closedFolder{fstest.MapFS{"in/x.dcm": {Data: file}}})
	dicomtest.WantError(t, err, "in: it cannot be read")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := dicom.Objects(ctx, fstest.MapFS{"x.dcm": {Data: file}}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// closedFolder is a file system with a folder "in" may not be read.
type closedFolder struct{ fstest.MapFS }

func (c closedFolder) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == "in" {
		return nil, fs.ErrPermission
	}
	return c.MapFS.ReadDir(name)
}
