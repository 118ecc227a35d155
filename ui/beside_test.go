package ui_test

import (
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/storage"

	"quell/io/nifti/niftitest"
	"quell/ui/viewer"
	"quell/volume"
)

// placed writes the series of head, moved by mm in the patient, and returns its path.
func placed(t *testing.T, by volume.Vec) string {
	t.Helper()
	v := head().Volume
	v.Affine.SetColumn(3, v.Affine.Column(3).Add(by))
	path := filepath.Join(t.TempDir(), "prior.nii.gz")
	if err := niftitest.Write(t.Context(), path, v, ""); err != nil {
		t.Fatal(err)
	}
	return path
}

// beside waits until another series stands beside the one on the screen.
func (b *bench) beside() {
	b.t.Helper()
	b.until("another series stands beside", func() bool { _, compared := b.session().Results.Beside(); return compared })
	b.until("it is drawn", func() bool { p := b.session().Screen.Picture(); return p != nil && p.Other && p.Result != nil })
	b.drain()
}

// The command opens a series beside the one on the screen. The panes say which side is which, and what to be aware of.
func TestASeriesStandsBeside(t *testing.T) {
	b := newBench(t, large)
	b.until("the slice is filtered", func() bool { p := b.session().Screen.Picture(); return p != nil && p.Result != nil })
	panes := b.workbench.Panes()
	if b.command("no-beside").Enabled() {
		t.Error("there is no other series to be closed")
	}
	panes[viewer.Denoised].DoubleTapped(nil) // alone it would not show the other series
	b.command("beside").Run()
	if !strings.Contains(b.fieldText(), "/") {
		t.Errorf("the field holds %q", b.fieldText())
	}
	b.key(fyne.KeyEscape)
	b.session().Reader.OpenBeside(placed(t, volume.Vec{0, 0, 4}))
	b.beside()
	if got := b.visible(); len(got) != 2 || got[0] != viewer.Original {
		t.Errorf("panes %v are shown", got)
	}
	for role, want := range [viewer.Roles][3]string{
		{"OTHER SERIES", "The series do not share a frame of reference: positions may differ.", "POSITIONS MAY DIFFER"},
		{"", "", ""}, {"DIFFERENCE", "other series − denoised", ""},
	} {
		c := panes[role].Caption()
		if viewer.Role(role) == viewer.Residual { // an inset has no room for the line below
			want[0], want[1] = "DIFFERENCE ±", ""
		}
		if !strings.HasPrefix(c.Title, want[0]) || !strings.Contains(c.Detail, want[1]) || want[2] != "" && c.Badge != want[2] {
			t.Errorf("pane %d: %q, %q, %q; want %q", role, c.Title, c.Detail, c.Badge, want)
		}
	}
	b.key(fyne.KeyW)
	if c := panes[viewer.Denoised].Caption(); !strings.HasPrefix(c.Title, "OTHER SERIES | DENOISED") || c.Sides != [2]string{"OTHER SERIES", "DENOISED"} {
		t.Errorf("under a swipe: %+v", c)
	}
	b.session().Screen.HoldBefore(true)
	b.drain()
	if c := panes[viewer.Denoised].Caption(); c.Badge != "SHOWING OTHER SERIES" {
		t.Errorf("while Space is held: %q", c.Badge)
	}
	b.session().Screen.HoldBefore(false)
	b.command("compare-unfiltered").Run()
	b.drain()
	if c := panes[viewer.Denoised].Caption(); !strings.HasPrefix(c.Title, "OTHER SERIES | ORIGINAL") || !c.Choice || c.Badge != "" || strings.Contains(c.Detail, "Non-local") {
		t.Errorf("without the filter: %+v", c)
	}
	b.command("compare-unfiltered").Run()
	b.drain()
	items := b.menuItem("Compare", "Compare with").ChildMenu.Items
	if len(items) != 2 || items[0].Checked || !strings.HasPrefix(items[1].Label, "OTHER SERIES: ") || !items[1].Checked || !panes[viewer.Original].Caption().Choice {
		t.Fatalf("%d sides: %q", len(items), items[len(items)-1].Label)
	}
	items[0].Action() // the original, and back
	b.drain()
	if c := panes[viewer.Original].Caption(); c.Title != "" || !c.Choice {
		t.Errorf("%+v", c)
	}
	b.menuItem("Compare", "Compare with").ChildMenu.Items[1].Action()
	b.beside()
	b.command("no-beside").Run()
	b.drain()
	if c := panes[viewer.Original].Caption(); c.Title != "" || c.Choice || b.command("no-beside").Enabled() {
		t.Errorf("%+v", c)
	}
}

// A prior is named as such, with its date and its patient, unless the identity is hidden.
func TestAPriorIsNamed(t *testing.T) {
	b := newBench(t, large)
	s := head()
	s.StudyDate, s.PatientID, s.Patient = "20200102", "P1", "NOW^ANNA"
	b.show(s)
	b.session().Reader.OpenBeside(placed(t, volume.Vec{}))
	b.beside()
	other, _ := b.session().Results.Beside()
	other.StudyDate, other.PatientID, other.Patient, other.Description, other.Differs = "20150206", "P2", "THEN^BERTA", "SECRET", true
	b.session().State().Cut().Scroll(1)
	b.drain()
	panes := b.workbench.Panes()
	first, second := panes[viewer.Original].Caption(), panes[viewer.Denoised].Caption()
	if first.Title != "PRIOR 2015-02-06, OWN WINDOW" || first.Badge != "ANOTHER PATIENT ID" || !strings.Contains(first.Detail, "SECRET") {
		t.Errorf("%q, %q, %q", first.Title, first.Badge, first.Detail)
	}
	if a, b := strings.Join(first.Who, " "), strings.Join(second.Who, " "); !strings.Contains(a, "BERTA") || strings.Contains(a, "ANNA") || !strings.Contains(b, "ANNA") || strings.Contains(b, "BERTA") {
		t.Errorf("the panes name %q and %q", a, b)
	}
	b.command("identity").Run()
	b.drain()
	first = panes[viewer.Original].Caption()
	if all := first.Title + first.Detail + strings.Join(first.Who, ""); first.Title != "PRIOR, OWN WINDOW" || strings.Contains(all, "2015") || strings.Contains(all, "SECRET") || strings.Contains(all, "BERTA") {
		t.Errorf("the identity is hidden, and the pane says %q, %q, %v", first.Title, first.Detail, first.Who)
	}
}

// A file that is dropped while a series is open can be opened beside it.
func TestDroppingBeside(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	b.openFiles(1)
	b.until("nothing is in progress", func() bool { return !b.session().Tasks.Busy() })
	path, before := placed(t, volume.Vec{}), b.session().Series()
	drop := func() {
		b.workbench.Drop([]fyne.URI{storage.NewFileURI(path)})
		if !strings.Contains(b.question(), "can stand beside it") {
			t.Fatalf("the question is %q", b.question())
		}
	}
	drop()
	b.tap("Cancel")
	if b.session().Tasks.Busy() || b.session().Series() != before {
		t.Fatal("something was opened")
	}
	drop()
	b.tap("Open beside")
	b.beside()
	if b.session().Series() != before {
		t.Error("the other series took the place of the open one")
	}
	drop()
	b.press(fyne.KeyReturn) // opens it, as ever
	b.until("the dropped file is open", func() bool { return b.session().Series() != before && b.session().Series() != nil })
}
