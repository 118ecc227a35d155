package pictures

import (
	"fmt"
	"image"
	"image/draw"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"quell/app/output"
	"quell/denoise"
	"quell/ui/dialogs"
	"quell/ui/palette"
	"quell/ui/screen"
	"quell/ui/viewer"
	"quell/ui/wording"
)

// cineRate is the rate of a cine, in slices per second, before one was chosen.
const cineRate = 10

// askCine asks where to write all slices of the panes: as they are shown now, not as they are when the question is answered.
func (v *Panel) askCine() {
	s := v.h.Session
	c, err := v.Cine()
	if err != nil {
		v.h.Fail(err)
		return
	}
	if c == nil {
		v.h.Note(lang.L("No pane shows a part of the slices."))
		return
	}
	recipe := denoise.Recipe{}
	note := fmt.Sprintf(lang.L("All %d slices as the panes show them, %d in a second, with filter, window and “not for clinical use” burned in, and without names."), c.Frames, c.Rate)
	if s.Results.Applied() {
		recipe = s.Tuning.Recipe()
	} else {
		note += lang.L(" Apply the filter to the volume first to have the result beside the original.")
	}
	note += lang.L(" The name chooses the format: .png is an animated PNG, without loss,")
	if output.CanWriteVideo() {
		note += lang.L(" .mp4 a video.")
	} else {
		note += lang.L(" .mp4 a video where the program ffmpeg is installed.")
	}
	of := s.Series()
	v.h.ShowDialog(dialogs.Save(dialogs.SaveRequest{
		Title: lang.L("Save the cine"), Note: note, Folder: v.h.Settings.ExportFolder, Name: dialogs.CineName(of, recipe, v.h.Settings.HideIdentity),
		Check: func(path string, overwrite bool) error { return output.CheckCine(path, overwrite, of) }, Show: v.h.ShowDialog,
		Save: func(path string, overwrite bool) {
			v.h.RememberFolder(path)
			s.Exports.SaveCine(*c, path, overwrite)
		},
	}, v.h.Window))
}

// Cine returns all slices as the panes show them, with headings above and a label below, and without dates and names; nil if no
// pane shows any of them.
func (v *Panel) Cine() (*output.Cine, error) {
	s := v.h.Session
	drawn := s.Screen.Cine(v.ShowsInset())
	if drawn == nil {
		return nil, nil
	}
	names := wording.Sides(s, true)
	titles := [viewer.Roles]string{names[0], names[1], lang.L(viewer.Residual.String())}
	if wording.Compared(s) {
		titles[viewer.Residual] = lang.L("DIFFERENCE")
	}
	lines := []string{derived}
	if panes := drawn.Panes(); len(panes) > 1 || panes[0].Role != viewer.Original {
		lines = pictureLabel(s, true)
		lines = lines[:len(lines)-1]
	}
	face, err := cineFace(screen.PixelsPerUnit(v.row))
	if err != nil {
		return nil, err
	}
	sheet := &cineSheet{cine: drawn, titles: titles, lines: lines, face: face}
	for i := range drawn.Frames() {
		sheet.slices = append(sheet.slices, sliceLabel(s, i, true))
	}
	sheet.layOut()
	rate := v.h.Settings.CineRate
	if rate <= 0 {
		rate = cineRate
	}
	return &output.Cine{Frames: drawn.Frames(), Rate: rate, Label: strings.Join(lines, "\n"), Draw: sheet.draw}, nil
}

// cineFace returns the face of the texts, which Fyne cannot draw on another goroutine.
func cineFace(scale float64) (font.Face, error) {
	parsed, err := opentype.Parse(theme.DefaultTextFont().Content())
	if err != nil {
		return nil, err
	}
	return opentype.NewFace(parsed, &opentype.FaceOptions{Size: labelText * scale, DPI: 72, Hinting: font.HintingFull})
}

// cineSheet puts texts around the slices of a cine.
type cineSheet struct {
	cine   *viewer.Cine
	titles [viewer.Roles]string
	lines  []string // of the label, in all pictures
	slices []string // the last line of the label, by slice
	face   font.Face

	picture draw.Image // all of one size; drawn anew for each slice
	at      image.Point
	margin  int
	label   int // where the slices' own lines begin
}

// leastCine is the least width of a picture, in heights of a line: the label needs it.
const leastCine = 24

// layOut finds the size of the pictures and draws their common parts.
func (c *cineSheet) layOut() {
	height := c.face.Metrics().Height.Ceil()
	c.margin = height / 2
	width := max(c.cine.Size().X, leastCine*height)
	c.at = image.Pt((width-c.cine.Size().X)/2, height+c.margin)
	y := c.at.Y + c.cine.Size().Y + c.margin/2
	var label []string
	for _, line := range c.lines {
		label = append(label, c.broken(line, width-2*c.margin)...)
	}
	c.label = y + len(label)*height
	longest := 0
	for _, line := range c.slices {
		longest = max(longest, len(c.broken(line, width-2*c.margin)))
	}
	size := image.Rect(0, 0, width, c.label+longest*height+c.margin)
	c.picture = image.NewRGBA(size)
	if c.cine.Grey() {
		c.picture = image.NewGray(size)
	}
	draw.Draw(c.picture, size, image.Black, image.Point{}, draw.Src)
	for _, pane := range c.cine.Panes() {
		c.write(c.titles[pane.Role], c.at.X+pane.At.Min.X+c.margin/2, c.margin/2, pane.At.Dx())
	}
	for i, line := range label {
		c.write(line, c.margin, y+i*height, width)
	}
}

// draw draws slice i.
func (c *cineSheet) draw(i int) image.Image {
	size, height := c.picture.Bounds(), c.face.Metrics().Height.Ceil()
	c.cine.Draw(c.picture, c.at, i)
	draw.Draw(c.picture, image.Rect(0, c.label, size.Max.X, size.Max.Y), image.Black, image.Point{}, draw.Src)
	for k, line := range c.broken(c.slices[i], size.Dx()-2*c.margin) {
		c.write(line, c.margin, c.label+k*height, size.Dx())
	}
	return c.picture
}

// write writes a line, cut after so many pixels; y is its upper end.
func (c *cineSheet) write(text string, x, y, width int) {
	m := c.face.Metrics()
	part := image.Rect(x, y, x+width, y+m.Height.Ceil()).Intersect(c.picture.Bounds())
	var to draw.Image
	switch p := c.picture.(type) {
	case *image.Gray:
		to = p.SubImage(part).(*image.Gray)
	case *image.RGBA:
		to = p.SubImage(part).(*image.RGBA)
	}
	(&font.Drawer{Dst: to, Src: image.NewUniform(palette.Picture.Text), Face: c.face, Dot: fixed.P(x, y+m.Ascent.Ceil())}).DrawString(text)
}

// broken breaks a line between words if it is wider than so many pixels.
func (c *cineSheet) broken(line string, width int) []string {
	return wrapped(line, func(part string) bool { return font.MeasureString(c.face, part).Ceil() > width })
}

// wrapped breaks a line between words where wide says that it is too wide.
func wrapped(line string, wide func(string) bool) (parts []string) {
	part := ""
	for _, word := range strings.Split(line, " ") {
		longer := strings.TrimPrefix(part+" "+word, " ")
		if part != "" && wide(longer) {
			parts, longer = append(parts, part), word
		}
		part = longer
	}
	return append(parts, part)
}

// broken breaks a line of a picture's label between words if it is wider than width.
func broken(line string, width float32) []string {
	return wrapped(line, func(part string) bool {
		return fyne.MeasureText(part, labelText, fyne.TextStyle{Bold: true}).Width > width
	})
}
