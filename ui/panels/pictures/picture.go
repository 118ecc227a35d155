package pictures

import (
	"fmt"
	"image"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/software"
	"fyne.io/fyne/v2/lang"

	"quell/app/files"
	"quell/app/job"
	"quell/app/output"
	"quell/ui/dialogs"
	"quell/ui/palette"
	"quell/ui/screen"
	"quell/ui/session"
	"quell/ui/session/preview"
	"quell/ui/sliceview"
	"quell/ui/viewer"
	"quell/ui/wording"
	"quell/volume"
)

// askPicture asks where to write a picture of the panes: as they are now, not as they are when
// the question is answered.
func (v *Panel) askPicture() {
	s := v.h.Session
	if s.Series() == nil {
		return
	}
	of := s.Series()
	m, label := v.Picture()
	note := fmt.Sprintf(lang.L("The pictures as they are now, %d × %d pixels, with filter, window and “not for clinical use” burned in. The name chooses the format: .png, or .tif for a journal; both without loss."), m.Bounds().Dx(), m.Bounds().Dy())
	switch {
	case v.h.Settings.HideIdentity:
		note += lang.L(" The patient's identity is left out, as on the screen.")
	case s.State().Overlay() == viewer.OverlayFull:
		note += lang.L(" It names the patient; H hides the identity first.")
	}
	recipe := s.Tuning.Recipe()
	if shown, _, ok := s.Preview.Recipe(); ok {
		recipe = shown
	}
	v.h.ShowDialog(dialogs.Save(dialogs.SaveRequest{
		Title: lang.L("Save a picture"), Note: note, Folder: v.h.Settings.ExportFolder, Name: dialogs.PictureName(s.Series(), recipe, s.State().Cut().Index(), v.h.Settings.HideIdentity),
		Check: files.CheckOf(files.ScreenOutput, of), Show: v.h.ShowDialog,
		Save: func(path string, overwrite bool) {
			v.h.RememberFolder(path)
			v.h.Go(func() {
				err := output.WriteScreen(m, label, path, overwrite, of)
				v.h.Do(func() {
					if err != nil {
						v.h.Fail(err)
					} else {
						v.h.Note(lang.L("The picture is written."))
					}
				})
			})
		},
	}, v.h.Window))
}

// Picture draws the panes that are shown, in device pixels, and below them a label with what
// may not be missing from a picture that leaves the workbench. Fyne's driver draws it away
// from the screen, so that no menu lies over it.
func (v *Panel) Picture() (m image.Image, label string) {
	var objects []fyne.CanvasObject
	state, events := v.h.Session.State(), sliceview.Events{Scale: float32(screen.PixelsPerUnit(v.row))}
	copied := func(p, c *sliceview.Pane) {
		if !p.Visible() {
			return
		}
		c.SetFrame(p.Frame())
		c.SetCaption(p.Caption())
		c.Move(p.Position())
		c.Resize(p.Size())
		objects = append(objects, c)
	}
	for p, pane := range v.Planes {
		copied(pane, sliceview.NewPlane(volume.Plane(p), state, events))
	}
	for role, pane := range v.Panes {
		copied(pane, sliceview.New(viewer.Role(role), state, events))
	}
	size := v.row.Size()
	lines := pictureLabel(v.h.Session, v.h.Settings.HideIdentity)
	for _, line := range lines {
		for _, part := range broken(line, size.Width-2*labelMargin) {
			text := canvas.NewText(part, palette.Picture.Text)
			text.TextSize = labelText
			if line == derived {
				text.Color, text.TextStyle.Bold = palette.Picture.Caution, true
			}
			text.Move(fyne.NewPos(labelMargin, size.Height+labelMargin/2))
			text.Resize(text.MinSize())
			size.Height += text.MinSize().Height
			objects = append(objects, text)
		}
	}
	size.Height += labelMargin
	ground := canvas.NewRectangle(palette.Picture.Ground)
	ground.Resize(size)
	c := software.NewCanvas()
	c.SetPadded(false)
	c.SetScale(events.Scale)
	c.SetContent(container.NewWithoutLayout(append([]fyne.CanvasObject{ground}, objects...)...))
	c.Resize(size)
	return c.Capture(), strings.Join(lines, "\n")
}

const (
	labelText   = 13
	labelMargin = 8
	derived     = "DERIVED / NOT FOR CLINICAL USE"
)

// pictureLabel describes a picture of the panes in lines.
func pictureLabel(s *session.Session, hide bool) []string {
	cut, names := s.State().Cut(), wording.Sides(s, hide)
	denoised := lang.L("not filtered yet")
	if r, status, ok := s.Preview.Recipe(); ok {
		denoised = wording.Recipe(s, r)
		if status == preview.Coarse {
			denoised += lang.L(" (coarse preview)")
		}
	}
	if s.Results.Unfiltered() {
		denoised = wording.Summary(s.Series(), hide)
	}
	lines := []string{derived, names[1] + ": " + denoised}
	if base, ok := s.Results.Base(); ok {
		lines = append(lines, names[0]+": "+wording.Recipe(s, base.Run.Recipe))
	}
	if other, compared := s.Results.Beside(); compared {
		lines = append(lines, names[0]+": "+wording.Summary(wording.Acquired(other), hide))
	}
	return append(lines, sliceLabel(s, cut.Index(), hide))
}

// sliceLabel says in what window a picture shows which slice.
func sliceLabel(s *session.Session, index int, hide bool) string {
	state, cut, names := s.State(), s.State().Cut(), wording.Sides(s, hide)
	window := func(w volume.Window) string {
		return strings.TrimSpace(fmt.Sprintf("W %s  L %s  %s", wording.Short(w.Width), wording.Short(w.Center), wording.Window(w)))
	}
	shown := window(state.Windows.Of(viewer.Original))
	if state.Windows.Unlinked() {
		shown = strings.ToLower(names[0]) + " " + shown + ", " + strings.ToLower(names[1]) + " " + window(state.Windows.Of(viewer.Denoised))
	}
	if state.Windows.Inverted() {
		shown += lang.L(", inverted")
	}
	return fmt.Sprintf(lang.L("Window: %s   %s slice %s   Quell %s"), shown, strings.ToLower(lang.L(wording.Plane(cut.View().Plane))), wording.Slice(cut, index), job.Version())
}
