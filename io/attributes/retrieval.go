package attributes

import (
	"regexp"

	"quell/internal/message"
)

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
