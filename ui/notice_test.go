package ui_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"quell/app"
	"quell/app/job"
	"quell/app/workbench"
)

// The notice of a first start says what Quell is not for. A series is read behind it, Return
// closes it, and it comes back after 90 days and not before, at the next start too.
func TestTheNoticeOfAFirstStart(t *testing.T) {
	b := newBench(t, large)
	path := filepath.Join(t.TempDir(), "head.nii.gz")
	if _, err := app.DoOn(t.Context(), app.On{Series: head()}, job.Job{Output: job.Output{Path: path}}, job.Events{}); err != nil {
		t.Fatal(err)
	}
	b.workbench.Open(path)
	b.workbench.ShowNotice()
	if text := b.question(); !strings.Contains(text, "not a medical device") || !strings.Contains(text, "stay on this computer") {
		t.Fatalf("the notice says %q", text)
	}
	b.until("the series is open behind it", func() bool { return b.session().Documents.Path() == path })
	focused := b.canvas().Focused()
	if focused == nil {
		t.Fatal("no button has the focus")
	}
	focused.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if b.question() != "" {
		t.Error("Return does not close the notice")
	}
	if kept := workbench.LoadSettings(b.settingsPath); kept.NoticeDue(time.Now()) {
		t.Errorf("the settings say that it was shown on %v", kept.Noticed)
	}
	for _, c := range []struct {
		after time.Duration
		shown bool
	}{{0, false}, {89 * 24 * time.Hour, false}, {91 * 24 * time.Hour, true}} {
		b.ahead.Store(int64(c.after))
		if b.workbench.ShowNotice(); (b.question() != "") != c.shown {
			t.Errorf("after %v the notice is shown: %v", c.after, !c.shown)
		}
	}
}
