package ui

import (
	"fmt"
	"path"
	"strings"
	"time"

	"quell/series"
)

// who says in lines whose picture it is: patient, study, series. Where hide is set it
// says that alone.
func who(s *series.Series, hide bool) (lines []string) {
	if hide {
		return []string{"Identity hidden"}
	}
	patient := strings.Join(strings.FieldsFunc(s.Patient, func(r rune) bool { return r == '^' || r == ' ' || r == '=' }), " ")
	return present(
		patient,
		joined(s.PatientID, s.Sex, date("born ", s.BirthDate)),
		joined(date("", s.StudyDate), s.Study),
		joined(numbered("series ", s.Number), s.Description),
	)
}

// how says in lines how the series was acquired. A series with one file names it, unless
// hide is set: names of files may be names of patients.
func how(s *series.Series, hide bool) (lines []string) {
	spacing := s.Volume.Spacing
	file := ""
	if len(s.Sources) == 1 && !hide {
		file = path.Base(s.Sources[0].Name)
	}
	return present(
		joined(s.Kernel, s.Technique),
		fmt.Sprintf("%s mm · %s mm", short(spacing[2]), short(spacing[0])),
		file,
	)
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
