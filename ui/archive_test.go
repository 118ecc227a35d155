package ui_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"

	"quell/app/pacs"
	"quell/app/pacs/pacstest"
	"quell/ui/control"
)

// spools returns the folders and files that are in the spools of this process.
func spools(t *testing.T) (all []string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(os.TempDir(), "quell-pacs-*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		if filepath.Base(path) != "lock" {
			all = append(all, path)
		}
	}
	return all
}

// TestOpenFromAnArchive searches, shows the middle slice, cancels, and opens a series.
func TestOpenFromAnArchive(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	w := pacstest.Start(t, "../assets/series")
	if err := pacs.KeepPlace(pacs.Place{Name: "home", To: w.URL}); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, large)
	list := func() (l *control.List) {
		for _, o := range test.LaidOutObjects(b.canvas().Overlays().Top()) {
			if found, ok := o.(*control.List); ok {
				l = found
			}
		}
		return l
	}
	ask := func() {
		b.command("open-pacs").Run()
		b.until("the dialog is open", func() bool { return strings.Contains(b.question(), "Open from PACS") })
		b.tap("Search")
		b.until("the series is found", func() bool { return strings.Contains(b.question(), "1 series were found") })
		if q := b.question(); !strings.Contains(q, "1 series  9 images") || !strings.Contains(q, "2026-01-31") {
			t.Errorf("the study is %q", q)
		}
	}
	previewed := func() (n int) {
		for _, request := range w.Asked() {
			if strings.Contains(request, "/instances/") {
				n++
			}
		}
		return n
	}
	ask()
	list().Select(0) // the study
	if previewed() != 0 {
		t.Error("a study is retrieved")
	}
	list().Select(1)
	b.until("the middle slice is there, and what it was made of is gone", func() bool { return previewed() == 1 && len(spools(t)) == 0 })
	b.tap("Cancel")

	held := make(chan bool) // the retrieval waits until the test lets it go
	w.Refuses = func(r *http.Request) int {
		if r.Method == http.MethodGet && !strings.Contains(r.URL.Path, "/instances") && strings.Contains(r.URL.Path, "/studies/") {
			<-held
		}
		return 0
	}
	ask()
	list().Select(1)
	b.tap("Open")
	b.until("it is retrieved", func() bool { return b.session().Tasks.Busy() })
	b.session().Tasks.Cancel()
	close(held)
	b.session().Wait()
	b.drain()
	opened := func() bool {
		return b.session().Series() != nil && b.session().Series().Volume.Dims == [3]int{512, 512, 9}
	}
	if len(spools(t)) != 0 || opened() {
		t.Errorf("after a cancel there are %v", spools(t))
	}

	ask()
	list().Select(1)
	b.tap("Open")
	b.until("the series is open", func() bool { return opened() && !b.session().Tasks.Busy() })
	if recent := b.workbench.Settings().RecentPaths; len(recent) != 0 {
		t.Errorf("%v is kept, which will be gone", recent)
	}
	if len(spools(t)) != 1 {
		t.Errorf("%v", spools(t))
	}
	before := b.session().Series()
	ask()
	list().Select(1)
	b.tap("Open beside")
	b.beside()
	if other, _ := b.session().Results.Beside(); b.session().Series() != before || other.Share != 1 || other.Opened.Path != "" || len(spools(t)) != 1 {
		t.Errorf("%+v stands beside, and there are %v", other, spools(t))
	}
	b.session().Documents.Close(0)
	if len(spools(t)) != 0 {
		t.Errorf("after its series was closed: %v", spools(t))
	}
}

// TestPlacesInTheWindow keeps a place, asks whether it answers, opens from it and removes it.
func TestPlacesInTheWindow(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	w := pacstest.Start(t, "../assets/series")
	b := newBench(t, large)
	fields := func() (all []*control.Entry) {
		for _, o := range test.LaidOutObjects(b.canvas().Overlays().Top()) {
			if e, ok := o.(*control.Entry); ok {
				all = append(all, e)
			}
		}
		return all
	}
	b.command("open-pacs").Run()
	if !strings.Contains(b.question(), "kept under a name first") {
		t.Errorf("without a place the dialog says %q", b.question())
	}
	b.tap("PACS places …")
	fields()[0].SetText("home")
	fields()[1].SetText(w.URL)
	b.tap("Test the connection")
	b.until("it answers", func() bool { return strings.Contains(b.question(), "The PACS answers.") })
	if kept, err := pacs.Places(); len(kept) != 0 || err != nil {
		t.Errorf("before it is saved there are %+v, %v", kept, err)
	}
	b.tap("Save")
	if kept, err := pacs.Places(); len(kept) != 1 || kept[0] != (pacs.Place{Name: "home", To: w.URL}) || err != nil {
		t.Fatalf("kept are %+v, %v", kept, err)
	}
	b.tap("Close")
	if q := b.question(); !strings.Contains(q, "Open from PACS") || strings.Contains(q, "kept under a name first") {
		t.Fatalf("after the places are closed there is %q", q)
	}
	b.tap("Search")
	b.until("the series is found", func() bool { return strings.Contains(b.question(), "1 series were found") })
	b.tap("Cancel")
	b.command("pacs-places").Run()
	for _, o := range test.LaidOutObjects(b.canvas().Overlays().Top()) {
		if s, ok := o.(*control.Select); ok && len(s.Options) == 2 && s.Options[1] == "home" {
			s.SetSelected("home")
		}
	}
	b.tap("Remove")
	b.tap("Close")
	if kept, err := pacs.Places(); len(kept) != 0 || err != nil || b.question() != "" {
		t.Errorf("after the removal there are %+v, %v, and %q is open", kept, err, b.question())
	}
}
