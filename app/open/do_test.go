package open_test

import (
	"path/filepath"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open"
	"quell/series"
)

// TestMessages: a job names the series that it took, and the warnings about it.
func TestMessages(t *testing.T) {
	dir := t.TempDir()
	apptest.PutNii(t, filepath.Join(dir, "small.nii"), 3, 3, 3)
	apptest.PutNii(t, filepath.Join(dir, "large.nii"), 4, 4, 4)
	var texts []string
	in, err := open.Open(t.Context(), job.Input{Path: dir}, job.Events{Message: func(s series.Severity, text string) { texts = append(texts, s.String()+" "+text) }})
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
	if len(texts) != 1 || !strings.HasPrefix(texts[0], "note "+dir+" contains 2 series; using series 1, the largest (4 slices)") {
		t.Errorf("messages %q", texts)
	}
}
