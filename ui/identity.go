package ui

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2/lang"

	"quell/series"
	"quell/ui/language"
	"quell/ui/viewer"
)

// cornerLine is a line of an upper corner, which the user can leave out.
type cornerLine struct {
	name string // in menu and settings
	text func(s *series.Series) string
}

// whoLines say whose picture it is.
var whoLines = []cornerLine{
	{"Patient", func(s *series.Series) string {
		return strings.Join(strings.FieldsFunc(s.Patient, func(r rune) bool { return r == '^' || r == ' ' || r == '=' }), " ")
	}},
	{"ID, sex, date of birth", func(s *series.Series) string { return joined(s.PatientID, s.Sex, date(lang.L("born "), s.BirthDate)) }},
	{"Study", func(s *series.Series) string { return joined(date("", s.StudyDate), s.Study) }},
	{"Series", func(s *series.Series) string { return joined(numbered(lang.L("series "), s.Number), s.Description) }},
}

// fileLine names the file of a series with one.
var fileLine = cornerLine{"File", func(s *series.Series) string {
	if len(s.Sources) != 1 {
		return ""
	}
	return path.Base(s.Sources[0].Name)
}}

// howLines say how the series was acquired.
var howLines = []cornerLine{
	{"Kernel, kV, TR and TE", func(s *series.Series) string { return joined(s.Kernel, language.Number(s.Technique)) }},
	{"Thickness and size of a pixel", func(s *series.Series) string {
		return fmt.Sprintf("%s mm · %s mm", short(s.Volume.Spacing[2]), short(s.Volume.Spacing[0]))
	}},
	fileLine,
}

// The lines of the lower corners, which the user can leave out too.
const (
	zoomLine   = "Zoom"
	windowLine = "Window and level"
	sliceLine  = "Slice"
	valueLine  = "Value under the pointer"
	placeLine  = "Position of the pointer"
)

// cornerLines returns the names of the lines of all corners, in menu and settings.
func cornerLines() (names []string) {
	for _, line := range slices.Concat(whoLines, howLines) {
		names = append(names, line.name)
	}
	return append(names, zoomLine, windowLine, sliceLine, valueLine, placeLine)
}

// identity is what the corners say, and how they name a series.
type identity struct {
	hidden  bool     // the patient's identity is
	without []string // names of lines that are left out
}

// who says in lines whose picture it is: patient, study, series. Where the identity is hidden it
// says that alone.
func (i identity) who(s *series.Series) []string {
	if i.hidden {
		return []string{lang.L("Identity hidden")}
	}
	return i.lines(whoLines, s)
}

// how says in lines how the series was acquired. It does not name the file where the identity is
// hidden: names of files may be names of patients.
func (i identity) how(s *series.Series) []string {
	if i.hidden {
		i.without = append(slices.Clone(i.without), fileLine.name)
	}
	return i.lines(howLines, s)
}

// foot returns the lines of the lower left corner: zoom, window, slice and value, or less where
// the overlay has less. That a picture is turned is said in any case.
func (i identity) foot(state *viewer.State, zoom, window string, index int, value string) []string {
	slice := turnText(state)
	if i.shows(sliceLine) {
		slice = sliceText(state, index)
	}
	lines := present(window, slice)
	if state.Overlay() == viewer.OverlayFull {
		lines = append(present(i.only(zoomLine, zoom), window, slice), i.only(valueLine, value))
	}
	return lines
}

// shows says whether the user wants a line.
func (i identity) shows(name string) bool { return !slices.Contains(i.without, name) }

// only returns the text of a line, "" where the user does not want it.
func (i identity) only(name, text string) string {
	if !i.shows(name) {
		return ""
	}
	return text
}

func (i identity) lines(of []cornerLine, s *series.Series) []string {
	var texts []string
	for _, line := range of {
		if i.shows(line.name) {
			texts = append(texts, line.text(s))
		}
	}
	return present(texts...)
}

// identity is how the user wants series to be named.
func (w *Workbench) identity() identity {
	return identity{hidden: w.settings.HideIdentity, without: w.settings.WithoutLines}
}

// cornerCommands choose the lines of the corners.
func (w *Workbench) cornerCommands() (out []Command) {
	for _, name := range cornerLines() {
		at := func() int { return slices.Index(w.settings.WithoutLines, name) }
		out = append(out, Command{
			Title: lang.L(name), Checked: func() bool { return at() < 0 },
			Run: func() {
				if i := at(); i >= 0 {
					w.settings.WithoutLines = slices.Delete(slices.Clone(w.settings.WithoutLines), i, i+1)
				} else {
					w.settings.WithoutLines = append(slices.Clone(w.settings.WithoutLines), name)
				}
				w.saveSettings()
				w.refresh()
			},
		})
	}
	return out
}

// present returns the texts that are not empty.
func present(texts ...string) (lines []string) {
	for _, t := range texts {
		if t != "" {
			lines = append(lines, t)
		}
	}
	return lines
}

// joined joins the texts that are not empty in one line.
func joined(texts ...string) string { return strings.Join(present(texts...), " · ") }

func numbered(name, number string) string {
	if number == "" {
		return ""
	}
	return name + number
}

// date writes a date of DICOM as 2015-02-06 behind a word; "" where it is none.
func date(word, dicom string) string {
	day, err := time.Parse("20060102", dicom)
	if err != nil {
		return ""
	}
	return word + day.Format(time.DateOnly)
}
