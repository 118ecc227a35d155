package wording

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2/lang"

	"quell/app/job"
	"quell/app/open"
	"quell/series"
	"quell/ui/language"
	"quell/ui/session/documents"
)

// Present returns the texts that are not empty.
func Present(texts ...string) (lines []string) {
	for _, t := range texts {
		if t != "" {
			lines = append(lines, t)
		}
	}
	return lines
}

// Joined joins the texts that are not empty in one line.
func Joined(texts ...string) string { return strings.Join(Present(texts...), " · ") }

// Numbered writes a name and its number; "" without a number.
func Numbered(name, number string) string {
	if number == "" {
		return ""
	}
	return name + number
}

// Date writes a date of DICOM as 2015-02-06 behind a word; "" if it is none.
func Date(word, dicom string) string {
	day, err := time.Parse("20060102", dicom)
	if err != nil {
		return ""
	}
	return word + day.Format(time.DateOnly)
}

// Slices is a number of slices in words.
func Slices(n int) string { return Counted(n, lang.L("1 slice"), lang.L("%d slices")) }

// Series names an open series in a few words, without its identity if hide is
// set.
func Series(d documents.Listed, hide bool) string {
	switch {
	case d.Path == "":
		return lang.L("bundled series")
	case hide:
		return strings.TrimSpace(d.Meta.Modality + " " + open.DimsText(d.Dims))
	}
	return cmp.Or(d.Name, filepath.Base(d.Path)) // of one that a project lists and that was not read again yet
}

// Distinct names open series i as Series does, and by patient and date, or by its place in the list, if another one has the
// same name.
func Distinct(open []documents.Listed, i int, hide bool) string {
	numbered := func(k int) string { return fmt.Sprintf(lang.L("%s (%d of %d)"), Series(open[k], hide), k+1, len(open)) }
	names := []func(k int) string{func(k int) string { return Series(open[k], hide) }, numbered}
	if !hide {
		names = slices.Insert(names, 1, func(k int) string {
			return Joined(Series(open[k], false), open[k].Meta.Patient, Date("", open[k].Meta.StudyDate))
		})
	}
	for _, name := range names {
		same := 0
		for k := range open {
			if name(k) == name(i) {
				same++
			}
		}
		if same == 1 {
			return name(i)
		}
	}
	return numbered(i)
}

// SeriesHint says in a line what an open series is and in what state.
func SeriesHint(d documents.Listed, hide bool) string {
	parts := []string{Series(d, hide)}
	if !hide {
		parts = append(parts, d.Meta.Patient, Date("", d.Meta.StudyDate))
		if file := filepath.Base(d.Path); d.Path != "" && file != d.Name {
			parts = append(parts, file)
		}
	}
	if dims := open.DimsText(d.Dims); !strings.Contains(parts[0], dims) {
		parts = append(parts, dims)
	}
	parts = append(parts, map[documents.DocumentState]string{
		documents.Running: lang.L("being filtered"), documents.Unexported: lang.L("a result that was not exported"), documents.Exported: lang.L("results exported"),
	}[d.State])
	if d.Away {
		parts = append(parts, lang.L("read again when it is shown"))
	} else {
		parts = append(parts, language.Number(job.Bytes(d.Bytes)))
	}
	return Joined(parts...)
}

// Summary describes a series in a line: modality, description unless that is hidden,
// size, spacing.
func Summary(s *series.Series, hidden bool) string {
	v := s.Volume
	name := s.Modality
	if !hidden {
		name = strings.TrimSpace(name + " " + s.Description)
	}
	if name == "" {
		name = s.Format
	}
	return fmt.Sprintf("%s  %d×%d×%d  %s×%s×%s mm", name, v.Dims[0], v.Dims[1], v.Dims[2],
		Short(v.Spacing[0]), Short(v.Spacing[1]), Short(v.Spacing[2]))
}
