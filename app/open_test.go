package app_test

import (
	"os"
	"path/filepath"
	"testing"

	"quell/app/apptest"
	"quell/app/open/opentest"
)

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	apptest.PutNii(t, filepath.Join(dir, "whole.nii"), 9, 9, 9)
	whole, err := os.ReadFile(filepath.Join(dir, "whole.nii"))
	if err != nil {
		t.Fatal(err)
	}
	opentest.Refused(t, filepath.Join(dir, "missing"))
	opentest.Refused(t, empty)
	opentest.Refused(t, put("text.dcm", []byte("this is no image\n")))
	opentest.Refused(t, put("nothing.nii", nil))
	opentest.Refused(t, put("half.nii", whole[:len(whole)/2]))
	opentest.Refused(t, put("header.nii.gz", []byte("\x1f\x8b\x08\x00")))
	opentest.Refused(t, put("damaged.zip", []byte("PK\x03\x04 and no more")))

	texts := filepath.Join(dir, "texts")
	if err := os.Mkdir(texts, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(texts, "a.txt"), []byte("a"), 0o644); err != nil {
		t.Fatal(err)
	}
	opentest.Refused(t, texts)
	apptest.ZipOf(t, texts, filepath.Join(dir, "texts.zip"))
	opentest.Refused(t, filepath.Join(dir, "texts.zip"))

	series := filepath.Join(dir, "series")
	apptest.PutDICOM(t, series, 8, 8, 3)
	slice := filepath.Join(series, "IM00002.dcm")
	data, err := os.ReadFile(slice)
	if err != nil {
		t.Fatal(err)
	}
	opentest.Refused(t, put("cut.dcm", data[:len(data)-20]))
}
