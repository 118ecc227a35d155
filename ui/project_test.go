package ui_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"quell/denoise"
	"quell/ui/control"
)

// saveProject saves the open series to a path by the dialog.
func (b *bench) saveProject(path string) {
	b.t.Helper()
	b.command("save-project-as").Run()
	inDialog[*control.Entry](b)[0].SetText(path)
	b.tap("Save")
	b.until("the project is saved", func() bool { _, err := os.Stat(path); return err == nil && !b.session().Tasks.Busy() })
	b.drain()
}

// A project brings back series, recipe, marks, view and the list of runs, asks before changes are lost, and names a source
// that is missing or holds something else.
func TestAProjectIsSavedAndOpened(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	paths := b.openFiles(2)
	b.session().Tuning.Set(b.session().Tuning.Recipe().With("search-radius", denoise.Number(2)), true)
	b.session().Results.Apply()
	b.until("the volume is filtered", func() bool { return b.session().Results.Applied() })
	b.state().Cut().SetIndex(5)
	path := filepath.Join(filepath.Dir(paths[1]), "work.quell")
	b.saveProject(path)
	recipe := b.session().Tuning.Recipe()
	b.state().Cut().SetIndex(3) // no change of the work
	b.workbench.Quit()
	if q := b.question(); !strings.Contains(q, "not been exported") || strings.Contains(q, "project") {
		t.Errorf("without a change the question is %q", q)
	}
	b.key(fyne.KeyEscape)
	b.session().Tuning.Set(recipe.With("search-radius", denoise.Number(3)), true)
	b.workbench.Quit()
	if q := b.question(); !strings.Contains(q, "not been exported") || !strings.Contains(q, "work.quell are not saved") {
		t.Errorf("after a change the question is %q", q)
	}
	b.key(fyne.KeyEscape)

	b = newBench(t, large)
	b.workbench.Open(path)
	b.until("the project is open", func() bool {
		return b.session().Documents.Path() == paths[1] && b.session().Series() != nil && !b.session().Tasks.Busy()
	})
	b.drain()
	if list := b.session().Documents.List(); len(list) != 2 || !list[0].Away || b.state().Cut().Index() != 5 || !b.session().Tuning.Recipe().Equal(recipe) {
		t.Fatalf("%d series, slice %d, %s", len(list), b.state().Cut().Index(), b.session().Tuning.Recipe())
	}
	runs := b.command("project-runs").List()
	if len(runs) != 1 {
		t.Fatalf("%d runs are listed", len(runs))
	}
	b.workbench.Quit() // nothing to ask
	if q := b.question(); q != "" {
		t.Errorf("a project as it was saved is not left without the question %q", q)
	}

	b = newBench(t, large)
	b.workbench.Open(path)
	b.until("the project is open", func() bool {
		return b.session().Series() != nil && b.session().Documents.Path() == paths[1] && !b.session().Tasks.Busy()
	})
	b.command("project-runs").List()[0].Run()
	b.until("the run is made again", func() bool { return b.session().Results.Applied() })
	if left := b.command("project-runs").List(); len(left) != 0 {
		t.Errorf("%d runs are still listed", len(left))
	}
}

// Sources that are not there, or hold other voxels, are named and can be located.
func TestSourcesOfAProjectAreLocated(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	paths := b.openFiles(2)
	dir := filepath.Dir(paths[1])
	path := filepath.Join(dir, "work.quell")
	b.saveProject(path)
	moved := filepath.Join(t.TempDir(), "moved.nii.gz")
	if err := os.Rename(paths[1], moved); err != nil {
		t.Fatal(err)
	}
	b = newBench(t, large)
	b.workbench.Open(path)
	b.until("the question", func() bool { return strings.Contains(b.question(), "ROE_JANE.nii.gz is not there") })
	b.tap("Locate …")
	inDialog[*control.Entry](b)[0].SetText(moved)
	b.press(fyne.KeyReturn)
	b.until("the series is open", func() bool {
		return b.session().Documents.Path() == moved && b.session().Series() != nil && !b.session().Tasks.Busy()
	})

	other, err := os.ReadFile(paths[0]) // another voxel
	if err := errors.Join(err, os.WriteFile(paths[1], other, 0o600)); err != nil {
		t.Fatal(err)
	}
	b = newBench(t, large)
	b.workbench.Open(path)
	b.until("the question", func() bool {
		return strings.Contains(b.question(), "contains other voxels than when the project was saved")
	})
	b.tap("Use it as it is")
	b.until("the series is open", func() bool {
		return b.session().Documents.Path() == paths[1] && b.session().Series() != nil && !b.session().Tasks.Busy()
	})
}
