package workbench

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"quell/app/files"
	"quell/app/open"
	"quell/denoise"
	"quell/internal/clean"
	"quell/series"
)

// maxNamePart bounds the share of a series' description in a file name, in characters.
const maxNamePart = 32

// OutputName suggests a name, without an ending, for the result of a recipe on a series: modality,
// date of the study, number and description of the series, filter and dimensionality. It has no
// words of the patient's name or ID. If hide is set, a keyed pseudonym of the series takes the
// place of everything that its files say. Other formats than DICOM give no study and no series,
// and the name of their file may name the patient.
func OutputName(s *series.Series, r denoise.Recipe, hide bool) string {
	parts := []string{nameOf(s, hide)}
	if r.Filter != "" {
		parts = append(parts, r.Filter, fmt.Sprintf("%dd", r.Dims))
	}
	return strings.Join(parts, "-")
}

// nameOf names a series in a file name.
func nameOf(s *series.Series, hide bool) string {
	modality := strings.ToLower(s.Modality)
	if !slices.Contains([]string{"ct", "mr", "pt", "nm", "us", "xa"}, modality) {
		modality = "volume" // it could be any text
	}
	parts := []string{modality}
	switch {
	case !files.FormatNamed(s.Format).Identity:
	case hide:
		parts = append(parts, seriesPseudonym(s.Meta))
	default:
		if date := strings.Trim(s.StudyDate, " "); len(date) == 8 && strings.Trim(date, "0123456789") == "" {
			parts = append(parts, date)
		}
		if number := strings.Join(words(s.Number), "-"); number != "" {
			parts = append(parts, "s"+number)
		}
		parts = append(parts, descriptionName(s.Meta))
	}
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	return strings.Join(parts, "-")
}

// descriptionName is the description of a series for a file name, without words of the patient.
func descriptionName(m series.Meta) string {
	private := append(words(m.Patient), words(m.PatientID)...)
	if m.BirthDate != "" {
		private = append(private, m.BirthDate)
	}
	name := ""
	for _, word := range words(m.Description) {
		if slices.ContainsFunc(private, func(p string) bool {
			const distinct = 4 // characters; a shorter word may be a part of any other
			return word == p || utf8.RuneCountInString(p) >= distinct && strings.Contains(word, p)
		}) {
			continue
		}
		longer := strings.TrimPrefix(name+"-"+word, "-")
		if utf8.RuneCountInString(longer) > maxNamePart {
			return cmp.Or(name, string([]rune(word)[:maxNamePart]))
		}
		name = longer
	}
	return name
}

// words returns the words of a text in lower case: runs of letters and digits, which no file
// system and no shell takes for anything else.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) || !clean.Safe(r) || r == utf8.RuneError
	})
}

// seriesPseudonym is a keyed pseudonym of a series, the same each time on one account.
func seriesPseudonym(m series.Meta) string {
	key, _ := open.PseudonymKey() // one that cannot be stored serves this once
	h := hmac.New(sha256.New, key)
	h.Write([]byte(strings.Join([]string{"output-name", m.UID, m.PatientID, m.StudyDate, m.Number, m.Description}, "\x00")))
	return hex.EncodeToString(h.Sum(nil)[:4])
}

// Proposals are paths for an export of a run. Nothing stands there, or an earlier export of the same.
type Proposals struct {
	DICOM        string            // a folder
	Deidentified string            // a folder, without what the source's files say
	Files        map[string]string // of one file, by their endings: those of files.Offered
}

// Propose returns paths in folder for an export of the run that e describes. It reads what
// stands there, so it is not for the UI goroutine.
func (e *Exporting) Propose(folder string, hide bool) Proposals {
	path := func(hide bool, ending string) string {
		return FreePath(filepath.Join(folder, OutputName(e.Run.Source, e.Run.Recipe, hide)), ending, func(path string) bool {
			there, ok := e.Existing(path)
			return ok && there.Same
		})
	}
	p := Proposals{DICOM: path(hide, ""), Deidentified: path(true, ""), Files: map[string]string{}}
	for _, f := range files.Offered() {
		p.Files[f.Proposed] = path(hide, f.Proposed)
	}
	return p
}

// FreePath returns base+ending, or with a number before the ending, a path at which nothing
// stands, or what does may be replaced. A record without its output is not replaced either.
func FreePath(base, ending string, replaceable func(path string) bool) string {
	for n := 1; ; n++ {
		path := base + ending
		if n > 1 {
			path = fmt.Sprintf("%s-%d%s", base, n, ending)
		}
		const tries = 10000 // a folder that cannot be read shows nothing as free
		if !files.Exists(path) && !files.Exists(path+files.RecordSuffix) || n == tries || replaceable != nil && replaceable(path) {
			return path
		}
	}
}
