package ui_test

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"quell/denoise"
	"quell/ui/control"
)

// inDialog returns the objects of one type in the open dialog.
func inDialog[T fyne.CanvasObject](b *bench) (found []T) {
	top := b.canvas().Overlays().Top()
	if top == nil {
		return nil
	}
	for _, o := range test.LaidOutObjects(top) {
		if x, ok := o.(T); ok {
			found = append(found, x)
		}
	}
	return found
}

// The gallery opens at once with a cell for every filter, fills, and takes the cell that is
// clicked.
func TestTheGalleryTakesAFilter(t *testing.T) {
	b := newBench(t, large)
	b.command("compare-filters").Run()
	labels := func() string {
		var all []string
		for _, l := range inDialog[*widget.Label](b) {
			all = append(all, l.Text)
		}
		return strings.Join(all, "|")
	}
	for _, f := range denoise.Filters() {
		if !strings.Contains(labels(), f.Title) {
			t.Errorf("no cell for %s in %q", f.Title, labels())
		}
	}
	if !strings.Contains(labels(), "Original") || !strings.Contains(labels(), "is being tuned") {
		t.Errorf("%q", labels())
	}
	b.until("every filter is there", func() bool { return b.session().Galleries.Last().Ended && !b.session().Tasks.Busy() })
	b.workbench.Refresh()
	var median *control.Button
	for _, button := range inDialog[*control.Button](b) {
		if strings.HasPrefix(button.Text, "Median") {
			median = button
		}
	}
	if median == nil {
		t.Fatalf("the median cannot be taken: %q", labels())
	}
	test.Tap(median)
	if b.session().Tuning.Recipe().Filter != "median" || b.canvas().Overlays().Top() != nil || b.workbench.GalleryOpen() {
		t.Errorf("recipe %s, the dialog is open: %t", b.session().Tuning.Recipe(), b.workbench.GalleryOpen())
	}
}

// Closing the gallery ends the comparison.
func TestClosingTheGalleryCancels(t *testing.T) {
	b := newBench(t, large)
	b.command("compare-filters").Run()
	if !b.session().Galleries.Comparing() || !b.workbench.GalleryOpen() {
		t.Fatal("want a comparison and its dialog")
	}
	b.command("cancel").Run()
	if b.session().Galleries.Comparing() || b.workbench.GalleryOpen() {
		t.Error("the comparison goes on without its dialog")
	}
}
