package ui_test

import (
	"bytes"
	"image"
	"image/draw"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"fyne.io/fyne/v2"

	"quell/app/workbench"
	"quell/series"
	"quell/ui/session/preview"
	"quell/ui/sliceview"
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
	if !workbench.LoadSettings(b.settingsPath).HideIdentity {
		t.Error("the next start shows the identity again")
	}
	b.key(fyne.KeyH)
	if who, _ := pane(viewer.Original); len(who) != 4 {
		t.Error("the second H does not show the identity")
	}
	// A pane alone names its patient.
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
	if m := b.state().Cut().Transform(float64(p.Width), float64(p.Height)).Magnification(); m < 1-1e-9 || m > 1+1e-9 {
		t.Errorf("a voxel takes %g pixels", m)
	}
}

// toggleLine shows a line of the corners, or leaves it out.
func (b *bench) toggleLine(name string) {
	b.t.Helper()
	for _, c := range b.command("corners").List() {
		if c.Title == name {
			was := c.Checked()
			if c.Run(); c.Checked() == was {
				b.t.Errorf("%s is checked as before", name)
			}
			b.drain()
			return
		}
	}
	b.t.Fatalf("there is no line %q", name)
}

// Lines of the lower corners are left out too, in the panes and in the planes. The scale of the
// residual and how a picture is turned are not.
func TestLinesOfTheLowerCornersAreChosen(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	b.drain()
	b.state().Cut().PointAt(50, 50, 100, 100)
	b.drain()
	corner := func(c sliceview.Caption) string {
		return strings.Join(c.Corner, "|") + " / " + c.Place
	}
	pane := func(role viewer.Role) string { return corner(b.workbench.Panes()[role].Caption()) }
	if got := strings.Split(pane(viewer.Original), "|"); len(got) != 4 || !strings.HasPrefix(got[0], "Zoom ") || got[1] != "W 90  L 40" || got[2] != "4 / 7" || !strings.Contains(got[3], " mm") {
		t.Fatalf("at first %q", got)
	}
	for _, name := range []string{"Zoom", "Window and level", "Value under the pointer", "Position of the pointer"} {
		b.toggleLine(name)
	}
	if got, want := pane(viewer.Original), "4 / 7| / "; got != want {
		t.Errorf("the original says %q; want %q", got, want)
	}
	if got, want := pane(viewer.Residual), "±3 σ|4 / 7| / "; got != want {
		t.Errorf("the residual says %q; want %q", got, want)
	}
	b.key(fyne.KeyM) // the noise map adds to the value
	b.until("the noise map is there", func() bool { return b.session().Noise.Map() != nil })
	b.drain()
	if got, want := pane(viewer.Original), "4 / 7| / "; got != want {
		t.Errorf("with the noise map the original says %q; want %q", got, want)
	}
	b.toggleLine("Slice")
	b.command("turn").Run()
	b.key(fyne.KeyI) // less text
	if got, want := pane(viewer.Original), "turned 90° / "; got != want {
		t.Errorf("turned, the original says %q; want %q", got, want)
	}
	b.key(fyne.KeyI)
	b.key(fyne.KeyI)
	b.key(fyne.KeyF5) // the planes
	if got, want := corner(b.workbench.Planes()[1].Caption()), " / "; got != want {
		t.Errorf("the coronal plane says %q; want %q", got, want)
	}
	b.toggleLine("Zoom")
	if got := corner(b.workbench.Planes()[1].Caption()); !strings.HasPrefix(got, "Zoom ") {
		t.Errorf("the coronal plane says %q; want the zoom", got)
	}
}

// A saved picture of a series with a hidden identity could be of any other patient.
func TestASavedPictureHasNoHiddenIdentity(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	drawn := func(s *series.Series) *image.RGBA {
		b.show(s)
		b.until("the slice is filtered", func() bool {
			p := b.session().Screen.Picture()
			return b.status() == preview.Slice && p != nil && p.After != nil
		})
		b.drain()
		m, _ := b.workbench.Picture()
		out := image.NewRGBA(m.Bounds())
		draw.Draw(out, out.Rect, m, m.Bounds().Min, draw.Src)
		return out
	}
	nobody := named()
	nobody.Patient, nobody.PatientID, nobody.BirthDate, nobody.Sex = "ROE^JANE", "0815", "19700101", "F"
	nobody.Study, nobody.StudyDate, nobody.Number, nobody.Description = "Other", "20200101", "9", "Another"
	nobody.Sources = []series.Source{{FS: fs.FS(fstest.MapFS{}), Name: "in/roe.nii.gz"}}
	if bytes.Equal(drawn(named()).Pix, drawn(nobody).Pix) {
		t.Fatal("pictures do not name the patient, though the identity is shown")
	}
	b.key(fyne.KeyH)
	if !bytes.Equal(drawn(named()).Pix, drawn(nobody).Pix) {
		t.Error("pictures of two patients differ, though the identity is hidden")
	}
}

// Lines of the upper corners are left out and come back, for the next start too; masking hides
// more, never less.
func TestLinesOfTheCornersAreChosen(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	b := newBench(t, large)
	b.show(named())
	b.drain()
	toggle := b.toggleLine
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
	if got := workbench.LoadSettings(b.settingsPath).WithoutLines; !slices.Equal(got, []string{"ID, sex, date of birth", "Kernel, kV, TR and TE"}) {
		t.Errorf("kept: %q", got)
	}
	for _, name := range []string{"ID, sex, date of birth", "Kernel, kV, TR and TE", "Patient", "Study", "Series", "Thickness and size of a pixel", "File"} {
		toggle(name)
	}
	if got, want := corners(), "4711 · M · born 1954-02-03 / H70f · 120 kV"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}
