package ui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"quell/app/workbench"
	"quell/ui/session/documents"
)

// exported applies the recipe to the series that is shown, and exports the result by keys alone to
// the path that the dialog proposes; it returns the path.
func (b *bench) exported() (path string) {
	b.t.Helper()
	b.session().Results.Apply()
	b.until("the volume is filtered", b.session().Results.Applied)
	b.drain()
	b.command("export").Run()
	b.until("the dialog is open", func() bool { return strings.Contains(b.question(), "Write to") })
	path = b.fieldText()
	b.press(fyne.KeyReturn)
	b.until("the export is written", func() bool {
		return !b.session().Tasks.Busy() && strings.Contains(b.question(), "written and read back")
	})
	b.tap("Close")
	return path
}

// Two series exported in turn stand side by side; closing and quitting ask as soon as one is gone.
func TestTwoSeriesExportedInTurnBothStand(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	folder := t.TempDir()
	b := newBenchWith(t, large, func(s *workbench.Settings) { s.ExportFolder = folder })
	b.openFiles(2)
	first := b.exported()
	b.command("next-series").Run()
	b.drain()
	second := b.exported()
	if first == second || filepath.Dir(first) != folder || filepath.Dir(second) != folder {
		t.Fatalf("exported to %q and %q", first, second)
	}
	for _, path := range []string{first, second} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	if again := b.exportedAgain(); again != second {
		t.Errorf("the same series and recipe again are proposed as %q; want %q", again, second)
	}
	badges := func() (all []string) {
		for _, c := range b.workbench.Rail() {
			all = append(all, c.Badge())
		}
		return all
	}
	if got := strings.Join(badges(), ","); got != "exported,exported" {
		t.Errorf("badges %q", got)
	}

	if err := os.RemoveAll(first); err != nil {
		t.Fatal(err)
	}
	b.ticks()()
	b.until("the badge says that an export is gone", func() bool { return strings.Contains(strings.Join(badges(), ","), "result") })
	if b.session().Documents.List()[b.workbenchCurrent()].State != documents.Exported {
		t.Error("the export that stands has no badge")
	}
	if err := os.RemoveAll(second); err != nil {
		t.Fatal(err)
	}
	b.workbench.Quit()
	b.until("quitting asks", func() bool { return strings.Contains(b.question(), "are gone, or were replaced") })
	b.tap("Keep working")
	b.command("close-series").Run()
	b.until("closing asks", func() bool { return strings.Contains(b.question(), "are gone, or were replaced") })
}

// exportedAgain opens the dialog, looks what it proposes and says of it, and closes it.
func (b *bench) exportedAgain() (path string) {
	b.t.Helper()
	b.command("export").Run()
	b.until("the dialog says what it replaces", func() bool {
		return strings.Contains(b.question(), "the earlier export of this series with this recipe, 1 file of ")
	})
	path = b.fieldText()
	b.tap("Cancel")
	return path
}

func (b *bench) workbenchCurrent() int {
	for i, d := range b.session().Documents.List() {
		if d.Shown {
			return i
		}
	}
	return -1
}
