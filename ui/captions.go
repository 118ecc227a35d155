package ui

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/denoise"
	"quell/series"
	"quell/ui/language"
	"quell/ui/session"
	"quell/ui/session/measures"
	"quell/ui/session/preview"
	"quell/ui/sliceview"
	"quell/ui/viewer"
	"quell/volume"
)

// display is what captions depend on beside the session.
type display struct {
	panes    [viewer.Roles]viewer.Pane
	identity identity    // how the series is named
	named    viewer.Role // the pane that names it
}

// captions returns the texts around the pictures.
func captions(s *session.Session, d display) [viewer.Roles]sliceview.Caption {
	var out [viewer.Roles]sliceview.Caption
	series := s.Series()
	if series == nil {
		return out
	}
	state := s.State()
	unit := series.Volume.Unit
	values, place := probe(s)
	outline := outline(s)
	for role := range viewer.Roles {
		c := &out[role]
		c.Letters = state.View().Letters
		c.Unit = unit
		c.Place = d.identity.only(placeLine, place)
		c.Outline = outline
		w := state.WindowOf(role)
		window := d.identity.only(windowLine, strings.TrimSpace(fmt.Sprintf("W %s  L %s  %s", short(w.Width), short(w.Center), windowName(w))))
		if role == viewer.Residual { // without its scale it says nothing
			window = fmt.Sprintf("±%s σ", short(state.Sigmas()))
		}
		index := state.Index()
		if kept := s.Screen.Kept(); kept != nil && role != viewer.Original {
			index = kept.Index
		}
		c.Corner = d.identity.foot(state, zoomText(state, d.panes[role]), window, index, values[role])
	}
	out[d.named].Who, out[d.named].How = d.identity.who(series), d.identity.how(series)
	originalCaption(s, d.identity, &out[viewer.Original])
	denoisedCaption(s, &out[viewer.Denoised])
	residualCaption(s, &out[viewer.Residual], out[viewer.Denoised])
	compareCaptions(s, &out)
	if state.Unlinked() {
		for _, role := range []viewer.Role{viewer.Original, viewer.Denoised} {
			out[role].Title = cmp.Or(out[role].Title, lang.L(role.String())) + lang.L(", OWN WINDOW")
		}
	}
	return out
}

// sliceText writes the place of a slice: "14 / 28", and how its picture is turned where that
// is not as radiologists are used to.
func sliceText(state *viewer.State, index int) string {
	return strings.TrimSuffix(fmt.Sprintf("%d / %d, %s", index+1, state.View().Size[2], turnText(state)), ", ")
}

// turnText says how pictures are turned: "mirrored, turned 90°", or "".
func turnText(state *viewer.State) string {
	var texts []string
	t := state.Turned()
	if t.Mirrored {
		texts = append(texts, lang.L("mirrored"))
	}
	if t.Quarters != 0 {
		texts = append(texts, fmt.Sprintf(lang.L("turned %d°"), 90*t.Quarters))
	}
	return strings.Join(texts, ", ")
}

// windowName names a window: one of the program's own in the language of the workbench, that of
// a file as the file has it.
func windowName(w volume.Window) string {
	if slices.Contains(volume.WindowNames(), w.Name) {
		return lang.L(w.Name)
	}
	return w.Name
}

// zoomText writes the magnification in device pixels per voxel: "134 %", and whether
// that fits the pane.
func zoomText(state *viewer.State, p viewer.Pane) string {
	text := fmt.Sprintf(lang.L("Zoom %.0f %%"), 100*state.Transform(float64(p.Width), float64(p.Height)).Magnification())
	if state.Zoom() == 1 {
		text += lang.L(", fit")
	}
	return text
}

func originalCaption(s *session.Session, id identity, c *sliceview.Caption) {
	c.Detail = summary(s.Series(), id.hidden)
	if n, ok := s.Document().Noise(); ok {
		c.Detail = fmt.Sprintf(lang.L("with %s"), n)
	}
	m := s.Noise.Map()
	if m == nil {
		return
	}
	c.Badge, c.BadgeKind = lang.L("NOISE MAP"), sliceview.Busy
	c.Detail = fmt.Sprintf(lang.L("noise σ mostly %s to %s, confidence %s"), short(m.Lo), language.Quantity(m.Hi, m.Values.Unit), lang.L(string(m.Confidence)))
	if s.State().Overlay() == viewer.OverlayFull && id.shows(valueLine) {
		c.Corner[len(c.Corner)-1] += localNoise(s, m)
	}
}

// localNoise returns the noise under the pointer, to follow its value.
func localNoise(s *session.Session, m *app.NoiseMap) string {
	voxel, ok := s.State().Cursor()
	if !ok {
		return ""
	}
	i := m.Values.Index(voxel[0], voxel[1], voxel[2])
	if !m.Values.Valid(i) {
		return lang.L("   σ not measured here")
	}
	return "   σ " + language.Quantity(float64(m.Values.Data[i]), m.Values.Unit)
}

// denoisedCaption describes the picture in the denoised pane and whether it belongs
// to the current recipe. A reader must never take one picture for another.
func denoisedCaption(s *session.Session, c *sliceview.Caption) {
	r, status, ok := s.Preview.Recipe()
	if ok {
		c.Detail = recipeText(s, r)
	}
	switch status {
	case preview.Whole:
		c.Badge, c.BadgeKind = lang.L("WHOLE VOLUME"), sliceview.Good
	case preview.Slice:
		c.Badge, c.BadgeKind = lang.L("SLICE ONLY"), sliceview.Good
	case preview.Coarse:
		c.Badge, c.BadgeKind = lang.L("COARSE, FILTERING …"), sliceview.Caution
	case preview.Stale:
		c.Badge, c.BadgeKind = lang.L("STALE"), sliceview.Caution
	case preview.Waiting:
		c.Badge, c.BadgeKind = lang.L("NOT FILTERED YET"), sliceview.Caution
		c.Detail = lang.L("showing the original")
	}
	if s.Preview.Running() && status == preview.Stale {
		c.Badge = lang.L("STALE, FILTERING …")
	} else if s.Preview.Running() && status == preview.Waiting {
		c.Badge, c.BadgeKind = lang.L("FILTERING …"), sliceview.Busy
	}
	if kept := s.Screen.Kept(); kept != nil {
		c.Badge, c.BadgeKind = fmt.Sprintf(lang.L("SLICE %d, FILTERING …"), kept.Index+1), sliceview.Caution
		c.Detail = lang.L("another slice, until this one is filtered")
	}
	if s.Screen.HoldsBefore() {
		c.Badge, c.BadgeKind, c.Detail = lang.L("SHOWING THE ORIGINAL"), sliceview.Caution, lang.L("while Space is held")
	}
}

func residualCaption(s *session.Session, c *sliceview.Caption, denoised sliceview.Caption) {
	c.Detail = lang.L("original − denoised")
	if _, status, ok := s.Preview.Recipe(); !ok || status == preview.Stale || status == preview.Coarse || s.Screen.Kept() != nil {
		c.Badge, c.BadgeKind = denoised.Badge, denoised.BadgeKind
	}
	if s.Screen.HoldsBefore() {
		c.Badge, c.BadgeKind = "", sliceview.NoBadge
	}
	if s.Structures.Marked() && !s.Screen.HoldsBefore() {
		structureCaption(s, c)
	}
	if facts, ok := s.Document().Facts(); ok && facts.Noise.Sigma <= 0 {
		// Without a noise estimate the largest residual sets the scale.
		for i, line := range c.Corner {
			if strings.HasSuffix(line, "σ") {
				c.Corner[i] = lang.L("± largest")
			}
		}
	}
}

// insetCaption leaves of the texts around the residual what an inset has room for.
func insetCaption(s *session.Session, c sliceview.Caption) sliceview.Caption {
	if s.Series() == nil {
		return c
	}
	title := c.Title
	if title == "" {
		title = lang.L(viewer.Residual.String())
	}
	scale := ""
	for _, line := range c.Corner {
		if strings.HasPrefix(line, "±") {
			scale = line
		}
	}
	return sliceview.Caption{Small: true, Title: strings.TrimSpace(title + " " + scale), Place: lang.L("D enlarges"), Unit: c.Unit, Letters: c.Letters}
}

// structureCaption names the place with the most structure and the reason of the
// verdict.
func structureCaption(s *session.Session, c *sliceview.Caption) {
	found := s.Structures.Here()
	switch {
	case found == nil:
		c.Detail = lang.L("structure is not judged yet")
	case !found.Any:
		c.Detail = lang.L("no structure found.") + " " + language.Sentence(found.Why)
	default:
		c.Detail = fmt.Sprintf(lang.L("green: structure, most at %s."), placeText(found.Place)) + " " + language.Sentence(found.Why)
		if c.Badge == "" {
			c.Badge, c.BadgeKind = lang.L("STRUCTURE"), sliceview.Caution
		}
	}
}

// placeText names a place: "edges, x 120, y 88, z 5", counted from 1.
func placeText(p measures.Place) string {
	return fmt.Sprintf(lang.L("%s, x %d, y %d, z %d"), lang.L(p.What), p.Voxel[0]+1, p.Voxel[1]+1, p.Voxel[2]+1)
}

// recipeText returns a recipe as a label with its automatic values as numbers:
// "nlm 3-D  h=21.3  patch-radius=1".
func recipeText(s *session.Session, r denoise.Recipe) string {
	f, err := denoise.FilterByName(r.Filter)
	if err != nil {
		return r.Filter
	}
	facts, known := s.Document().Facts()
	resolved := r
	if known {
		if found, err := r.Resolve(s.Series().Volume.Geometry, facts); err == nil {
			resolved = found
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d-D", r.Filter, r.Dims)
	for _, p := range f.Params {
		asked := r.Get(p.Name)
		if !p.Basic && asked.Equal(p.Default) {
			continue
		}
		v := resolved.Get(p.Name)
		text := language.Number(v.String())
		switch {
		case p.Unit == "value" && asked.IsAuto() && known && !v.IsAuto() && v.Float() <= facts.Negligible():
			text = "0"
		case p.Kind == denoise.Float && !v.IsAuto():
			text = short(v.Float())
		case p.Kind == denoise.Ints:
			text = asked.String()
		}
		if p.Unit == "mm" {
			text += " mm"
		}
		fmt.Fprintf(&b, "  %s=%s", p.Name, text)
	}
	return b.String()
}

// outline returns the corners of the neighbourhood of the voxel under the pointer, half
// a voxel beyond its last ones.
func outline(s *session.Session) (corners [][2]float64) {
	lengths, ok := s.Neighbourhoods.Here()
	if !ok {
		return nil
	}
	for d, step := range denoise.Directions {
		reach := float64(lengths[d]) - 0.5
		corners = append(corners, [2]float64{reach * float64(step[0]), reach * float64(step[1])})
	}
	return corners
}

// probe returns the values under the pointer, one for each pane, and its position
// in the patient.
func probe(s *session.Session) (values [viewer.Roles]string, place string) {
	voxel, ok := s.State().Cursor()
	picture := s.Screen.Picture()
	if !ok || picture == nil || picture.View != s.State().View() || picture.Index != s.State().Index() {
		return values, ""
	}
	col, row, index := picture.View.Locate(voxel)
	if index != picture.Index { // the pointer is on another plane
		return values, ""
	}
	i := row*picture.View.Size[0] + col
	unit := s.Series().Volume.Unit
	facts, _ := s.Document().Facts()
	span := float64(facts.Hi) - float64(facts.Lo)
	after := picture.After
	if s.Screen.HoldsBefore() {
		after = picture.Before
	}
	for role, data := range [viewer.Roles][]float32{picture.Before, after, picture.Residual} {
		if i < len(data) {
			values[role] = valueText(float64(data[i]), span, unit, viewer.Role(role) == viewer.Residual)
		}
	}
	if s.State().Comparison().Mode != viewer.Plain && !s.Screen.HoldsBefore() && values[viewer.Denoised] != "" {
		values[viewer.Denoised] = values[viewer.Original] + " | " + values[viewer.Denoised] // of both sides
	}
	p := s.Series().Volume.Affine.Apply(float64(voxel[0]), float64(voxel[1]), float64(voxel[2]))
	return values, position(p)
}

// valueText writes a voxel's value with digits that suit the range of the volume.
func valueText(x, span float64, unit string, signed bool) string {
	digits := 1
	switch {
	case span > 0 && span < 1:
		digits = 5
	case span > 0 && span < 100:
		digits = 3
	}
	text := language.Number(strings.Replace(strconv.FormatFloat(x, 'f', digits, 64), "-", "−", 1))
	if signed && x > 0 {
		text = "+" + text
	}
	return strings.TrimSpace(text + " " + unit)
}

// position writes a point in patient coordinates with the letters of the patient's
// sides: "R 12.3  A 4.0  H 51.2 mm".
func position(p volume.Vec) string {
	letters := [3][2]string{{"R", "L"}, {"A", "P"}, {"F", "H"}}
	parts := make([]string, 3)
	for c, x := range p {
		side := 0
		if x > 0 {
			side = 1
		}
		parts[c] = language.Sprintf("%s %.1f", letters[c][side], math.Abs(x))
	}
	return strings.Join(parts, "  ") + " mm"
}

// summary describes a series in a line: modality, description unless that is hidden,
// size, spacing.
func summary(series *series.Series, hidden bool) string {
	v := series.Volume
	name := series.Modality
	if !hidden {
		name = strings.TrimSpace(name + " " + series.Description)
	}
	if name == "" {
		name = series.Format
	}
	return fmt.Sprintf("%s  %d×%d×%d  %s×%s×%s mm", name, v.Dims[0], v.Dims[1], v.Dims[2],
		short(v.Spacing[0]), short(v.Spacing[1]), short(v.Spacing[2]))
}

// short writes a number with three significant digits, from 1000 on as an integer.
func short(x float64) string {
	if math.Abs(x) >= 1000 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return language.Number(strings.Replace(strconv.FormatFloat(x, 'g', 3, 64), "-", "−", 1))
}
