package pictures

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"fyne.io/fyne/v2/lang"

	"quell/series"
	"quell/ui/command"
	"quell/ui/language"
	"quell/ui/viewer"
	"quell/ui/wording"
)

// cornerLine is a line of an upper corner, which the user can leave out.
type cornerLine struct {
	name string // in menu and settings
	text func(s *series.Series) string
}

// whoLines name the patient.
var whoLines = []cornerLine{
	{"Patient", func(s *series.Series) string {
		return strings.Join(strings.FieldsFunc(s.Patient, func(r rune) bool { return r == '^' || r == ' ' || r == '=' }), " ")
	}},
	{"ID, sex, date of birth", func(s *series.Series) string {
		return wording.Joined(s.PatientID, s.Sex, wording.Date(lang.L("born "), s.BirthDate))
	}},
	{"Study", func(s *series.Series) string { return wording.Joined(wording.Date("", s.StudyDate), s.Study) }},
	{"Series", func(s *series.Series) string {
		return wording.Joined(wording.Numbered(lang.L("series "), s.Number), s.Description)
	}},
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
	{"Kernel, kV, TR and TE", func(s *series.Series) string { return wording.Joined(s.Kernel, language.Number(s.Technique)) }},
	{"Thickness and size of a pixel", func(s *series.Series) string {
		return fmt.Sprintf("%s mm · %s mm", wording.Short(s.Volume.Spacing[2]), wording.Short(s.Volume.Spacing[0]))
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

// who says in lines what the picture is: patient, study, series. If the identity is hidden it
// says that alone.
func (i identity) who(s *series.Series) []string {
	if i.hidden {
		return []string{lang.L("Identity hidden")}
	}
	return i.lines(whoLines, s)
}

// how says in lines how the series was acquired. It does not name the file if the identity is
// hidden: names of files may be names of patients.
func (i identity) how(s *series.Series) []string {
	if i.hidden {
		i.without = append(slices.Clone(i.without), fileLine.name)
	}
	return i.lines(howLines, s)
}

// foot returns the lines of the lower left corner: zoom, window, slice and value, or less if
// the overlay has less. That a picture is turned is said in any case.
func (i identity) foot(overlay viewer.Overlay, cut viewer.Cut, zoom, window string, index int, value string) []string {
	slice := wording.Turn(cut)
	if i.shows(sliceLine) {
		slice = wording.Slice(cut, index)
	}
	lines := wording.Present(window, slice)
	if overlay == viewer.OverlayFull {
		lines = append(wording.Present(i.only(zoomLine, zoom), window, slice), i.only(valueLine, value))
	}
	return lines
}

// shows says whether the user wants a line.
func (i identity) shows(name string) bool { return !slices.Contains(i.without, name) }

// only returns the text of a line, "" if the user does not want it.
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
	return wording.Present(texts...)
}

// identity is how the user wants series to be named.
func (v *Panel) identity() identity {
	return identity{hidden: v.h.Settings.HideIdentity, without: v.h.Settings.WithoutLines}
}

// cornerCommands choose the lines of the corners.
func (v *Panel) cornerCommands() (out []command.Command) {
	for _, name := range cornerLines() {
		at := func() int { return slices.Index(v.h.Settings.WithoutLines, name) }
		out = append(out, command.Command{
			Title: lang.L(name), Checked: func() bool { return at() < 0 },
			Run: func() {
				if i := at(); i >= 0 {
					v.h.Settings.WithoutLines = slices.Delete(slices.Clone(v.h.Settings.WithoutLines), i, i+1)
				} else {
					v.h.Settings.WithoutLines = append(slices.Clone(v.h.Settings.WithoutLines), name)
				}
				v.h.SaveSettings()
				v.h.Refresh()
			},
		})
	}
	return out
}
