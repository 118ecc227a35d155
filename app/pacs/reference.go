package pacs

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"quell/app/job"
)

// Scheme begins every reference.
const Scheme = "pacs:"

// Reference is what stands in the place of a path:
//
//	pacs:NODE                       the place itself, to send to
//	pacs:NODE/SERIES-UID            a series
//	pacs:NODE/STUDY-UID/SERIES-UID  the same, for archives that search a series by its study alone
//	pacs:NODE?Modality=CT&...       every series that a query finds
type Reference struct {
	Place         string
	Study, Series string
	Match         map[string]string // nil for no query
}

var uidForm = regexp.MustCompile(`^[0-9]+(\.[0-9]+)*$`)

// maxUID is the most characters of a UID (PS3.5 section 9.1).
const maxUID = 64

func isUID(s string) bool { return len(s) <= maxUID && uidForm.MatchString(s) }

// IsReference reports whether a text is one. A file of such a name is given as ./pacs:NAME.
func IsReference(text string) bool { return strings.HasPrefix(text, Scheme) }

// ParseReference reads a reference, with or without its scheme. Errors are *job.UsageError; they do
// not quote values of a query, which may be a patient's.
func ParseReference(text string) (Reference, error) {
	rest, query, asks := strings.Cut(strings.TrimPrefix(text, Scheme), "?")
	parts := strings.Split(rest, "/")
	r := Reference{Place: parts[0]}
	switch uids := parts[1:]; {
	case !placeName.MatchString(r.Place):
		return r, job.Usagef("%s names no PACS node; give pacs:NODE/SERIES-UID, see quell pacs --help", Scheme)
	case len(uids) == 1:
		r.Series = uids[0]
	case len(uids) == 2:
		r.Study, r.Series = uids[0], uids[1]
	case len(uids) > 2:
		return r, job.Usagef("pacs:%s has too many parts; give pacs:NODE/SERIES-UID or pacs:NODE/STUDY-UID/SERIES-UID", r.Place)
	}
	if len(parts) > 1 && (!isUID(r.Series) || r.Study != "" && !isUID(r.Study)) {
		return r, job.Usagef("what follows pacs:%s/ is no UID; it consists of digits and single dots, at most %d of them", r.Place, maxUID)
	}
	if !asks {
		return r, nil
	}
	if len(parts) > 1 {
		return r, job.Usagef("pacs:%s has a UID and a query; give one of them", r.Place)
	}
	return r, r.readQuery(query)
}

// Reference returns what names a series of a place that is kept; "" for another place.
func (r Row) Reference(at Place) string {
	if at.Name == "" || r.Series == "" {
		return ""
	}
	return Scheme + strings.Join(slices.DeleteFunc([]string{at.Name, r.Study, r.Series}, func(part string) bool { return part == "" }), "/")
}

// OpenReference opens the place of a reference to a series, and returns the series. Errors are of ParseReference and
// Open, and a *job.UsageError for a place that is not kept or no series.
func OpenReference(text string) (*Archive, Row, error) {
	r, err := ParseReference(text)
	if err != nil {
		return nil, Row{}, err
	}
	if r.Series == "" {
		return nil, Row{}, job.Usagef("pacs:%s names no series; give pacs:NODE/SERIES-UID", r.Place)
	}
	place, err := FindPlace(r.Place)
	if err != nil {
		return nil, Row{}, err
	}
	archive, err := place.Open()
	return archive, Row{Study: r.Study, Series: r.Series}, err
}

func (r *Reference) readQuery(query string) error {
	values, err := url.ParseQuery(query)
	if err != nil || len(values) == 0 {
		return job.Usagef("the query of pacs:%s is malformed; give pairs such as Modality=CT&StudyDate=20260101-20260131, with %%26 for an ampersand", r.Place)
	}
	r.Match = map[string]string{}
	for name, all := range values {
		if len(all) != 1 {
			return job.Usagef("the query of pacs:%s has %s more than once", r.Place, name)
		}
		r.Match[name] = all[0]
	}
	return nil
}
