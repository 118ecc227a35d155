package ui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
)

// The report follows the identity on the screen.
func TestAReportIsSaved(t *testing.T) {
	b := newBench(t, large)
	report := b.command("report")
	if report.Enabled() {
		t.Fatal("a report without a result")
	}
	b.command("apply").Run()
	b.until("the volume is filtered", func() bool { return b.session().Results.Applied() && report.Enabled() })
	b.command("identity").Run()
	report.Run()
	path := filepath.Join(t.TempDir(), "report.html")
	b.canvas().Focused().(interface{ SetText(string) }).SetText(path)
	b.press(fyne.KeyReturn)
	b.until("the report is written", func() bool { return !b.session().Tasks.Busy() })
	b.drain()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if page := string(data); !strings.Contains(page, "identity hidden") || !strings.Contains(page, "data:image/png") {
		t.Error("the report names the patient or has no pictures")
	}
	if b.workbench.OpenDialogs() != 0 || b.workbench.Status() != "The report is saved." {
		t.Errorf("%d dialogs, status %q", b.workbench.OpenDialogs(), b.workbench.Status())
	}
}
