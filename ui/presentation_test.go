package ui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
)

// A presentation state of an export is suggested into its folder, so that Send to PACS sends both.
func TestAPresentationStateIsSaved(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	save := b.command("presentation")
	if save.Enabled() {
		t.Fatal("a presentation state of NIfTI")
	}
	b.command("apply").Run()
	b.until("the volume is filtered", b.session().Results.Applied)
	out := filepath.Join(t.TempDir(), "out")
	b.command("export").Run()
	b.until("the dialog is open", func() bool { return b.canvas().Overlays().Top() != nil })
	b.canvas().Focused().(interface{ SetText(string) }).SetText(out)
	b.tap("Export")
	b.until("the export is written", func() bool {
		return !b.session().Tasks.Busy() && strings.Contains(b.question(), "written and read back")
	})
	b.tap("Close")
	save.Run()
	if question := b.question(); !strings.Contains(question, "exported to out") || !strings.Contains(question, "names the patient") {
		t.Errorf("it asks %q", question)
	}
	b.press(fyne.KeyReturn)
	b.until("the state is written", func() bool { return !b.session().Tasks.Busy() })
	b.drain()
	if _, err := os.Stat(filepath.Join(out, "PR00001.dcm")); err != nil || b.workbench.Status() != "The presentation state is saved." {
		t.Errorf("%v, status %q", err, b.workbench.Status())
	}
	b.command("send").Run()
	b.until("the question is asked", func() bool { return strings.Contains(b.question(), "8 files of 2 series: ") })
}
