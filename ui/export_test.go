package ui

import (
	"image"
	"image/color"
	"image/draw"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"quell/app/job"
	"quell/app/workbench"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/denoise/verdict"
	"quell/series"
	"quell/ui/blind"
	"quell/ui/command"
	"quell/ui/dialogs"
	"quell/ui/host"
	"quell/ui/panel"
	"quell/ui/panels/filterpanel"
	"quell/ui/panels/gallery"
	"quell/ui/panels/help"
	"quell/ui/panels/measurepanel"
	"quell/ui/panels/opening"
	"quell/ui/panels/pictures"
	"quell/ui/panels/plotpanel"
	"quell/ui/panels/rail"
	"quell/ui/panels/reader"
	"quell/ui/panels/slicebar"
	"quell/ui/panels/statusbar"
	"quell/ui/panels/toolbar"
	"quell/ui/session"
	"quell/ui/sliceview"
	"quell/ui/viewer"
	"quell/ui/wording"
	"quell/volume"
)

// What the tests look at and drive.

// of returns the panel of a type.
func of[P panel.Panel](w *Workbench) P {
	for _, p := range w.host.Panels {
		if p, ok := p.(P); ok {
			return p
		}
	}
	panic("there is no such panel")
}

// Register adds a line to the table of panels, until the test ends.
func Register(t *testing.T, create func(*host.Host) panel.Panel) {
	before := table
	table = append(slices.Clone(table), create)
	t.Cleanup(func() { table = before })
}

// Open, OpenBundled and Drop open series.
func (w *Workbench) Open(path string)     { w.host.Open(path) }
func (w *Workbench) OpenBundled()         { w.host.OpenBundled() }
func (w *Workbench) Drop(uris []fyne.URI) { w.host.Drop(uris) }

// OfferRestore and ShowNotice are parts of the start.
func (w *Workbench) OfferRestore() { w.saver.Start() }
func (w *Workbench) ShowNotice()   { of[*help.Panel](w).Start() }

// Session returns the state and background work.
func (w *Workbench) Session() *session.Session { return w.host.Session }

// Title returns the title of the workbench.
func (w *Workbench) Title() string { return w.host.Window.Title() }

// Canvas returns the canvas.
func (w *Workbench) Canvas() fyne.Canvas { return w.host.Window.Canvas() }

// Panes returns the picture panes.
func (w *Workbench) Panes() [viewer.Roles]*sliceview.Pane { return of[*pictures.Panel](w).Panes }

// InsetShown says whether the pane of the residual is an inset.
func (w *Workbench) InsetShown() bool {
	return of[*pictures.Panel](w).ShowsInset()
}

// RailList returns the list of open series.
func (w *Workbench) RailList() fyne.CanvasObject { return of[*rail.Panel](w).Dock().Object }

// SliceTexts returns the texts beside the slider of the slices.
func (w *Workbench) SliceTexts() []string {
	return []string{of[*slicebar.Panel](w).Sigmas.Text, of[*slicebar.Panel](w).Label.Text}
}

// WindowShown returns the window that the tool bar names.
func (w *Workbench) WindowShown() string { return of[*toolbar.Panel](w).Windows.Selected }

// Invite returns the invitation to open a series.
func (w *Workbench) Invite() fyne.CanvasObject { return of[*opening.Invite](w).Layer }

// ShareShown says whether the slider of a comparison is shown.
func (w *Workbench) ShareShown() bool { return of[*toolbar.Panel](w).Shares.Visible() }

// Planes returns the panes of the three planes.
func (w *Workbench) Planes() [3]*sliceview.Pane { return of[*pictures.Panel](w).Planes }

// HelpSections returns the sections of the help sheet.
func (w *Workbench) HelpSections() []dialogs.Section { return of[*help.Panel](w).Sections() }

// CineRate returns the rate that is shown.
func (w *Workbench) CineRate() string { return of[*slicebar.Panel](w).Cine.Rates.Selected }

// PlaySlice is what the cine does at every tick.
func (w *Workbench) PlaySlice() { of[*slicebar.Panel](w).Cine.Step() }

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
	for _, c := range w.host.Table {
		add("c.Title", c.Title)
		add("c.Help", c.Help)
	}
	sections := w.HelpSections()
	for _, g := range sections[len(sections)-1].Rows {
		add("g[0]", g[0])
		add("g[1]", g[1])
	}
	add("name", command.Menus...)
	add(`cmp.Or(menu, "Slices")`, "Slices")
	for m := range viewer.Modes {
		add("m.String()", m.String())
	}
	add("c.Mode.String()", out["m.String()"]...)
	for p := volume.Axial; p <= volume.Sagittal; p++ {
		add("wording.Plane(p)", wording.Plane(p))
	}
	for _, of := range []string{"cut.View().Plane", "m.Plane", "volume.Plane(p)"} {
		add("wording.Plane("+of+")", out["wording.Plane(p)"]...)
	}
	for _, c := range w.host.Command("corners").List() {
		add("name", c.Title)
	}
	for _, p := range w.host.Panels {
		add("title", p.Dock().Tabs...)
	}
	add("wording.NotClinical", wording.NotClinical)
	for _, of := range []string{"f.Confidence", "m.Confidence", "f.Noise.Confidence"} {
		add("string("+of+")", string(noise.High), string(noise.Fair), string(noise.Low), string(noise.None))
	}
	add("p.What", "edges", "smooth tissue", "a disc")
	v := &volume.Volume{}
	add("r.Picture.SecondName()", (&viewer.Picture{}).SecondName(), (&viewer.Picture{Source: v, Result: v}).SecondName())
	add("r.Picture.FirstName()", (&viewer.Picture{}).FirstName(), (&viewer.Picture{Base: &volume.Volume{}}).FirstName(), (&viewer.Picture{Other: true}).FirstName())
	for role := range viewer.Roles {
		add("role.String()", role.String())
	}
	for _, of := range []string{"viewer.Original.String()", "viewer.Denoised.String()", "viewer.Residual.String()", "p.role.String()", "r.pane.role.String()"} {
		add(of, out["role.String()"]...)
	}
	add("w.Name", volume.WindowNames()...)
	addFilters(add)
	for _, p := range job.Presets() {
		add("preset.Title", p.Title)
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
	for _, f := range denoise.AllFilters() {
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
				for _, expression := range []string{"p.Word(choice)", "p.Word(v.String())"} {
					add(expression, p.Word(choice))
				}
			}
		}
	}
}

// Commands returns the table of all commands.
func (w *Workbench) Commands() []command.Command { return w.host.Table }

// Record calls f with the ID of a command in place of running it, whether it is enabled or not.
func (w *Workbench) Record(f func(id string)) {
	for i, c := range w.host.Table {
		w.host.Table[i].Enabled = nil
		if c.Hold != nil {
			w.host.Table[i].Hold = func(bool) { f(c.ID) }
		}
		if c.Run != nil {
			w.host.Table[i].Run = func() { f(c.ID) }
		}
	}
	w.host.SetMenu()
	w.host.BindKeys()
}

// Menu returns the main menu.
func (w *Workbench) Menu() *fyne.MainMenu { return w.host.Bar.Main }

// Tooltip returns the tooltip that is shown, "" for none.
func (w *Workbench) Tooltip() (text string, at fyne.Position, size fyne.Size) {
	if w.host.Tip.Ground.Hidden {
		return "", at, size
	}
	return w.host.Tip.Text.Text, w.host.Tip.Ground.Position(), w.host.Tip.Ground.Size()
}

// PlotKind returns the kind of the plot.
func (w *Workbench) PlotKind() plotpanel.Kind { return of[*plotpanel.Panel](w).Widget.Kind() }

// PlotShown says whether a plot stands in the place of the measures.
func (w *Workbench) PlotShown() bool { return of[*plotpanel.Panel](w).Widget.Visible() }

// SelectTab shows a tab of the card.
func (w *Workbench) SelectTab(title string) { w.frame.SelectTab(title) }

// MainMenu returns the menu of the window, nil in full screen.
func (w *Workbench) MainMenu() *fyne.MainMenu { return w.host.Window.MainMenu() }

// Curve returns the curve of the strength as the plot shows it.
func (w *Workbench) Curve() *plotpanel.Curve { return plotpanel.CurveOf(w.host.Session) }

// ColumnShown says whether filter, measures and plots are shown.
func (w *Workbench) ColumnShown() bool { return w.frame.ShowsColumn() }

// Window returns the workbench on the desktop.
func (w *Workbench) Window() fyne.Window { return w.host.Window }

// QuickShown says whether the line that stands for the column is shown.
func (w *Workbench) QuickShown() bool {
	return w.host.Beside.Visible() && of[*slicebar.Panel](w).Dock().Object.Visible()
}

// VerdictText is the verdict in that line.
func (w *Workbench) VerdictText() string { return of[*filterpanel.Quick](w).Verdict.Text }

// Dial is the strength in that line.
func (w *Workbench) Dial() *filterpanel.Dial { return of[*filterpanel.Quick](w).Dial }

// ShowPlace is the button of the measures that shows a place.
func (w *Workbench) ShowPlace(volume bool) { of[*measurepanel.Panel](w).ShowPlace(volume) }

// SliceMarks returns the verdicts of the ticks beside the slider.
func (w *Workbench) SliceMarks() (out []verdict.Word) {
	for _, f := range of[*slicebar.Panel](w).Strip.Figures {
		if f.Verdict != "" {
			out = append(out, f.Verdict)
		}
	}
	return out
}

// Settings returns the settings for the next start.
func (w *Workbench) Settings() workbench.Settings { return w.host.Settings }

// StatusTop returns the upper edge of the status bar.
func (w *Workbench) StatusTop() float32 {
	return fyne.CurrentApp().Driver().AbsolutePositionForObject(of[*statusbar.Panel](w).Dock().Object).Y
}

// Status returns the text of the status bar.
func (w *Workbench) Status() string { return of[*statusbar.Panel](w).Text.Text }

// GalleryOpen says whether the gallery is open.
func (w *Workbench) GalleryOpen() bool { return of[*gallery.Panel](w).Dialog != nil }

// Refresh updates every panel.
func (w *Workbench) Refresh() { w.host.Refresh() }

// railCell is a series in the list of those that are open.
type railCell struct{ *rail.Thumbnail }

// Rail returns the list of open series; none while it is hidden.
func (w *Workbench) Rail() (cells []railCell) {
	list := of[*rail.Panel](w)
	for _, c := range list.Cells {
		if list.Wanted() {
			cells = append(cells, railCell{c})
		}
	}
	return cells
}

// Name returns the name of the series.
func (c railCell) Name() string { return c.Thumbnail.Name.Text }

// Marked says whether the series is marked as the one that is shown.
func (c railCell) Marked() bool { return c.Ground.StrokeColor != color.Transparent }

// Badge returns the text in the corner of the picture.
func (c railCell) Badge() string { return strings.TrimSpace(c.Thumbnail.Badge.Text) }

// Hint returns the text of the tooltip.
func (c railCell) Hint() string { return c.Thumbnail.Hint }

// OpenDialogs returns how many dialogs are open.
func (w *Workbench) OpenDialogs() int { return len(w.host.Window.Canvas().Overlays().List()) }

// AwaitFrames is what follows a gesture.
func (w *Workbench) AwaitFrames() { w.host.AwaitFrames() }

// Picture draws what "Save a picture" writes.
func (w *Workbench) Picture() (image.Image, string) { return of[*pictures.Panel](w).Picture() }

// ReaderShown says whether a blind comparison is in progress and shown.
func (w *Workbench) ReaderShown() bool {
	return of[*reader.Panel](w).Now != nil && of[*reader.Panel](w).Layer.Visible()
}

// Choice returns the place of forced choices.
func (w *Workbench) Choice() *reader.Choice { return of[*reader.Panel](w).Choice }

// FrameShown says whether the panels are shown.
func (w *Workbench) FrameShown() bool { return w.frame.Visible() }

// Trials and Answered return the trials of the blind comparison in progress.
func (w *Workbench) Trials() []blind.Trial   { return of[*reader.Panel](w).Now.Test.Trials }
func (w *Workbench) Answered() []blind.Trial { return of[*reader.Panel](w).Now.Test.Answered() }

// DrawReader draws a side of the pair at hand.
func (w *Workbench) DrawReader(side, width, height int) image.Image {
	return of[*reader.Panel](w).Draw(side, width, height)
}

// DrawSide draws the original or the result as the comparison does.
func (w *Workbench) DrawSide(result bool, index, width, height int) image.Image {
	job, role := of[*reader.Panel](w).Job, viewer.Original
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
