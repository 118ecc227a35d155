package open

import (
	"archive/zip"
	"testing"
)

// TestMembersGetNamesOfTheirOwn pins the names by which members are opened.
func TestMembersGetNamesOfTheirOwn(t *testing.T) {
	for _, c := range []struct{ names, want []string }{
		{[]string{"a", "a", "a"}, []string{"a", "a (2)", "a (3)"}},
		{[]string{"a", "a", "a (2)"}, []string{"a", "a (2)", "a (2) (2)"}},
		{[]string{"a", "a/b", "a/b/c/d"}, []string{"a (2)", "a/b (2)", "a/b/c/d"}}, // a file of the name of a folder
		{[]string{"a/", "a/b"}, []string{"a/", "a/b"}},
		{[]string{"../../..", "/x//y", `\\x\y`}, []string{"/", "x/y", "x/y (2)"}},
		{[]string{"M\x81", "M\u00fc"}, []string{"M\u00fc", "M\u00fc (2)"}},
	} {
		var files []*zip.File
		for _, name := range c.names {
			files = append(files, &zip.File{FileHeader: zip.FileHeader{Name: name}})
		}
		renameMembers(files)
		for i, f := range files {
			if f.Name != c.want[i] {
				t.Errorf("%q: member %d is %q, want %q", c.names, i, f.Name, c.want[i])
			}
		}
	}
}
