package dicom

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quell/series"
)

// newIndex returns a media directory that lists files, each in a record beside one
// without a file.
func newIndex(files ...string) *fake {
	f := newFake("9", 0, 0).with(tagSOPClassUID, mediaDirectory)
	f.pixels = nil
	var records [][]byte
	for _, name := range files {
		records = append(records, appendElement(nil, f.enc, 0x00041430, "CS", []byte("SERIES")),
			appendElement(nil, f.enc, tagReferencedFileID, "CS", []byte(name)))
	}
	return f.with(tagDirectoryRecordSequence, rawElement(appendSequence(nil, f.enc, tagDirectoryRecordSequence, records...)))
}

// TestMissingFromIndex has an index in capitals, as media know no others, before
// files in small letters, one of them gone.
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
		for file, f := range filesOf(stack(3)) {
			files["images/"+file] = f // a.dcm, b.dcm, c.dcm
		}
		files[c.index] = &fstest.MapFile{Data: newIndex(c.listed...).file()}
		cat := scan(t, files)
		finding(t, cat.Findings, "index")
		if c.missing == nil {
			if slices.ContainsFunc(cat.Findings, func(f series.Finding) bool { return f.Kind == "missing" }) {
				t.Errorf("%s: %v", name, cat.Findings)
			}
			continue
		}
		f := finding(t, cat.Findings, "missing")
		if f.Severity != series.Warning || !slices.Equal(f.Files, c.missing) || !strings.Contains(f.Text, c.index+" lists 4 files, of which 1 ") {
			t.Errorf("%s: %v", name, f)
		}
	}
}
