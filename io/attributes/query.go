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

// Retrieval names objects to retrieve, and limits their size.
type Retrieval struct {
	Study, Series string
	Instance      string // "" for every instance of the series; of a study only with a series
	// Want is how many instances there must be, such as NumberOfSeriesRelatedInstances; 0 if it
	// is not known. A number that differs is an error, after the parts were handed over.
	Want int

	MostParts     int   // instances; 65,536 if 0
	MostPartBytes int64 // of one part; 4 GiB if 0
	MostBytes     int64 // of the whole answer; 64 GiB if 0
}

// WithDefaults returns the retrieval with the limits that are not given.
func (r Retrieval) WithDefaults() Retrieval {
	if r.MostParts <= 0 {
		r.MostParts = 1 << 16
	}
	if r.MostPartBytes <= 0 {
		r.MostPartBytes = 4 << 30
	}
	if r.MostBytes <= 0 {
		r.MostBytes = 64 << 30
	}
	if r.Instance != "" && r.Want == 0 {
		r.Want = 1
	}
	return r
}

// maxUID is the length of VR UI.
const maxUID = 64

var uidForm = regexp.MustCompile(`^[0-9]+(\.[0-9]+)*$`)

// CheckUIDs refuses texts that are no UID (PS3.5 section 9.1). Components with leading zeros exist, and pass.
func CheckUIDs(uids ...string) error {
	for _, uid := range uids {
		if len(uid) > maxUID || !uidForm.MatchString(uid) {
			return message.Errorf(message.UsageRefused, "a UID consists of digits and single dots, at most %d of them", maxUID)
		}
	}
	return nil
}
