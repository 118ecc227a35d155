package attributes

import (
	"regexp"
	"strings"
	"unicode"

	"quell/internal/message"
)

// Query is a search, by whatever protocol.
type Query struct {
	// Match has the values that attributes must have: keywords of the data dictionary, such as
	// PatientName, or eight digits. Values may hold * and ? and be a range of dates.
	Match map[string]string
	// Include are further attributes to be returned; servers return others anyway. DICOMweb
	// knows "all" too.
	Include []string
	// Most is the most results to be returned, at least 1.
	Most int
}

// Results are the findings of a search.
type Results struct {
	Found []Dataset
	More  bool // there are more than Query.Most
}

// All asks DICOMweb for every attribute.
const All = "all"

var attributeForm = regexp.MustCompile(`^([A-Z][A-Za-z0-9]{1,63}|[0-9A-Fa-f]{8})(\.([A-Z][A-Za-z0-9]{1,63}|[0-9A-Fa-f]{8}))*$`)

// longestValue is in bytes.
const longestValue = 1024

// Check refuses what no search can ask. Its errors hold no value.
func (q Query) Check() error {
	for name, value := range q.Match {
		if !attributeForm.MatchString(name) {
			return message.Errorf(message.UsageRefused, "a search term is no attribute; give a keyword such as PatientID")
		}
		if len(value) > longestValue || strings.ContainsFunc(value, unicode.IsControl) {
			return message.Errorf(message.UsageRefused, "the value of %s is too long or has control characters", name)
		}
	}
	for _, name := range q.Include {
		if name != All && !attributeForm.MatchString(name) {
			return message.Errorf(message.UsageRefused, "an attribute to be returned is no attribute; give a keyword such as PatientID")
		}
	}
	if q.Most < 1 {
		return message.Errorf(message.UsageRefused, "a search returns at least one result, not %d", q.Most)
	}
	return nil
}
