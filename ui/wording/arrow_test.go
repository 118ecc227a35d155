package wording

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	_ "quell/internal/locale" // English
)

// No text of the window has a space after an arrow, see To.
func TestNoSpaceFollowsAnArrow(t *testing.T) {
	arrow := regexp.MustCompile("[\u2190-\u21ff][ \u00a0]")
	for _, dir := range []string{"../panels", "../dialogs", "../host", "../control", "../sliceview", "../language/translations", "."} {
		seen := 0
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			seen++
			for i, line := range strings.Split(string(data), "\n") {
				code, _, _ := strings.Cut(line, "//")
				if arrow.MatchString(code) {
					t.Errorf("%s:%d has a space after an arrow", path, i+1)
				}
			}
			return nil
		})
		if err != nil || seen == 0 {
			t.Fatalf("%d files in %s, %v", seen, dir, err)
		}
	}
}
