package ui_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"fyne.io/fyne/v2"

	"quell/app"
	"quell/series"
	"quell/ui/viewer"
)

// named is a series with everything that a header says.
func named() *series.Series {
	s := head()
	s.Patient, s.PatientID, s.BirthDate, s.Sex = "DOE^JOHN", "4711", "19540203", "M"
	s.Study, s.StudyDate, s.Number, s.Description = "Head CT", "20150206", "3", "Brain 5 mm"
	s.Kernel, s.Technique = "H70f", "120 kV"
	s.Sources = []series.Source{{FS: fs.FS(fstest.MapFS{}), Name: "in/doe.nii.gz"}}
	return s
}

// The corners name patient, study, series and acquisition; one key hides what
// identifies, everywhere and for the next start too.
func TestIdentityIsInTheCornersUntilItIsHidden(t *testing.T) {
	b := newBench(t, large)
	b.show(named())
	b.drain()
	pane := func(role viewer.Role) (who, how []string) {
		c := b.workbench.Panes()[role].Caption()
		return c.Who, c.How
	}
	who, how := pane(viewer.Original)
	if want := []string{"DOE JOHN", "4711 · M · born 1954-02-03", "2015-02-06 · Head CT", "series 3 · Brain 5 mm"}; !slices.Equal(who, want) {
		t.Errorf("top left %q; want %q", who, want)
	}
	if want := []string{"H70f · 120 kV", "5 mm · 0.5 mm", "doe.nii.gz"}; !slices.Equal(how, want) {
		t.Errorf("top right %q; want %q", how, want)
	}
	if who, how := pane(viewer.Denoised); who != nil || how != nil {
		t.Error("the identity is in two panes")
	}
	b.key(fyne.KeyH)
	who, how = pane(viewer.Original)
	if !slices.Equal(who, []string{"Identity hidden"}) || !slices.Equal(how, []string{"H70f · 120 kV", "5 mm · 0.5 mm"}) {
		t.Errorf("hidden: %q, %q", who, how)
	}
	for _, text := range []string{b.workbench.Title(), b.workbench.Panes()[viewer.Original].Caption().Detail} {
		for _, secret := range []string{"DOE", "doe", "4711", "Brain"} {
			if strings.Contains(text, secret) {
				t.Errorf("%q names %s", text, secret)
			}
		}
	}
	if !app.LoadSettings(b.settingsPath).HideIdentity {
		t.Error("the next start shows the identity again")
	}
	b.key(fyne.KeyH)
	if who, _ := pane(viewer.Original); len(who) != 4 {
		t.Error("the second H does not show the identity")
	}
	// A pane alone shows whose it is.
	b.workbench.Panes()[viewer.Denoised].DoubleTapped(nil)
	b.drain()
	if who, _ := pane(viewer.Denoised); len(who) != 4 {
		t.Error("a pane alone does not name the patient")
	}
}

// A header that says nothing leaves the corner empty.
func TestNoIdentityNoText(t *testing.T) {
	b := newBench(t, large)
	s := head()
	s.Description, s.BirthDate = "", "no date"
	b.show(s)
	b.drain()
	if c := b.workbench.Panes()[viewer.Original].Caption(); len(c.Who) != 0 || len(c.How) != 1 {
		t.Errorf("corners %q, %q", c.Who, c.How)
	}
}

// One to one is one device pixel for each voxel, whatever the pane's size.
func TestOneToOne(t *testing.T) {
	b := newBench(t, large)
	b.drain()
	zoom := func() string { return b.workbench.Panes()[viewer.Original].Caption().Corner[0] }
	if !strings.HasSuffix(zoom(), " %, fit") {
		t.Errorf("at first the zoom is %q", zoom())
	}
	b.command("actual").Run()
	b.drain()
	if zoom() != "Zoom 100 %" {
		t.Errorf("one to one is %q", zoom())
	}
	p := b.workbench.Panes()[viewer.Original].Pixels()
	if m := b.state().Transform(float64(p.Width), float64(p.Height)).Magnification(); m < 1-1e-9 || m > 1+1e-9 {
		t.Errorf("a voxel takes %g pixels", m)
	}
}

// Lines of the upper corners are left out and come back, for the next start too; masking hides
// more, never less.
func TestLinesOfTheCornersAreChosen(t *testing.T) {
	b := newBench(t, large)
	b.show(named())
	b.drain()
	toggle := func(name string) {
		t.Helper()
		for _, c := range b.command("corners").List() {
			if c.Title == name {
				was := c.Checked()
				if c.Run(); c.Checked() == was {
					t.Errorf("%s is checked as before", name)
				}
				b.drain()
				return
			}
		}
		t.Fatalf("there is no line %q", name)
	}
	corners := func() string {
		c := b.workbench.Panes()[viewer.Original].Caption()
		return strings.Join(c.Who, "|") + " / " + strings.Join(c.How, "|")
	}
	toggle("ID, sex, date of birth")
	toggle("Kernel, kV, TR and TE")
	if got, want := corners(), "DOE JOHN|2015-02-06 · Head CT|series 3 · Brain 5 mm / 5 mm · 0.5 mm|doe.nii.gz"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
	b.key(fyne.KeyH)
	if got, want := corners(), "Identity hidden / 5 mm · 0.5 mm"; got != want {
		t.Errorf("hidden: %s; want %s", got, want)
	}
	b.key(fyne.KeyH)
	if got := app.LoadSettings(b.settingsPath).WithoutLines; !slices.Equal(got, []string{"ID, sex, date of birth", "Kernel, kV, TR and TE"}) {
		t.Errorf("kept: %q", got)
	}
	for _, name := range []string{"ID, sex, date of birth", "Kernel, kV, TR and TE", "Patient", "Study", "Series", "Thickness and size of a pixel", "File"} {
		toggle(name)
	}
	if got, want := corners(), "4711 · M · born 1954-02-03 / H70f · 120 kV"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}
