package ui

import (
	"image"
	"image/color"
	"image/draw"
	"strings"

	"quell/app"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/series"
	"quell/ui/blind"
	"quell/ui/dialogs"
	"quell/ui/filterpanel"
	"quell/ui/plotpanel"
	"quell/ui/session"
	"quell/ui/sliceview"
	"quell/ui/viewer"
	"quell/volume"

	"fyne.io/fyne/v2"
)

// What the tests look at and drive.

// Session returns the state and background work.
func (w *Workbench) Session() *session.Session { return w.session }

// Title returns the title of the workbench.
func (w *Workbench) Title() string { return w.main.Title() }

// Canvas returns the canvas.
func (w *Workbench) Canvas() fyne.Canvas { return w.main.Canvas() }

// Panes returns the picture panes.
func (w *Workbench) Panes() [viewer.Roles]*sliceview.Pane { return w.panes }

// InsetShown says whether the pane of the residual is an inset.
func (w *Workbench) InsetShown() bool { return w.showsInset() }

// RailWidth returns how wide the list of open series is.
func (w *Workbench) RailWidth() float32 { return w.rail.content.Size().Width }

// SliceTexts returns the texts beside the slider of the slices.
func (w *Workbench) SliceTexts() []string { return []string{w.slices.sigmas.Text, w.slices.label.Text} }

// WindowShown returns the window that the tool bar names.
func (w *Workbench) WindowShown() string { return w.tools.windows.Selected }

// Invite returns the invitation to open a series.
func (w *Workbench) Invite() fyne.CanvasObject { return w.invite.layer }

// ShareShown says whether the slider of a comparison is shown.
func (w *Workbench) ShareShown() bool { return w.tools.shares.Visible() }

// Planes returns the panes of the three planes.
func (w *Workbench) Planes() [3]*sliceview.Pane { return w.planes }

// HelpSections returns the sections of the help sheet.
func (w *Workbench) HelpSections() []dialogs.Section { return w.helpSections() }

// CineRate returns the rate that is shown.
func (w *Workbench) CineRate() string { return w.cine.rates.Selected }

// PlaySlice is what the cine does at every tick.
func (w *Workbench) PlaySlice() { w.playSlice() }

// ExhibitLines is exhibitLines.
var ExhibitLines = exhibitLines

// DefaultLayout is defaultLayout.
var DefaultLayout = defaultLayout

// Texts returns the texts of the tables that the workbench translates where it shows them, in
// English, by the expression that is translated there.
func (w *Workbench) Texts() map[string][]string {
	out := map[string][]string{}
	add := func(expression string, texts ...string) {
		for _, t := range texts {
			if t != "" {
				out[expression] = append(out[expression], t)
			}
		}
	}
	for _, c := range w.commands() {
		add("c.Title", c.Title)
		add("c.Help", c.Help)
	}
	for _, g := range gestures {
		add("g[0]", g[0])
		add("g[1]", g[1])
	}
	add("name", menuOrder...)
	add(`cmp.Or(menu, "Slices")`, "Slices")
	for m := range viewer.Modes {
		add("m.String()", m.String())
	}
	add("c.Mode.String()", out["m.String()"]...)
	for p := volume.Axial; p <= volume.Sagittal; p++ {
		add("planeName(p)", planeName(p))
	}
	for _, of := range []string{"state.View().Plane", "m.Plane", "volume.Plane(p)"} {
		add("planeName("+of+")", out["planeName(p)"]...)
	}
	add("name", cornerLines()...)
	for _, name := range tabNames {
		add("name", name)
	}
	add("notClinical", notClinical)
	add("string(v)", string(tune.Clean), string(tune.Under), string(tune.Matched), string(tune.Over), string(tune.Unknown))
	add("string(c)", string(noise.High), string(noise.Fair), string(noise.Low), string(noise.None))
	for _, of := range []string{"m.Measures.Verdict", "f.Verdict", "e.Verdict"} {
		add("string("+of+")", out["string(v)"]...)
	}
	for _, of := range []string{"f.Confidence", "m.Confidence", "f.Noise.Confidence"} {
		add("string("+of+")", out["string(c)"]...)
	}
	add("p.What", "edges", "smooth tissue", "an object")
	add("r.Picture.FirstName()", (&viewer.Picture{}).FirstName(), (&viewer.Picture{Base: &volume.Volume{}}).FirstName())
	for role := range viewer.Roles {
		add("role.String()", role.String())
	}
	for _, of := range []string{"viewer.Original.String()", "viewer.Denoised.String()", "viewer.Residual.String()", "p.role.String()", "r.pane.role.String()"} {
		add(of, out["role.String()"]...)
	}
	add("w.Name", volume.WindowNames()...)
	addFilters(add)
	for _, p := range app.Presets() {
		add("p.Title", p.Title)
	}
	add("e.Title", out["f.Title"]...)
	for severity := series.Note; severity <= series.Refused; severity++ {
		add("f.Severity.String()", severity.String())
	}
	for _, m := range noise.Models() {
		name := string(m)
		add("capital(string(m))", strings.ToUpper(name[:1])+name[1:])
	}
	return out
}

// addFilters adds the texts of the filters and their parameters.
func addFilters(add func(expression string, texts ...string)) {
	for _, f := range denoise.Filters() {
		add("f.Title", f.Title)
		add("f.Help", f.Help)
		for _, p := range f.Params {
			for _, expression := range []string{"p.Label", "param.Label", "label"} {
				add(expression, p.Label)
			}
			add("p.Help", p.Help)
			if p.Unit != "value" {
				add("p.Unit", p.Unit)
			}
			for _, choice := range p.Choices {
				add("p.Word(choice)", p.Word(choice))
			}
		}
	}
}

// Commands returns the table of all commands.
func (w *Workbench) Commands() []Command { return w.table }

// Shortcut is the chord as the driver hands it on.
func (c Chord) Shortcut() fyne.Shortcut { return c.shortcut() }

// Record calls f with the ID of a command in place of running it, whether it is enabled or not.
func (w *Workbench) Record(f func(id string)) {
	for i, c := range w.table {
		w.table[i].Enabled = nil
		if c.Hold != nil {
			w.table[i].Hold = func(bool) { f(c.ID) }
		}
		if c.Run != nil {
			w.table[i].Run = func() { f(c.ID) }
		}
	}
	w.setMenu()
	w.bindKeys()
}

// Menu returns the main menu.
func (w *Workbench) Menu() *fyne.MainMenu { return w.menu }

// Tooltip returns the tooltip that is shown, "" for none.
func (w *Workbench) Tooltip() (text string, at fyne.Position, size fyne.Size) {
	if w.tip.ground.Hidden {
		return "", at, size
	}
	return w.tip.text.Text, w.tip.ground.Position(), w.tip.ground.Size()
}

// PlotKind returns what is plotted.
func (w *Workbench) PlotKind() plotpanel.Kind { return w.plot.Kind() }

// PlotShown says whether a plot stands in the place of the measures.
func (w *Workbench) PlotShown() bool { return w.plot.Visible() }

// SelectTab shows a tab of the card.
func (w *Workbench) SelectTab(tab int) { w.card.selectTab(tab) }

// MainMenu returns the menu of the window, nil in full screen.
func (w *Workbench) MainMenu() *fyne.MainMenu { return w.main.MainMenu() }

// Curve returns the curve of the strength as the plot shows it.
func (w *Workbench) Curve() *plotpanel.Curve { return curveSnapshot(w.session) }

// ColumnShown says whether filter, measures and plots are shown.
func (w *Workbench) ColumnShown() bool { return w.showsColumn() }

// Window returns the workbench on the desktop.
func (w *Workbench) Window() fyne.Window { return w.main }

// QuickShown says whether the line that stands for the column is shown.
func (w *Workbench) QuickShown() bool { return w.quick.Visible() && w.slices.Visible() }

// VerdictText is the verdict in that line.
func (w *Workbench) VerdictText() string { return w.verdict.Text }

// Dial is the strength in that line.
func (w *Workbench) Dial() *filterpanel.Dial { return w.dial }

// ShowPlace is the button of the measures that shows a place.
func (w *Workbench) ShowPlace(volume bool) { w.showPlace(volume) }

// SliceMarks returns the colours of the ticks beside the slider.
func (w *Workbench) SliceMarks() (out []color.Color) {
	for _, f := range w.slices.strip.figures {
		if f.Verdict != "" {
			out = append(out, markColors[f.Verdict])
		}
	}
	return out
}

// MarkColors are the colours of the verdicts.
var MarkColors = markColors

// Settings returns the settings for the next start.
func (w *Workbench) Settings() app.Settings { return w.settings }

// StatusTop returns the upper edge of the status bar.
func (w *Workbench) StatusTop() float32 {
	return fyne.CurrentApp().Driver().AbsolutePositionForObject(w.status).Y
}

// Status returns the text of the status bar.
func (w *Workbench) Status() string { return w.status.text.Text }

// GalleryOpen says whether the gallery is open.
func (w *Workbench) GalleryOpen() bool { return w.gallery != nil }

// Refresh updates every panel.
func (w *Workbench) Refresh() { w.refresh() }

// Rail returns the list of open series; none while it is hidden.
func (w *Workbench) Rail() []*railCell {
	if !w.rail.content.Visible() {
		return nil
	}
	return w.rail.cells
}

// Name returns the name of the series.
func (c *railCell) Name() string { return c.name.Text }

// Marked says whether the series is marked as the one that is shown.
func (c *railCell) Marked() bool { return c.ground.StrokeColor != color.Transparent }

// Badge returns the text in the corner of the picture.
func (c *railCell) Badge() string { return strings.TrimSpace(c.badge.Text) }

// Hint returns the text of the tooltip.
func (c *railCell) Hint() string { return c.hint }

// OpenDialogs returns how many dialogs are open.
func (w *Workbench) OpenDialogs() int { return len(w.dialogs) }

// AwaitFrames is what follows a gesture.
func (w *Workbench) AwaitFrames() { w.awaitFrames() }

// Picture draws what "Save a picture" writes.
func (w *Workbench) Picture() (image.Image, string) { return w.picture() }

// ReaderShown says whether a blind comparison is in progress and shown.
func (w *Workbench) ReaderShown() bool { return w.reader.active() && w.reader.layer.Visible() }

// FrameShown says whether the panels are shown.
func (w *Workbench) FrameShown() bool { return w.frame.Visible() }

// Trials and Answered return the trials of the blind comparison in progress.
func (w *Workbench) Trials() []blind.Trial   { return w.reader.now.Test.Trials }
func (w *Workbench) Answered() []blind.Trial { return w.reader.now.Test.Answered() }

// DrawReader draws a side of the pair at hand.
func (w *Workbench) DrawReader(side, width, height int) image.Image {
	return w.reader.draw(side, width, height)
}

// DrawSide draws the original or the result as the comparison does.
func (w *Workbench) DrawSide(result bool, index, width, height int) image.Image {
	job, role := w.reader.job, viewer.Original
	if result {
		role = viewer.Denoised
	}
	job.Index = index
	job.Panes = [viewer.Roles]viewer.Pane{{Hidden: true}, {Hidden: true}, {Hidden: true}}
	job.Panes[role] = viewer.Pane{Width: width, Height: height}
	var r viewer.Renderer
	_, frames := r.Render(job)
	f, out := frames[role], image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(out, out.Rect, image.Black, image.Point{}, draw.Src)
	draw.Draw(out, image.Rect(f.X0, f.Y0, f.X1, f.Y1), f.Image, f.Image.Rect.Min, draw.Src)
	return out
}
