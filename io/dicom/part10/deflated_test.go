package part10_test

import (
	"bytes"
	"context"
	"io"
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
