package ui_test

import (
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"quell/app"
	"quell/app/job"
	"quell/app/workbench"
	"quell/ui/control"
)

// titled returns the label of an item without its key.
func titled(item *fyne.MenuItem) string {
	title, _, _ := strings.Cut(item.Label, "\t")
	return title
}

// menuItem returns an item of the main menu.
func (b *bench) menuItem(menu, label string) *fyne.MenuItem {
	b.t.Helper()
	for _, m := range b.workbench.Menu().Items {
		for _, item := range m.Items {
			if m.Label == menu && titled(item) == label {
				return item
			}
		}
	}
	b.t.Fatalf("the menu %s has no %q", menu, label)
	return nil
}

// The size of the interface is kept for the next start.
func TestTheSizeOfTheInterfaceIsKept(t *testing.T) {
	b := newBench(t, large)
	items := func() []*fyne.MenuItem { return b.menuItem("View", "Size of the interface").ChildMenu.Items }
	if !items()[0].Checked || items()[0].Label != "As the desktop" {
		t.Error("at first the size is not that of the desktop")
	}
	for _, item := range items() {
		if item.Label == "200 %" {
			item.Action()
		}
	}
	checked := 0
	for _, item := range items() {
		if item.Checked {
			checked++
			if item.Label != "200 %" {
				t.Errorf("%s is checked", item.Label)
			}
		}
	}
	if checked != 1 || workbench.LoadSettings(b.settingsPath).Scale != 2 || b.workbench.Status() != "The size of the interface changes at the next start." {
		t.Errorf("%d are checked, the settings say %g", checked, workbench.LoadSettings(b.settingsPath).Scale)
	}
}

// A path can be typed; the dialog begins in the folder used last.
func TestAPathCanBeTyped(t *testing.T) {
	b := newBench(t, large)
	path := filepath.Join(t.TempDir(), "head.nii.gz")
	if _, err := app.DoOn(t.Context(), app.On{Series: head()}, job.Job{Output: job.Output{Path: path}}, job.Events{}); err != nil {
		t.Fatal(err)
	}
	before := b.session().Series()
	b.command("open-path").Run()
	b.canvas().Focused().(interface{ SetText(string) }).SetText(path)
	b.press(fyne.KeyReturn)
	b.until("the series is open", func() bool { return b.session().Series() != before })
	b.command("open-path").Run()
	if b.fieldText() != filepath.Dir(path)+string(filepath.Separator) {
		t.Errorf("the field begins with %q", b.fieldText())
	}
}

// fieldText returns the text of the field that has the focus.
func (b *bench) fieldText() string {
	if e, ok := b.canvas().Focused().(*control.Entry); ok {
		return e.Text
	}
	return ""
}

// exampleStatus is what the status bar says of a series without a path, as the bundled one.
const exampleStatus = "This is the bundled series. Open your own, or drop a file or folder here."

// While the noise is measured, the status bar says so. Then it says that the series is an example
// until something was done on it.
func TestTheStatusBarSaysWhatItWaitsFor(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	s := head()
	b.show(s)
	b.workbench.Refresh()
	if _, known := b.session().Document().Facts(); !known && b.workbench.Status() != "Measuring the noise of the series, on which automatic values depend …" {
		t.Errorf("the status bar says %q", b.workbench.Status())
	}
	b.until("the noise is known", func() bool { _, known := b.session().Document().Facts(); return known })
	b.drain()
	if b.workbench.Status() != exampleStatus {
		t.Errorf("then the status bar says %q", b.workbench.Status())
	}
	b.session().Results.Apply()
	b.until("the volume is filtered", b.session().Results.Applied)
	b.drain()
	if b.workbench.Status() == exampleStatus {
		t.Error("work on the bundled series was done, and it still says that it is bundled")
	}
}
