package pacs

import (
	"regexp"
	"strings"

	"quell/internal/message"
)

// Ask is a search of a person, in words. Empty fields are no conditions.
type Ask struct {
	Patient     string // the beginning of the name, unless it holds * or ?
	PatientID   string
	Date        string // 2026-01-31 or 20260131, or two of them with a space or "to" between them
	Modality    string
	Description string // a part of the description of the series, unless it holds * or ?
}

// Everything reports whether no condition is on a study, so that all studies of an archive would have to be looked through.
func (a Ask) Everything() bool {
	return strings.TrimSpace(a.Patient+a.PatientID+a.Date+a.Modality) == ""
}

var day = regexp.MustCompile(`^([0-9]{4})-?([0-9]{2})-?([0-9]{2})$`)

// Match returns the conditions of a search.
func (a Ask) Match() (map[string]string, error) {
	m := map[string]string{}
	set := func(keyword, value, before, after string) {
		value = strings.TrimSpace(value)
		switch {
		case value == "":
		case strings.ContainsAny(value, "*?"):
			m[keyword] = value
		default:
			m[keyword] = before + value + after
		}
	}
	set("PatientName", a.Patient, "", "*")
	set("PatientID", a.PatientID, "", "")
	set("Modality", a.Modality, "", "")
	set("SeriesDescription", a.Description, "*", "*")
	var days []string
	for _, word := range strings.Fields(strings.NewReplacer(" to ", " ", " bis ", " ", "–", " ").Replace(a.Date)) {
		parts := day.FindStringSubmatch(word)
		if parts == nil {
			return nil, message.Errorf(message.UsageRefused, "a date is written as 2026-01-31, and a range as two of them")
		}
		days = append(days, strings.Join(parts[1:], ""))
	}
	if len(days) > 2 {
		return nil, message.Errorf(message.UsageRefused, "a date is written as 2026-01-31, and a range as two of them")
	}
	set("StudyDate", strings.Join(days, "-"), "", "")
	return m, nil
}
