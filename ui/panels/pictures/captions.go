package pictures

import (
	"cmp"
	"fmt"
	"strings"

	"fyne.io/fyne/v2/lang"

	"quell/app/judge"
	"quell/denoise"
	"quell/ui/language"
	"quell/ui/session"
	"quell/ui/session/preview"
	"quell/ui/session/results"
	"quell/ui/sliceview"
	"quell/ui/viewer"
	"quell/ui/wording"
)

// display is what captions depend on besides the session.
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
	cut := state.Cut()
	unit := series.Volume.Unit
	values, place := probe(s)
	outline := outline(s)
	for role := range viewer.Roles {
		c := &out[role]
		c.Letters = cut.View().Letters
		c.Unit = unit
		c.Place = d.identity.only(placeLine, place)
		c.Outline = outline
		w := state.Windows.Of(role)
		window := d.identity.only(windowLine, strings.TrimSpace(fmt.Sprintf("W %s  L %s  %s", wording.Short(w.Width), wording.Short(w.Center), wording.Window(w))))
		if role == viewer.Residual { // without its scale it says nothing
			window = fmt.Sprintf("±%s σ", wording.Short(state.Windows.Sigmas()))
		}
		index := cut.Index()
		if kept := s.Screen.Kept(); kept != nil && role != viewer.Original {
			index = kept.Index
		}
		c.Corner = d.identity.foot(state.Overlay(), cut, wording.Zoom(cut, d.panes[role]), window, index, values[role])
	}
	out[d.named].Who, out[d.named].How = d.identity.who(series), d.identity.how(series)
	if other, compared := s.Results.Beside(); compared && !d.panes[viewer.Original].Hidden && d.named == viewer.Original {
		it := wording.Acquired(other)
		out[viewer.Denoised].Who, out[viewer.Denoised].How = out[viewer.Original].Who, out[viewer.Original].How
		out[viewer.Original].Who, out[viewer.Original].How = d.identity.who(it), d.identity.how(it)
	}
	originalCaption(s, d.identity, &out[viewer.Original])
	if denoised := &out[viewer.Denoised]; s.Results.Unfiltered() {
		denoised.Title, denoised.Detail = lang.L(viewer.Original.String()), wording.Summary(series, d.identity.hidden)
	} else {
		denoisedCaption(s, denoised)
	}
	residualCaption(s, &out[viewer.Residual], out[viewer.Denoised])
	compareCaptions(s, d.identity, &out)
	if state.Windows.Unlinked() {
		for _, role := range []viewer.Role{viewer.Original, viewer.Denoised} {
			out[role].Title = cmp.Or(out[role].Title, lang.L(role.String())) + lang.L(", OWN WINDOW")
		}
	}
	return out
}

func originalCaption(s *session.Session, id identity, c *sliceview.Caption) {
	c.Detail = wording.Summary(s.Series(), id.hidden)
	if n, ok := s.Document().Noise(); ok {
		c.Detail = fmt.Sprintf(lang.L("with %s"), n)
	}
	m := s.Noise.Map()
	if m == nil {
		return
	}
	c.Badge, c.BadgeKind = lang.L("NOISE MAP"), sliceview.Busy
	c.Detail = fmt.Sprintf(lang.L("noise σ mostly %s to %s, confidence %s"), wording.Short(m.Lo), language.Quantity(m.Hi, m.Values.Unit), lang.L(string(m.Confidence)))
	if s.State().Overlay() == viewer.OverlayFull && id.shows(valueLine) {
		c.Corner[len(c.Corner)-1] += localNoise(s, m)
	}
}

// localNoise returns the noise under the pointer, to follow its value.
func localNoise(s *session.Session, m *judge.NoiseMap) string {
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
		c.Detail = wording.Recipe(s, r)
		if f, known := s.Document().Facts(); known && results.NoiseFree(r, f) {
			c.Title, c.Detail = lang.L("UNFILTERED"), c.Detail+" · "+lang.L("there is no noise to remove")
		}
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
	if s.Structures.Marked() && !s.Screen.HoldsBefore() && !wording.Compared(s) {
		structureCaption(s, c)
	}
	if _, other := s.Results.Beside(); other {
		differenceScale(s, c)
	} else if facts, ok := s.Document().Facts(); ok && facts.Noise.Sigma <= 0 {
		// Without a noise estimate the largest residual sets the scale.
		for i, line := range c.Corner {
			if strings.HasSuffix(line, "σ") {
				c.Corner[i] = lang.L("± largest")
			}
		}
	}
}

// differenceScale says at which difference from another series the colours end.
func differenceScale(s *session.Session, c *sliceview.Caption) {
	w := s.State().Windows
	limit := w.Sigmas() / viewer.DefaultSigmas * w.Of(viewer.Denoised).Width / 2
	for i, line := range c.Corner {
		if strings.HasSuffix(line, "σ") {
			c.Corner[i] = "±" + language.Quantity(limit, s.Series().Volume.Unit)
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
		c.Detail = lang.L("no structure found.") + " " + language.Of(found.Why)
	default:
		c.Detail = fmt.Sprintf(lang.L("green: structure, most at %s."), wording.Place(found.Place)) + " " + language.Of(found.Why)
		if c.Badge == "" {
			c.Badge, c.BadgeKind = lang.L("STRUCTURE"), sliceview.Caution
		}
	}
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
	cut, picture := s.State().Cut(), s.Screen.Picture()
	if !ok || picture == nil || picture.View != cut.View() || picture.Index != cut.Index() {
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
			values[role] = wording.Value(float64(data[i]), span, unit, viewer.Role(role) == viewer.Residual)
			if viewer.Role(role) != viewer.Denoised && picture.Outside(i) {
				values[role] = lang.L("no data here")
			}
		}
	}
	if s.State().Comparison().Mode != viewer.Plain && !s.Screen.HoldsBefore() && values[viewer.Denoised] != "" {
		values[viewer.Denoised] = values[viewer.Original] + " | " + values[viewer.Denoised] // of both sides
	}
	p := s.Series().Volume.Affine.Apply(float64(voxel[0]), float64(voxel[1]), float64(voxel[2]))
	return values, wording.Position(p)
}
