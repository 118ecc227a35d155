package ui

import (
	"fmt"
	"image"
	"image/color"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/software"
	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/ui/dialogs"
	"quell/ui/screen"
	"quell/ui/session"
	"quell/ui/session/preview"
	"quell/ui/sliceview"
	"quell/ui/viewer"
	"quell/volume"
)

// askPicture asks where to write a picture of the panes: as they are now, not as they are when
// the question is answered.
func (w *Workbench) askPicture() {
	s := w.session
	if s.Series() == nil {
		return
	}
	of := s.Series()
	m, label := w.picture()
	note := fmt.Sprintf(lang.L("One PNG file of the pictures as they are now, %d × %d pixels. Filter, window and “not for clinical use” are burned in."), m.Bounds().Dx(), m.Bounds().Dy())
	switch {
	case w.settings.HideIdentity:
		note += lang.L(" The patient's identity is left out, as on the screen.")
	case s.State().Overlay() == viewer.OverlayFull:
		note += lang.L(" It names the patient; H hides the identity first.")
	}
	recipe := s.Tuning.Recipe()
	if shown, _, ok := s.Preview.Recipe(); ok {
		recipe = shown
	}
	w.show(dialogs.Save(dialogs.SaveRequest{
		Title: lang.L("Save a picture"), Note: note, Folder: w.settings.ExportFolder, Name: dialogs.PictureName(s.Series(), recipe, s.State().Index(), w.settings.HideIdentity),
		Check: app.CheckOf(app.PictureOutput, of), Show: w.show,
		Save: func(path string, overwrite bool) {
			w.rememberFolder(path)
			w.options.Go(func() {
				err := app.WritePicture(m, label, path, overwrite, of)
				w.options.Do(func() {
					if err != nil {
						w.failed(err)
					} else {
						w.status.note(lang.L("The picture is written."))
					}
				})
			})
		},
	}, w.main))
}

// picture draws the panes that are shown, in device pixels, and below them a label with what
// may not be missing from a picture that leaves the workbench. Fyne's driver draws it away
// from the screen, so that no menu lies over it.
func (w *Workbench) picture() (m image.Image, label string) {
	scale := float32(screen.PixelsPerUnit(w.paneRow))
	var objects []fyne.CanvasObject
	copied := func(p *sliceview.Pane, s *viewer.State, role viewer.Role) {
		if !p.Visible() {
			return
		}
		c := sliceview.New(role, s, sliceview.Events{Scale: scale})
		c.SetFrame(p.Frame())
		c.SetCaption(p.Caption())
		c.Move(p.Position())
		c.Resize(p.Size())
		objects = append(objects, c)
	}
	for p, pane := range w.planes {
		copied(pane, w.session.Screen.Plane(volume.Plane(p)), viewer.Original)
	}
	for role, pane := range w.panes {
		copied(pane, w.session.State(), viewer.Role(role))
	}
	size := w.paneRow.Size()
	lines := pictureLabel(w.session)
	for _, line := range lines {
		for _, part := range broken(line, size.Width-2*labelMargin) {
			text := canvas.NewText(part, color.White)
			text.TextSize = labelText
			if line == derived {
				text.Color, text.TextStyle.Bold = color.NRGBA{R: 0xff, G: 0xb3, B: 0x47, A: 0xff}, true
			}
			text.Move(fyne.NewPos(labelMargin, size.Height+labelMargin/2))
			text.Resize(text.MinSize())
			size.Height += text.MinSize().Height
			objects = append(objects, text)
		}
	}
	size.Height += labelMargin
	ground := canvas.NewRectangle(color.Black)
	ground.Resize(size)
	c := software.NewCanvas()
	c.SetPadded(false)
	c.SetScale(scale)
	c.SetContent(container.NewWithoutLayout(append([]fyne.CanvasObject{ground}, objects...)...))
	c.Resize(size)
	return c.Capture(), strings.Join(lines, "\n")
}

const (
	labelText   = 13
	labelMargin = 8
	derived     = "DERIVED / NOT FOR CLINICAL USE"
)

// pictureLabel says in lines what a picture of the panes shows.
func pictureLabel(s *session.Session) []string {
	state := s.State()
	names := sideNames(s)
	denoised := lang.L("not filtered yet")
	if r, status, ok := s.Preview.Recipe(); ok {
		denoised = recipeText(s, r)
		if status == preview.Coarse {
			denoised += lang.L(" (coarse preview)")
		}
	}
	lines := []string{derived, names[1] + ": " + denoised}
	if base, ok := s.Results.Base(); ok {
		lines = append(lines, names[0]+": "+recipeText(s, base.Run.Recipe))
	}
	window := func(w volume.Window) string {
		return strings.TrimSpace(fmt.Sprintf("W %s  L %s  %s", short(w.Width), short(w.Center), windowName(w)))
	}
	shown := window(state.WindowOf(viewer.Original))
	if state.Unlinked() {
		shown = strings.ToLower(names[0]) + " " + shown + ", " + strings.ToLower(names[1]) + " " + window(state.WindowOf(viewer.Denoised))
	}
	if state.Inverted() {
		shown += lang.L(", inverted")
	}
	return append(lines, fmt.Sprintf(lang.L("Window: %s   %s slice %s   Quell %s"), shown, strings.ToLower(lang.L(planeName(state.View().Plane))), sliceText(state, state.Index()), app.Version()))
}

// broken breaks a line between words where it is wider than width.
func broken(line string, width float32) (parts []string) {
	part := ""
	for _, word := range strings.Split(line, " ") {
		longer := strings.TrimPrefix(part+" "+word, " ")
		if part != "" && fyne.MeasureText(longer, labelText, fyne.TextStyle{Bold: true}).Width > width {
			parts, longer = append(parts, part), word
		}
		part = longer
	}
	return append(parts, part)
}
