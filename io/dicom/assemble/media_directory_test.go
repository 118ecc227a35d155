package assemble_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
	"quell/series"
)

// newIndex returns a media directory that lists files, each in a record next to one
// without a file.
func newIndex(files ...string) *dicomtest.Fake {
	f := dicomtest.NewFake("9", 0, 0).With(part10.TagSOPClassUID, part10.MediaDirectory)
	f.Pixels = nil
	var records [][]byte
	for _, name := range files {
		records = append(records, part10.AppendElement(nil, f.Enc, 0x00041430, "CS", []byte("SERIES")),
			part10.AppendElement(nil, f.Enc, part10.TagReferencedFileID, "CS", []byte(name)))
	}
	return f.With(part10.TagDirectoryRecordSequence, dicomtest.RawElement(part10.AppendSequence(nil, f.Enc, part10.TagDirectoryRecordSequence, records...)))
}

// TestMissingFromIndex has an index in upper case, as media spell paths, and files in lower case.
func TestMissingFromIndex(t *testing.T) {
	for name, c := range map[string]struct {
		index   string
		listed  []string
		missing []string
	}{
		"all here":         {"DICOMDIR", []string{`IMAGES\A`, `IMAGES\B`, `IMAGES\C`}, nil},
		"one gone":         {"DICOMDIR", []string{`IMAGES\A`, `IMAGES\B`, `IMAGES\C`, `IMAGES\D`}, []string{"IMAGES/D"}},
		"a copied folder":  {"images/DIRFILE", []string{`DISK1\IMAGES\A`, `DISK1\IMAGES\B`, `DISK1\IMAGES\C`, `DISK1\IMAGES\E`}, []string{"DISK1/IMAGES/E"}},
		"of another place": {"DICOMDIR", []string{`OTHER\X`, `OTHER\Y`}, nil},
	} {
		files := fstest.MapFS{}
		for file, f := range dicomtest.FilesOf(dicomtest.Stack(3)) {
			files["images/"+file] = f // a.dcm, b.dcm, c.dcm
		}
		files[c.index] = &fstest.MapFile{Data: newIndex(c.listed...).File()}
		cat := dicomtest.Scan(t, files)
		dicomtest.Finding(t, cat.Findings, "index")
		if c.missing == nil {
			if slices.ContainsFunc(cat.Findings, func(f series.Finding) bool { return f.Kind == "missing" }) {
				t.Errorf("%s: %v", name, cat.Findings)
			}
			continue
		}
		f := dicomtest.Finding(t, cat.Findings, "missing")
		if f.Severity != series.Warning || !slices.Equal(f.Files, c.missing) || !strings.Contains(f.Text.String(), c.index+" lists 4 files, of which 1 ") {
			t.Errorf("%s: %v", name, f)
		}
	}
}
