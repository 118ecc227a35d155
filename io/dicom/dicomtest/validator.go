package dicomtest

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Complaints returns the errors that dciodvfy finds in a file, each once. Without the program the test is skipped, or
// fails with QUELL_NEED_VALIDATORS=1.
func Complaints(t testing.TB, file string) (found []string) {
	t.Helper()
	if _, err := exec.LookPath("dciodvfy"); err != nil {
		if os.Getenv("QUELL_NEED_VALIDATORS") != "" {
			t.Fatal("QUELL_NEED_VALIDATORS is set, but dciodvfy is not installed")
		}
		t.Skip("dciodvfy is not installed")
	}
	if _, err := os.Stat(file); err != nil {
		t.Fatal(err)
	}
	text, _ := exec.Command("dciodvfy", file).CombinedOutput() // its exit status reports warnings too
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "Error") && !slices.Contains(found, line) {
			found = append(found, line)
		}
	}
	return found
}

// WantNoNewComplaints fails if dciodvfy finds an error in a file that it finds in none of its sources.
func WantNoNewComplaints(t testing.TB, what, file string, sources ...string) {
	t.Helper()
	var had []string
	for _, s := range sources {
		had = append(had, Complaints(t, s)...)
	}
	for _, e := range Complaints(t, file) {
		if !slices.Contains(had, e) {
			t.Errorf("%s: %s", what, e)
		}
	}
}
