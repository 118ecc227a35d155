package ui_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"quell/app"
	"quell/app/job"
)

// openFiles opens n series of files of their own.
func (b *bench) openFiles(n int) (paths []string) {
	b.t.Helper()
	dir := b.t.TempDir()
	for i := range n {
		s := head()
		s.Volume.Data[0] += float32(i)
		path := filepath.Join(dir, []string{"DOE_JOHN", "ROE_JANE", "POE_JIM", "4", "5", "6", "7", "8", "9"}[i]+".nii.gz")
		if _, err := app.DoOn(b.t.Context(), app.On{Series: s}, job.Job{Output: job.Output{Path: path}}, job.Events{}); err != nil {
			b.t.Fatal(err)
		}
		b.workbench.Open(path)
		b.until("the series is open", func() bool { return b.session().Documents.Path() == path && b.session().Screen.Picture() != nil })
		paths = append(paths, path)
	}
	b.drain()
	return paths
}

// railNames returns the names in the list of open series and which one is marked; no
// names if the list is not shown.
func (b *bench) railNames() (names []string, marked int) {
	marked = -1
	for i, cell := range b.workbench.Rail() {
		names = append(names, cell.Name())
		if cell.Marked() {
			marked = i
		}
	}
	return names, marked
}

// The open series are listed at the left if there are several; a click, a key and the
// menu show another one.
func TestTheOpenSeriesAreListed(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	wide := b.workbench.Panes()[0].Size().Width
	paths := b.openFiles(1)
	if names, _ := b.railNames(); len(names) != 0 || b.workbench.Panes()[0].Size().Width != wide {
		t.Fatalf("one series is listed: %q", names)
	}
	paths = append(paths[:0], b.openFiles(2)...)
	expect := func(what string, index int) {
		t.Helper()
		b.drain()
		if names, marked := b.railNames(); len(names) != 3 || marked != index || b.session().Documents.List()[index].Shown != true {
			t.Errorf("%s: %q, marked %d; want %d", what, names, marked, index)
		}
	}
	expect("opened", 2)
	if b.workbench.Panes()[0].Size().Width >= wide || b.session().Documents.Path() != paths[1] {
		t.Error("the list takes no room, or the last series is not shown")
	}
	b.command("next-series").Run()
	expect("next, from the last to the first", 0)
	b.command("previous-series").Run()
	expect("previous", 2)
	b.workbench.Rail()[1].Tapped(nil)
	expect("a click", 1)
	if list := b.menuItem("File", "Open series"); len(list.ChildMenu.Items) != 3 || !list.ChildMenu.Items[1].Checked {
		t.Error("the menu does not list the series")
	} else {
		list.ChildMenu.Items[0].Action()
	}
	expect("the menu", 0)
	b.workbench.Rail()[2].MouseUp(&desktop.MouseEvent{Button: desktop.MouseButtonTertiary})
	b.drain()
	if names, marked := b.railNames(); len(names) != 2 || marked != 0 {
		t.Errorf("after a click of the middle button: %q, marked %d", names, marked)
	}
	last := b.workbench.Rail()[1]
	b.command("close-series").Run()
	b.drain()
	last.MouseUp(&desktop.MouseEvent{Button: desktop.MouseButtonTertiary}) // on a cell that is not drawn anew yet
	if names, _ := b.railNames(); len(names) != 0 || b.session().Series() == nil {
		t.Errorf("the list of one: %q", names)
	}
	b.command("close-series").Run()
	b.drain()
	if b.session().Series() != nil || b.workbench.Title() != "Quell" || b.workbench.Status() != "Open a series, or drop a file or folder here." {
		t.Errorf("title %q, status %q", b.workbench.Title(), b.workbench.Status())
	}
}

// The list says what was done with each series, and asks before a result is lost.
func TestTheListSaysWhatIsOnASeries(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	b.openFiles(2)
	b.session().Results.Apply()
	b.until("the volume is filtered", b.session().Results.Applied)
	b.drain()
	cell := b.workbench.Rail()[1]
	if cell.Badge() != "result" || !strings.Contains(cell.Hint(), "a result that was not exported") || !strings.Contains(cell.Hint(), "ROE_JANE") {
		t.Errorf("badge %q, hint %q", cell.Badge(), cell.Hint())
	}
	cell.MouseIn(nil)
	if text, _, _ := b.workbench.Tooltip(); text != cell.Hint() {
		t.Errorf("the tooltip is %q", text)
	}
	cell.MouseOut()
	b.key(fyne.KeyH)
	for _, c := range b.workbench.Rail() {
		if text := c.Name() + c.Hint(); strings.Contains(text, "OE") || strings.Contains(text, "HEAD") {
			t.Errorf("with the identity hidden the list says %q", text)
		}
	}
	if items := b.menuItem("File", "Open recent").ChildMenu.Items; len(items) != 2 || slices.ContainsFunc(items, func(i *fyne.MenuItem) bool { return strings.Contains(i.Label, "OE") }) {
		t.Error("with the identity hidden the recent series have names of files")
	}
	b.command("previous-series").Run()
	b.workbench.Rail()[1].MouseUp(&desktop.MouseEvent{Button: desktop.MouseButtonTertiary})
	if !strings.HasPrefix(b.question(), "The filter result of “40 x 36 x 7 (2 of 2)” has not been exported.\n") { // the identity is hidden
		t.Fatalf("the question is %q", b.question())
	}
	b.workbench.Rail()[1].Tapped(nil) // behind the question
	if !b.session().Documents.List()[0].Shown {
		t.Error("the list can be used behind a question")
	}
	b.tap("Discard")
	if len(b.session().Documents.List()) != 1 || len(b.session().Documents.Loss()) > 0 {
		t.Error("the series is not closed")
	}
}

// The question before work is lost names every series that loses something, each with what it loses.
func TestTheQuestionNamesTheSeries(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	b.openFiles(3)
	for i := range 2 {
		b.session().Documents.Show(i)
		b.session().Results.Apply()
		b.until("the volume is filtered", b.session().Results.Applied)
	}
	b.session().Documents.Show(2)
	b.drain()
	b.command("quit").Run()
	if got := b.question(); !strings.HasPrefix(got, "The filter results of “DOE_JOHN.nii.gz” and “ROE_JANE.nii.gz” have not been exported.\n") {
		t.Errorf("the question is %q", got)
	}
	b.press(fyne.KeyEscape)
	b.command("close-series").Run()
	if got := b.question(); got != "" || len(b.session().Documents.List()) != 2 {
		t.Errorf("closing a series without a result asks %q", got)
	}
	b.session().Documents.Show(0)
	b.command("close-series").Run()
	if got := b.question(); !strings.HasPrefix(got, "The filter result of “DOE_JOHN.nii.gz” has not been exported.\n") {
		t.Errorf("the question is %q", got)
	}
}
