package filterpanel

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/denoise"
	"quell/internal/message"
	"quell/ui/control"
	"quell/ui/language"
)

// row shows and edits one parameter.
type row struct {
	param  denoise.Param
	object fyne.CanvasObject
	// show displays a value; resolved is the number of an automatic one.
	show func(value, resolved denoise.Value, s Snapshot)

	problem *widget.Label   // why a typed value was refused; nil if none is typed
	ignored message.Message // why the recipe does not use the parameter; empty if it does
}

// usable notes whether the recipe ignores the parameter, and returns whether it can
// be edited.
func (r *row) usable(s Snapshot) bool {
	r.ignored = s.Recipe.Ignores(r.param.Name)
	return s.Ready && r.ignored.IsZero()
}

// helpText returns why the parameter has no effect, or else what it does.
func (r *row) helpText(bounds string) string {
	if !r.ignored.IsZero() {
		return language.Of(r.ignored) + "."
	}
	return r.param.Help + bounds
}

// rowHooks are called for what the user does in a row.
type rowHooks struct {
	changed func(p denoise.Param, v denoise.Value, final bool)
	help    func(title, text string) // the pointer or the focus came to the row
	leave   func()                   // and left it
	find    func()                   // searches for the best value; nil if there is no search
	dial    func()                   // searches for the strength that keeps visible objects; nil in the rows of other parameters
	line    bool                     // a number is a slider and its value in one line, without a field
}

const (
	nameWidth    = 100 // of a parameter in one line with its slider
	shareWidth   = 24  // of the unit there
	alsoWidth    = 80
	entryWidth   = 70
	unitWidth    = 46
	dialWidth    = 150
	writtenWidth = 76
)

// hover returns the function that a row's controls call when the pointer or the focus comes (true) or goes.
func (h rowHooks) hover(r *row, p denoise.Param, bounds func() string) func(in bool) {
	return func(in bool) {
		if in {
			h.help(p.Label, r.helpText(bounds()))
		} else {
			h.leave()
		}
	}
}

func unbounded() string { return "" }

// newRow builds the row for a parameter's kind.
func newRow(p denoise.Param, h rowHooks) *row {
	p.Label, p.Help = lang.L(p.Label), lang.L(p.Help)
	switch p.Kind {
	case denoise.Choice:
		return choiceRow(p, h)
	case denoise.Switch:
		return switchRow(p, h)
	}
	return numberRow(p, h)
}

func choiceRow(p denoise.Param, h rowHooks) *row {
	busy := false
	var words []string
	var values []denoise.Value
	if p.Auto != nil {
		words, values = append(words, lang.L("Auto")), append(values, denoise.Auto)
	}
	for _, choice := range p.Choices {
		words, values = append(words, lang.L(p.Word(choice))), append(values, denoise.Word(choice))
	}
	sel := control.NewSelect(p.Label, words, nil)
	sel.OnChanged = func(string) {
		if i := sel.SelectedIndex(); !busy && i >= 0 {
			h.changed(p, values[i], true)
		}
	}
	r := &row{param: p}
	line := container.NewBorder(nil, nil, widget.NewLabel(p.Label), fixedWidth(sel, entryWidth+unitWidth+12))
	r.object = newHoverArea(line, h.hover(r, p, unbounded))
	r.show = func(value, _ denoise.Value, s Snapshot) {
		busy = true
		sel.SetSelectedIndex(slices.IndexFunc(values, value.Equal))
		busy = false
		control.SetEnabled(sel, r.usable(s))
	}
	return r
}

func switchRow(p denoise.Param, h rowHooks) *row {
	busy := false
	check := control.NewCheck(p.Label, nil)
	check.OnChanged = func(on bool) {
		if !busy {
			h.changed(p, denoise.Bool(on), true)
		}
	}
	r := &row{param: p}
	r.object = newHoverArea(check, h.hover(r, p, unbounded))
	r.show = func(value, found denoise.Value, s Snapshot) {
		busy = true
		on := value
		if value.IsAuto() {
			on = found
		}
		check.SetChecked(on.On())
		busy = false
		control.SetEnabled(check, r.usable(s))
	}
	return r
}

// numberRow is for numbers, percentages and lists: a field, its unit, a slider
// if one number suffices, and "Auto" if the parameter has it.
func numberRow(p denoise.Param, h rowHooks) *row {
	var (
		value, resolved denoise.Value
		shown           denoise.Value // value, or the number of an automatic one, in sigmas if it can be
		span            Span
		unit            string
		latest          Snapshot
		busy            bool
	)
	r := &row{param: p}
	help := h.hover(r, p, func() string { return bounds(p, unit) })

	number := func(x float64) denoise.Value {
		switch {
		case p.Kind == denoise.Ints:
			return denoise.List(int(math.Round(x)))
		case shown.IsPercent():
			return denoise.Percent(x)
		case shown.IsSigmas():
			return denoise.Sigmas(x)
		}
		return denoise.Number(x)
	}
	slide := newSlider(p.Label, help)
	slide.moved = func(x float64) { h.changed(p, number(span.snap(x)), false) }
	slide.ended = func(x float64) { h.changed(p, number(span.snap(x)), true) }
	slide.nudged = func(direction float64) {
		// The value is set at once: the next key may come before the next show.
		slide.Value = span.snap(slide.Value + direction*span.Step)
		slide.Refresh() // show finds the value set
		h.changed(p, number(slide.Value), true)
	}

	problem := small("") // why a typed value was refused; until the next one
	problem.Importance = widget.WarningImportance
	problem.Hide()
	field := newEntry(p.Label, nil, help)
	field.OnChanged = func(string) { problem.Hide() }
	field.commit = func(text string) {
		v, err := parse(p, text, shown, unit)
		if err == nil {
			err = checkReach(p, v, latest.Facts)
		}
		if err != nil {
			r.show(value, resolved, latest)
			problem.SetText(refusal(p, text, err))
			problem.Show()
			return
		}
		h.changed(p, v, true)
	}

	auto := control.NewCheck(lang.L("Auto"), nil)
	auto.OnChanged = func(on bool) {
		if busy {
			return
		}
		if on {
			h.changed(p, denoise.Auto, true)
			return
		}
		// Keep the number, which no longer follows the volume.
		h.changed(p, manual(p, shown), true)
	}
	auto.Hidden = p.Auto == nil

	unitLabel := widget.NewLabel("")
	unitSelect := control.NewSelect(fmt.Sprintf(lang.L("Unit of %s"), p.Label), nil, nil)
	unitSelect.OnChanged = func(u string) {
		if !busy {
			h.changed(p, convert(shown, u, latest.Facts), true)
		}
	}
	unitBox := fyne.CanvasObject(unitLabel)
	if p.Unit == "value" {
		unitBox = unitSelect
	}

	end := container.NewHBox(auto, fixedWidth(field, entryWidth), fixedWidth(unitBox, unitWidth))
	name := widget.NewLabel(p.Label)
	name.Truncation = fyne.TextTruncateEllipsis // rather than the end of the row
	lowest, highest := small(""), small("")     // the ends of the slider
	lowest.Wrapping, highest.Wrapping = fyne.TextWrapOff, fyne.TextWrapOff
	find := findButton(h)
	also := widget.NewLabel("") // the value in another unit
	also.SizeName, also.Importance = theme.SizeNameCaptionText, widget.LowImportance
	also.Truncation = fyne.TextTruncateEllipsis
	visible := dialButton(h)
	if h.dial != nil {
		end = container.NewHBox(visible, fixedWidth(field, entryWidth-14), fixedWidth(unitBox, shareWidth))
	}
	marks := newBound(slide)
	far := small("") // how far the dial can go
	parts := append(numberLines(p, h, name, end, marks.object, lowest, highest, also, find, far), problem)
	r.object = newHoverArea(container.New(layout.NewCustomPaddedVBoxLayout(0), parts...), help)
	written := widget.NewLabel("") // the value in place of the field
	if h.line {
		r.object = newHoverArea(container.NewHBox(auto, fixedWidth(marks.object, dialWidth), fixedWidth(written, writtenWidth)), help)
	}

	r.problem = problem
	r.show = func(v, found denoise.Value, s Snapshot) {
		if !v.Equal(value) {
			problem.Hide()
		}
		busy = true
		defer func() { busy = false }()
		value, resolved, latest = v, found, s
		unit = unitName(p, s.Unit)
		auto.SetChecked(v.IsAuto())
		shown = v
		follows := v.IsAuto() || v.IsWord() // a rule computes it
		if follows {
			shown = found
			if p.Unit == "value" {
				shown = convert(found, sigmaUnit, s.Facts)
			}
		}
		setText(also, elsewhere(p, follows, shown, found, unit, s.Facts))
		span = SpanFor(p, shown, s.Facts)
		slide.show(span, position(shown))
		text, least := format(p, shown), short(span.Lo)
		if isNegligible(p, v, found, s) {
			text, least = "0", "0"
		}
		setText(lowest, least)
		setText(highest, short(span.Hi))
		setText(written, strings.TrimSpace(text+" "+unitOf(shown, unit)))
		if v.IsWord() {
			text = v.String()
		}
		field.show(text)
		if p.Unit == "value" {
			unitSelect.Options = units(p, unit, s.Facts)
			if u := unitOf(shown, unit); unitSelect.Selected != u {
				unitSelect.SetSelected(u)
			}
		}
		setText(unitLabel, unit)
		showFind(find, s)
		showDial(visible, s)
		if p.Mixes && (marks.at != s.Bound || s.Bound > 0) {
			marks.show(s.Bound)
		}
		showFar(far, s.Bound, position(v))
		usable := r.usable(s)
		for _, o := range []fyne.Disableable{field, auto, slide, unitSelect} {
			control.SetEnabled(o, usable)
		}
	}
	return r
}

// isNegligible reports whether the number of an automatic value does nothing.
func isNegligible(p denoise.Param, v, found denoise.Value, s Snapshot) bool {
	return v.IsAuto() && p.Unit == "value" && !found.IsAuto() && found.Float() <= s.Facts.Negligible()
}

// numberLines lays out the row of a number in lines: name and field; the slider between its ends;
// in the row of the strength, the value in another unit and the button that finds the best one; in the row of the
// dial, how far it can go.
func numberLines(p denoise.Param, h rowHooks, name, end, slide, lowest, highest, also, find, far fyne.CanvasObject) []fyne.CanvasObject {
	first := container.NewBorder(nil, nil, nil, end, name)
	switch {
	case h.dial != nil:
		return []fyne.CanvasObject{first, container.NewBorder(nil, nil, lowest, highest, slide), far}
	case p.Kind == denoise.Ints && !p.PerAxis: // a list has no slider
		return []fyne.CanvasObject{first}
	case p.Auto == nil && (p.Kind == denoise.Int || p.Kind == denoise.Ints || p.Unit == "%"): // the slider of a count or a share needs no ends
		return []fyne.CanvasObject{container.NewBorder(nil, nil, fixedWidth(name, nameWidth), end, slide)}
	case h.find != nil:
		return []fyne.CanvasObject{first, container.NewBorder(nil, nil, lowest, highest, slide), container.NewBorder(nil, nil, nil, find, also)}
	case p.Unit == "value":
		highest = container.NewHBox(highest, fixedWidth(also, alsoWidth))
	}
	return []fyne.CanvasObject{first, container.NewBorder(nil, nil, lowest, highest, slide)}
}

// findButton returns the button that searches for the best strength; it is hidden in
// the rows of other parameters.
func findButton(h rowHooks) *control.Button {
	b := control.NewButton(lang.L("Best"), theme.SearchIcon(), func() { h.find() })
	b.Importance = widget.LowImportance
	b.Hidden = h.find == nil
	b.OnHover = func(in bool) {
		if !in {
			h.leave()
		} else if h.find != nil {
			h.help(lang.L("Find the best strength (B)"), lang.L("Searches for the strength with the least estimated error (SURE) and plots the error over the strength."))
		}
	}
	return b
}

func showFind(b *control.Button, s Snapshot) {
	text, icon := lang.L("Best"), theme.SearchIcon()
	if s.Searching {
		text, icon = lang.L("Cancel"), theme.CancelIcon()
	}
	if b.Text != text {
		b.Icon = icon
		b.SetText(text)
	}
	control.SetEnabled(b, s.CanFind)
}

// dialButton returns the button that searches for the strength that keeps visible objects; it is hidden in
// the rows of other parameters.
func dialButton(h rowHooks) *control.Button {
	b := control.NewButton(lang.L("Visible"), nil, func() { h.dial() })
	b.Importance = widget.LowImportance
	b.Hidden = h.dial == nil
	b.OnHover = func(in bool) {
		if !in {
			h.leave()
		} else if h.dial != nil {
			h.help(lang.L("Stop before visible objects fade"), lang.L("Searches for the highest strength at which virtual lesions that are visible keep 90 % of their contrast, and the noise keeps 0.9 of its mean frequency: below that it looks like plastic."))
		}
	}
	return b
}

func showDial(b *control.Button, s Snapshot) {
	text := lang.L("Visible")
	if s.Dialling {
		text = lang.L("Cancel")
	}
	if b.Text != text {
		b.SetText(text)
	}
	control.SetEnabled(b, s.CanDial)
}

// showFar says below the dial up to where visible objects stay; amber if it is beyond.
func showFar(l *widget.Label, bound, value float64) {
	text, importance := lang.L("Visible: the highest strength at which small lesions keep 90 % of their contrast."), widget.LowImportance
	switch {
	case bound >= denoise.MixStrength.Max:
		text, importance = lang.L("Visible objects stay at every strength."), widget.SuccessImportance
	case bound > 0 && value > bound:
		text, importance = fmt.Sprintf(lang.L("Visible objects stay up to %.0f, and fade beyond."), bound), widget.WarningImportance
	case bound > 0:
		text, importance = fmt.Sprintf(lang.L("Visible objects stay up to %.0f, and fade beyond."), bound), widget.SuccessImportance
	}
	if l.Text != text || l.Importance != importance {
		l.Importance = importance
		l.SetText(text)
	}
}

// refusal says in a sentence why a typed text is no value.
func refusal(p denoise.Param, text string, err error) string {
	if text = strings.TrimSpace(text); text == "" {
		return lang.L("Type a number; the value stays as it was.")
	}
	why := language.Of(message.Unnamed(err, func(name string) bool { return name == p.Name })) // the row has its name
	if said, ok := strings.CutPrefix(why, text+" "); ok {
		return fmt.Sprintf(lang.L("“%s” %s; the value stays as it was."), text, said)
	}
	return fmt.Sprintf(lang.L("“%s” is not taken: %s; the value stays as it was."), text, why)
}

// position returns a value's place on a slider; of a list, its first entry's.
func position(v denoise.Value) float64 {
	if list := v.Floats(); len(list) > 0 {
		return list[0]
	}
	return v.Float()
}

// manual turns the shown automatic value into one to edit: a radius that
// is equal on all axes becomes a single number.
func manual(p denoise.Param, resolved denoise.Value) denoise.Value {
	if resolved.IsAuto() {
		return p.Default
	}
	if resolved.IsSigmas() {
		return denoise.Sigmas(shortened(resolved.Float()))
	}
	if list := resolved.Ints(); p.Kind == denoise.Ints {
		if len(list) == 3 && list[0] == list[1] && (list[2] == list[0] || list[2] == 0) {
			return denoise.List(list[0])
		}
		return resolved
	}
	return denoise.Number(shortened(resolved.Float()))
}

// short writes an end of a slider.
func short(x float64) string {
	if x >= 1000 && x < 1e6 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return language.Number(strconv.FormatFloat(x, 'g', 3, 64))
}

// shortened rounds to the digits that are shown.
func shortened(x float64) float64 {
	short, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64)
	return short
}

// The units beside a field, apart from the volume's own.
const (
	sigmaUnit   = "σ"
	percentUnit = "%"
)

// units returns the units in which a parameter in the volume's unit can be given.
func units(p denoise.Param, unit string, f denoise.Facts) []string {
	var all []string
	if f.Noise.Sigma > 0 {
		all = append(all, sigmaUnit)
	}
	all = append(all, unit)
	if p.Percent {
		all = append(all, percentUnit)
	}
	return all
}

// unitOf returns the unit in which v counts.
func unitOf(v denoise.Value, unit string) string {
	switch {
	case v.IsSigmas():
		return sigmaUnit
	case v.IsPercent():
		return percentUnit
	}
	return unit
}

// elsewhere returns a value in another unit: "= 17.5 HU" for one in
// sigmas or in percent, "= 1.2 σ" for one in the volume's unit; "" if it cannot
// be said. A value that stands in for 0 removes nothing, as auto does if there is
// hardly any noise, or if it is not known.
func elsewhere(p denoise.Param, auto bool, shown, resolved denoise.Value, unit string, f denoise.Facts) string {
	_, _, unknown := f.Noise.Unknown()
	switch {
	case p.Unit != "value" || resolved.IsAuto() || resolved.IsSURE() || unitOf(resolved, unit) != unit:
		return ""
	case resolved.Float() <= f.Negligible() && auto && unknown:
		return lang.L("= 0, noise unknown")
	case resolved.Float() <= f.Negligible():
		return fmt.Sprintf(lang.L("= 0 %s, removes nothing"), unit)
	case unitOf(shown, unit) != unit:
		return "= " + digits(resolved.Float()) + " " + unit
	case f.Noise.Sigma > 0:
		return "= " + digits(resolved.Float()/f.Noise.Sigma) + " " + sigmaUnit
	}
	return ""
}

// digits writes a number with three significant digits.
func digits(x float64) string {
	if math.Abs(x) >= 1000 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return language.Number(strconv.FormatFloat(x, 'g', 3, 64))
}

// convert expresses a value in another unit (sigmaUnit, percentUnit or the
// volume's), rounded to the digits that are shown. It returns v itself if the
// volume has no such unit.
func convert(v denoise.Value, to string, f denoise.Facts) denoise.Value {
	width := float64(f.Hi) - float64(f.Lo)
	if v.IsAuto() || v.IsSURE() || unitOf(v, "") == to {
		return v
	}
	x := v.Float()
	switch unitOf(v, "") {
	case sigmaUnit:
		x *= f.Noise.Sigma
	case percentUnit:
		x *= width / 100
	}
	switch {
	case to == sigmaUnit && f.Noise.Sigma > 0:
		return denoise.Sigmas(shortened(x / f.Noise.Sigma))
	case to == percentUnit && width > 0:
		return denoise.Percent(min(shortened(x/width*100), 100))
	case to == sigmaUnit || to == percentUnit || x == 0:
		return v
	}
	return denoise.Number(shortened(x))
}

// unitName returns the unit to show; "value" stands for the volume's unit.
func unitName(p denoise.Param, volumeUnit string) string {
	switch p.Unit {
	case "":
		return ""
	case "value":
	default:
		return lang.L(p.Unit)
	}
	if volumeUnit == "" {
		return lang.L("units")
	}
	return volumeUnit
}

// bounds describes the allowed range of a parameter that has a fixed one.
func bounds(p denoise.Param, unit string) string {
	if p.Kind == denoise.Choice || p.Kind == denoise.Switch || p.Unit == "value" {
		return ""
	}
	f := func(x float64) string { return language.Number(strconv.FormatFloat(x, 'g', -1, 64)) }
	if unit != "" {
		unit = " " + unit
	}
	return " " + fmt.Sprintf(lang.L("From %s to %s."), f(p.Min), f(p.Max)+unit)
}

// fixedWidth gives an object at least a width.
func fixedWidth(o fyne.CanvasObject, width float32) fyne.CanvasObject {
	ground := canvas.NewRectangle(nil)
	ground.SetMinSize(fyne.NewSize(width, 0))
	return container.NewStack(ground, o)
}
