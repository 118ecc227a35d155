package part10_test

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/flate"

	"quell/io/dicom"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
)

func TestDeflated(t *testing.T) {
	plain, packed := dicomtest.Stack(3), fstest.MapFS{}
	for name, f := range plain {
		packed[name] = &fstest.MapFile{Data: dicomtest.Deflate(t, f.File())}
	}
	want := dicomtest.Load(t, dicomtest.Scan(t, dicomtest.FilesOf(plain)), 0)
	c := dicomtest.Scan(t, packed)
	got := dicomtest.Load(t, c, 0)
	if !slices.Equal(got.Volume.Data, want.Volume.Data) || got.Description != want.Description || c.Entries[0].Slices != 3 {
		t.Error("the series is not that of the plain files")
	}
	if got.Meta.TransferSyntax != part10.UIDDeflatedLE {
		t.Errorf("transfer syntax %s", got.Meta.TransferSyntax)
	}

	for n := range packed["a.dcm"].Data {
		cut := fstest.MapFS{"x.dcm": {Data: packed["a.dcm"].Data[:n]}}
		c, err := dicom.Scan(context.Background(), cut, nil)
		if err == nil {
			_, err = c.Load(context.Background(), 0, nil)
		}
		dicomtest.WantError(t, err, "x.dcm: ", "; ")
	}
}

// TestDeflateBomb inflates a stream of zeros that grows beyond all bounds.
func TestDeflateBomb(t *testing.T) {
	var block bytes.Buffer
	w, err := flate.NewWriter(&block, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(make([]byte, 16<<20)); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil { // ends the block so that it can be repeated
		t.Fatal(err)
	}
	var blocks []io.Reader
	for range part10.MaxInflated>>24 + 1 {
		blocks = append(blocks, bytes.NewReader(block.Bytes()))
	}
	_, err = part10.InflatedSize(io.MultiReader(blocks...))
	dicomtest.WantError(t, err, "longer than")
}

// TestDeflatedSourcesThatFail reports a file that is gone, one that ends in its meta header
// and one with a data set that is no deflated stream, and closes what it opened.
func TestDeflatedSourcesThatFail(t *testing.T) {
	file := dicomtest.Deflate(t, dicomtest.NewFake("1", 0, 0).File())
	head, err := part10.TokenizeBytes(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	start := head.DatasetStart()
	if start <= 132 || start >= int64(len(file)) {
		t.Fatalf("the data set begins at %d of %d", start, len(file))
	}
	garbage := append(slices.Clone(file[:start]), bytes.Repeat([]byte{0xFF}, 50)...)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"gone": {nil, "file does not exist"}, "ends in its header": {file[:start-1], part10.ErrTruncated.Error()},
		"truncated": {file[:len(file)-3], part10.ErrTruncated.Error()}, "garbage": {garbage, "does not inflate"},
	} {
		files := &countingFS{MapFS: fstest.MapFS{}}
		if c.data != nil {
			files.MapFS["x"] = &fstest.MapFile{Data: c.data}
			if _, _, err := part10.TokenizeAll(c.data, nil); name != "ends in its header" && err == nil {
				t.Errorf("%s: no error from memory", name)
			}
		}
		_, err := part10.TokenizeDeflated(files, "x", head, nil)
		dicomtest.WantError(t, err, c.want)
		if files.open != 0 {
			t.Errorf("%s: %d files are open", name, files.open)
		}
	}
}

// countingFS counts the files that are open.
type countingFS struct {
	fstest.MapFS
	open int
}

func (f *countingFS) Open(name string) (fs.File, error) {
	file, err := f.MapFS.Open(name)
	if err != nil {
		return nil, err
	}
	f.open++
	return countedFile{file, f}, nil
}

type countedFile struct {
	fs.File
	of *countingFS
}

func (f countedFile) Close() error {
	f.of.open--
	return f.File.Close()
}
