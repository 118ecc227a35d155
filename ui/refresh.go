package ui

import (
	"fmt"
	"math"
	"strings"
	"time"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/denoise"
	"quell/ui/filterpanel"
	"quell/ui/language"
	"quell/ui/measurepanel"
	"quell/ui/plotpanel"
	"quell/ui/session"
	"quell/ui/session/desk"
	"quell/ui/session/measures"
	"quell/ui/session/preview"
	"quell/ui/sliceview"
	"quell/ui/viewer"
	"quell/volume"
)

// changed schedules a refresh of the panels. However often it is called during one
// event, they are refreshed once, right after it; while pictures are drawn, together with
// them, so that the window is painted once and its texts are those of the pictures.
func (w *Workbench) changed() {
	if w.refreshes || w.session.Screen.Drawing() {
		return
	}
	w.refreshes = true
	w.options.Do(func() {
		w.refreshes = false
		w.refresh()
	})
}

// framed shows new frames in all panes at once.
func (w *Workbench) framed(_ *viewer.Picture, frames [viewer.Roles]viewer.Frame) {
	for role, pane := range w.panes {
		pane.SetFrame(frames[role])
	}
}

// patience is how long a gesture waits for its pictures: long enough to draw them on an
// idle machine, short beside the time in which the workbench is painted.
const patience = 10 * time.Millisecond

// awaitFrames shows the pictures of a gesture with the next painting, where they are ready
// soon. It waits once in the time of a frame of the screen, for the last of many events.
func (w *Workbench) awaitFrames() {
	now := w.options.Now()
	if !w.closed && now.Sub(w.awaited) >= time.Second/60 {
		w.awaited = now
		w.session.Screen.Await(time.After(patience))
	}
}

// refresh updates every panel. Panels compare and redraw only what differs.
func (w *Workbench) refresh() {
	s := w.session
	all := captions(s, w.display())
	showMarks(s, &all)
	for role, c := range all {
		c.Profile = w.showsColumn() && w.card.tab == tabProfile && !lineSelected(s)
		if viewer.Role(role) == viewer.Residual && w.showsInset() {
			c = insetCaption(s, c)
		}
		if viewer.Role(role) == viewer.Denoised && w.showsInset() {
			c.Aside = w.panes[viewer.Residual].Size().Width + insetMargin
		}
		w.panes[role].SetCaption(w.noticed(c))
	}
	if w.quad.on {
		for p, c := range planeCaptions(s, w.planeSizes(), w.identity()) {
			w.planes[p].SetCaption(w.noticed(c))
		}
	}
	filter := filterSnapshot(s)
	if w.showsColumn() {
		w.filter.Display(filter)
		w.displayCard()
	} else {
		w.displayQuick(filter)
	}
	w.slices.display(s)
	if w.slices.displayVolume(s, w.asking) {
		w.frame.Refresh() // which leaves the height of the bar to its last layout otherwise
	}
	w.cine.display(s.Series() != nil && s.State().View().Size[2] > 1)
	w.tools.display(s, w.layoutName())
	w.status.display(s, w.showsColumn())
	if w.gallery != nil {
		w.gallery.Display(w.galleryCells())
	}
	w.refreshMenu()
	w.showTitle()
	w.showRail()
	w.invite.display(w)
	w.arriving.display(s, w.settings.HideIdentity)
	w.autosave()
}

// noticed adds the notice on clinical use to the pane that says how the series was acquired,
// where the status bar is hidden.
func (w *Workbench) noticed(c sliceview.Caption) sliceview.Caption {
	if w.pictures && len(c.How) > 0 {
		c.How = append(c.How, lang.L(notClinical))
	}
	return c
}

// displayCard updates the tabs of the card.
func (w *Workbench) displayCard() {
	s := w.session
	w.measures.Display(measureSnapshot(s))
	if needs := w.columnNeeds(); needs != w.needs {
		w.needs = needs
		w.column.Refresh()
	}
	w.marks.Display(markSnapshot(s))
	if s.Series() == nil || arrives(s) {
		w.plot.Display(nil, [3]int{}, volume.Window{}, plotpanel.Marked{})
		w.plot.DisplayCurve(nil, false, false)
		return
	}
	if p := s.Screen.Settled(); p != nil {
		w.plot.Display(p, s.State().Focus(), s.State().Window(), markedOn(s, p))
	}
	w.plot.DisplayCurve(curveSnapshot(s), s.Strength.Searching(), s.Strength.CanFind())
}

func filterSnapshot(s *session.Session) filterpanel.Snapshot {
	snap := filterpanel.Snapshot{Recipe: s.Tuning.Recipe(), Resolved: s.Tuning.Recipe(), AutoPreview: s.Preview.Auto()}
	if arrives(s) {
		return snap
	}
	resolved, err := s.Tuning.Resolved()
	snap.Resolved = resolved
	snap.Preview, snap.Problem = s.Preview.Text()
	if err != nil {
		snap.Preview, snap.Problem = language.Sentence(err.Error()), true
	}
	if series := s.Series(); series != nil {
		snap.Ready = true
		snap.Unit = series.Volume.Unit
		snap.Facts, _ = s.Document().Facts()
	}
	if p := s.Tasks.Progress(); p.Kind == desk.Applying {
		snap.Running, snap.Fraction, snap.Progress = true, p.Fraction, lang.L("Another series is being filtered.")+"\n"+p.Text
		if !p.Hidden {
			snap.Progress = recipeText(s, p.Recipe) + "\n" + p.Text
		}
	}
	snap.Applied, snap.Busy = s.Results.Applied(), s.Tasks.Busy()
	if f, ok := s.Results.Forecast(); ok {
		snap.Memory = language.Sentence(f.Text())
	}
	snap.Carried = s.Tuning.Carried()
	snap.CanFind, snap.Searching = s.Strength.CanFind(), s.Strength.Searching()
	return snap
}

// curveSnapshot returns the curve of the strength as the plot shows it, nil without
// one.
func curveSnapshot(s *session.Session) *plotpanel.Curve {
	found := s.Strength.Curve()
	if found == nil {
		return nil
	}
	f, err := denoise.FilterByName(s.Tuning.Recipe().Filter)
	if err != nil {
		return nil
	}
	param, _ := f.Param(found.Param)
	unit := map[string]string{"value": "σ", "mm": lang.L("voxels")}[param.Unit]
	if unit == "" {
		unit = param.Unit
	}
	volumeUnit := s.Series().Volume.Unit
	c := &plotpanel.Curve{
		XLabel: lang.L(param.Label), YLabel: lang.L("estimated error"), Best: -1, Present: found.Present, Without: found.Sigma, Old: !found.Current,
	}
	if unit != "" {
		c.XLabel += ", " + unit
	}
	if found.Gain {
		c.Best = found.Best
	}
	if volumeUnit != "" {
		c.YLabel += ", " + volumeUnit
	}
	for i, p := range found.Points {
		// The estimate of a mean square has an error of its own, and can be below 0.
		rms := found.Sigma * math.Sqrt(max(p.MSE, 0))
		c.X, c.Y = append(c.X, p.Strength), append(c.Y, rms)
		label := strings.TrimSpace(short(p.Strength)+" "+unit) + ": " + fmt.Sprintf(lang.L("error %s"), language.Quantity(rms, volumeUnit))
		if i == c.Best {
			label += lang.L(", the least")
		}
		c.Labels = append(c.Labels, label)
	}
	return c
}

// measuring says why there are no measures of what is filtered.
func measuring() string { return lang.L("it is being measured.") }

func measureSnapshot(s *session.Session) measurepanel.Snapshot {
	var snap measurepanel.Snapshot
	series := s.Series()
	if series == nil || arrives(s) {
		return snap
	}
	column := func(m measures.Numbers, missing string) measurepanel.Column {
		if m.Err != nil {
			snap.Problem = language.Sentence(m.Err.Error())
		}
		c := measurepanel.Column{Known: m.Known, Current: m.Current, Missing: missing}
		if m.Known {
			c.Result = resultOf(m.Measures)
		}
		return c
	}
	state := s.State()
	slice := s.Measures.Slice()
	index := state.Index()
	if slice.Known {
		index = slice.Index
	}
	snap.Name, snap.Unit = fmt.Sprintf(lang.L("Slice %d"), index+1), series.Volume.Unit
	missing := lang.L("it has not been filtered with these parameters yet.")
	if _, status, _ := s.Preview.Recipe(); status == preview.Whole || status == preview.Slice {
		missing = measuring()
	}
	snap.Slice = column(slice, missing)
	if index != state.Index() {
		snap.Slice.Old = fmt.Sprintf(lang.L("the grey numbers stay until slice %d is measured."), state.Index()+1)
	}
	missing = lang.L("apply the filter to the volume to judge it as a whole.")
	if s.Results.Applied() {
		missing = measuring()
	}
	snap.Volume = column(s.Measures.Volume(), missing)
	if facts, known := s.Document().Facts(); known {
		snap.Volume.Noise = facts.Noise.Figure
		snap.Slice.Noise = facts.Noise.Figure
		// The noise is estimated in slices along the third axis of the volume.
		if view := state.View(); view.Axis[2] == 2 {
			if z := view.Voxel(0, 0, index)[2]; z < len(facts.Noise.PerSlice) {
				snap.Slice.Noise = facts.Noise.PerSlice[z]
			}
		}
	}
	if ref := s.Document().Reference(); ref != nil {
		snap.Reference = lang.L("the reference")
		if n, noisy := s.Document().Noise(); noisy {
			snap.Reference = language.Sprintf(lang.L("the original (σ %g added)"), n.Sigma)
		}
	}
	return snap
}

// resultOf returns the numbers of a result as the panel shows them.
func resultOf(m app.Measures) measurepanel.Result {
	r := measurepanel.Result{
		ResidualSD: float64(m.ResidualSD), ResidualMean: float64(m.ResidualMean), Structure: math.NaN(),
		Verdict: m.Verdict, Confidence: m.Confidence, Why: m.Why, Change: m.Change, Truth: m.Truth, Start: m.Start,
	}
	if m.Map != nil {
		r.Structure = math.Sqrt(m.Structure)
	}
	if p, ok := measures.PlaceOf(m); ok {
		r.Place = placeText(p)
	}
	return r
}
