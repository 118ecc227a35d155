package ui_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"

	"quell/app/pacs"
	"quell/app/pacs/pacstest"
	"quell/app/workbench"
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
		inDialog[*control.Entry](b)[1].SetText("*")
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
	list().Select(0) // the study, whose series are hidden, and shown again
	list().Select(0)
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
	for _, d := range b.session().Documents.List() {
		if strings.HasPrefix(d.Path, os.TempDir()) && (d.Name == "" || d.Name == filepath.Base(d.Path)) {
			t.Errorf("a series of the PACS is called %q", d.Name)
		}
	}
	before := b.session().Series()
	open := len(b.session().Documents.List())
	ask()
	list().Select(1)
	b.tap("Open")
	b.until("it was retrieved again", func() bool { return !b.session().Tasks.Busy() })
	if n := len(b.session().Documents.List()); n != open || b.session().Series() != before || len(spools(t)) != 1 || !strings.Contains(b.session().Tasks.Message(), "open already") {
		t.Errorf("a series that was retrieved twice is one of %d, before of %d; there are %v, and %q", n, open, spools(t), b.session().Tasks.Message())
	}
	ask()
	list().Select(1)
	b.tap("Open beside")
	b.beside()
	if other, _ := b.session().Results.Beside(); b.session().Series() != before || other.Share != 1 || !strings.HasPrefix(other.Opened.Path, "pacs:home/") || len(spools(t)) != 1 {
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
	b.tap("PACS nodes …")
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
	inDialog[*control.Entry](b)[1].SetText("*")
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

// TestASeriesOfAPACSBesideIsRetrievedAgain: a project keeps the series of a PACS that stands beside another one by the name
// of its place, and retrieves it from there again, of which nothing stays but the shown one. Without that place it is named.
// A place that has no name is not kept.
func TestASeriesOfAPACSBesideIsRetrievedAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	archive := pacstest.Start(t, "../assets/series")
	home := pacs.Place{Name: "home", To: archive.URL}
	if err := pacs.KeepPlace(home); err != nil {
		t.Fatal(err)
	}
	in, err := filepath.Abs("../assets/series")
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, large)
	b.workbench.Open(in)
	b.until("the series is open", func() bool { return b.session().Documents.Path() == in && !b.session().Tasks.Busy() })
	var row pacs.Row
	b.session().Reader.SearchArchive(t.Context(), home, pacs.Ask{Modality: "CT"}, func(f pacs.Found, err error) {
		if err != nil || len(f.Rows) != 1 {
			t.Errorf("%+v, %v", f, err)
			return
		}
		row = f.Rows[0]
	})
	b.until("the series is found", func() bool { return row.Series != "" })
	beside := func(p pacs.Place) workbench.SavedSeries {
		b.session().Reader.OpenArchiveBeside(p, row)
		b.until("it stands beside", func() bool { _, compared := b.session().Results.Beside(); return compared && !b.session().Tasks.Busy() })
		w, _ := b.session().Documents.Workspace()
		return w.Open[w.Shown]
	}
	if w := beside(pacs.Place{To: archive.URL}); w.Beside.Path != "" {
		t.Errorf("a place without a name is kept as %q", w.Beside.Path)
	}
	b.command("no-beside").Run()
	work := beside(home)
	if want := "pacs:home/" + row.Study + "/" + row.Series; work.Beside.Path != want || len(work.Beside.Voxels) < 32 {
		t.Fatalf("%+v; want %q", work.Beside, want)
	}
	project := filepath.Join(t.TempDir(), "work.quell")
	b.saveProject(project)

	read, err := workbench.ReadProject(project)
	if err != nil || len(read.Missing()) != 0 {
		t.Fatalf("missing are %v, %v", read.Missing(), err)
	}
	i := slices.IndexFunc(read.Open, func(s workbench.SavedSeries) bool { return s.Beside.Path != "" })
	if i < 0 || read.Open[i].Beside != work.Beside || strings.Contains(read.Open[i].Beside.Path, archive.URL) {
		t.Fatalf("the project has %+v", read.Open)
	}
	open := func() *bench {
		next := newBench(t, large)
		next.workbench.Open(project)
		next.until("the project is open", func() bool { return next.session().Documents.Path() == in && !next.session().Tasks.Busy() })
		return next
	}
	next := open()
	other, compared := next.session().Results.Beside()
	if !compared || other.Opened != work.Beside || other.Share != 1 || strings.Contains(next.session().Tasks.Message(), "other series") {
		t.Fatalf("%+v, %q", other, next.session().Tasks.Message())
	}
	if left := spools(t); len(left) != 0 {
		t.Errorf("of what was retrieved there is still %v", left)
	}

	if err := pacs.RemovePlace("home"); err != nil {
		t.Fatal(err)
	}
	asked := len(archive.Asked())
	next = open()
	message := next.session().Tasks.Message()
	if other, _ := next.session().Results.Beside(); other != nil || !strings.Contains(message, "The other series is not beside it: ") || !strings.Contains(message, `"home"`) {
		t.Errorf("without the place: %v, %q", other, message)
	}
	if len(archive.Asked()) != asked {
		t.Error("a PACS that is not kept is asked")
	}
}
