package ui_test

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"quell/app"
	"quell/app/job"
	"quell/ui/sliceview"
)

// texts returns the texts on the workbench outside the panes, which a series that is
// being read covers.
func (b *bench) texts() (found []string) {
	var walk func(o fyne.CanvasObject)
	walk = func(o fyne.CanvasObject) {
		if o == nil || !o.Visible() {
			return
		}
		var inside []fyne.CanvasObject
		switch o := o.(type) {
		case *sliceview.Pane:
		case *canvas.Text:
			found = append(found, o.Text)
		case *fyne.Container:
			inside = o.Objects
		case fyne.Widget:
			inside = test.WidgetRenderer(o).Objects()
		}
		for _, o := range inside {
			walk(o)
		}
	}
	walk(b.canvas().Content())
	return found
}

// While a series is read, its picture stands next to no number and no name of the series
// before.
func TestNoNumbersOfTheSeriesBefore(t *testing.T) {
	b := newBench(t, large)
	b.session().Strip.Judge(true)
	b.session().Results.Apply()
	b.until("the run and its slice are measured", func() bool {
		return b.session().Measures.Volume().Known && b.session().Measures.Slice().Known
	})
	b.drain()
	path := filepath.Join(t.TempDir(), "next.nii.gz")
	if _, err := app.DoOn(context.Background(), app.On{Series: head()}, job.Job{Output: job.Output{Path: path}}, job.Events{}); err != nil {
		t.Fatal(err)
	}
	number := regexp.MustCompile(`\d[\d.]* (HU|dB|σ)|σ \d|\d of \d|finding`)
	numbers := func() (found []string) {
		for _, text := range b.texts() {
			if number.MatchString(text) {
				found = append(found, text)
			}
		}
		return found
	}
	if before := numbers(); len(before) < 6 {
		t.Fatalf("of the series that is open only %q is found", before)
	}
	title := b.workbench.Title()
	b.workbench.Open(path)
	b.until("a slice arrives", func() bool { a := b.session().Reader.Arriving(); return a != nil && a.Slice != nil })
	for _, tab := range []string{"Metrics", "Histogram", "Profile", "Strength", "ROI"} {
		b.workbench.SelectTab(tab)
		b.workbench.Refresh()
		if during := numbers(); len(during) > 0 {
			t.Errorf("tab %s: %q of the series before stands beside the one that is read", tab, during)
		}
	}
	if got := b.workbench.Title(); got == title || strings.Contains(got, "HEAD") {
		t.Errorf("the window is called %q while another series is read", got)
	}
	b.session().Tasks.Cancel()
	b.workbench.SelectTab("Metrics")
	b.workbench.Refresh()
	if after := numbers(); len(after) < 6 || b.workbench.Title() != title {
		t.Errorf("after the reading is cancelled there is only %q, titled %q", after, b.workbench.Title())
	}
}
