package dicom

import (
	"bytes"
	"context"
	"io"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/flate"
)

// deflate returns a plain file with its data set deflated.
func deflate(t *testing.T, file []byte) []byte {
	t.Helper()
	p, err := tokens(file)
	if err != nil {
		t.Fatal(err)
	}
	out := bytes.NewBuffer(headOf(file, p, uidDeflatedLE))
	w, err := flate.NewWriter(out, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(file[p.datasetStart():]); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestDeflated(t *testing.T) {
	plain, packed := stack(3), fstest.MapFS{}
	for name, f := range plain {
		packed[name] = &fstest.MapFile{Data: deflate(t, f.file())}
	}
	want := load(t, scan(t, filesOf(plain)), 0)
	c := scan(t, packed)
	got := load(t, c, 0)
	if !slices.Equal(got.Volume.Data, want.Volume.Data) || got.Description != want.Description || c.Entries[0].Slices != 3 {
		t.Error("the series is not that of the plain files")
	}
	if got.Meta.TransferSyntax != uidDeflatedLE {
		t.Errorf("transfer syntax %s", got.Meta.TransferSyntax)
	}

	for n := range packed["a.dcm"].Data {
		cut := fstest.MapFS{"x.dcm": {Data: packed["a.dcm"].Data[:n]}}
		c, err := Scan(context.Background(), cut, nil)
		if err == nil {
			_, err = c.Load(context.Background(), 0, nil)
		}
		wantError(t, err, "x.dcm: ", "; ")
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
	for range maxInflated>>24 + 1 {
		blocks = append(blocks, bytes.NewReader(block.Bytes()))
	}
	_, err = inflatedSize(io.MultiReader(blocks...))
	wantError(t, err, "longer than")
}
