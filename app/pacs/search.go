package pacs

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"quell/app/job"
	"quell/internal/message"
	"quell/io/attributes"
)

// Level is the level of the results of a search.
type Level string

// The levels, from above.
const (
	Studies   Level = "study"
	Series    Level = "series"
	Instances Level = "instance"
)

// Query is a search.
type Query struct {
	Level         Level
	Study, Series string            // below which; "" for all, if the archive takes that
	Match         map[string]string // see attributes.Query
	Most          int               // results; 1 at least
}

// Row is a study or a series that was found. What the archive does not say is empty.
type Row struct {
	Patient     string `json:"patient"`
	PatientID   string `json:"patient_id"`
	Date        string `json:"date"` // as DICOM writes it: 20260131
	Time        string `json:"time,omitempty"`
	Accession   string `json:"accession,omitempty"`
	Modality    string `json:"modality"` // of a study all of them, with spaces between them
	Description string `json:"description"`
	Number      string `json:"number,omitempty"` // of a series
	Study       string `json:"study_uid"`
	Series      string `json:"series_uid,omitempty"`
	SeriesCount int    `json:"series,omitempty"`    // of a study; 0 if the archive does not say it
	Instances   int    `json:"instances,omitempty"` // the same
}

// Found is the result of a search.
type Found struct {
	Rows []Row `json:"rows"` // studies from the newest, series by their number
	More bool  `json:"more"` // there are more than were asked for
}

// include are the attributes that a row shows; archives return further ones anyway.
var include = map[Level][]string{
	Studies: {"PatientName", "PatientID", "StudyDate", "StudyTime", "AccessionNumber", "ModalitiesInStudy", "StudyDescription", "StudyInstanceUID", "NumberOfStudyRelatedSeries", "NumberOfStudyRelatedInstances"},
	Series: {
		"PatientName", "PatientID", "StudyDate", "StudyTime", "AccessionNumber", "Modality", "SeriesDescription", "SeriesNumber",
		"StudyInstanceUID", "SeriesInstanceUID", "NumberOfSeriesRelatedInstances",
	},
	Instances: {"SOPInstanceUID", "InstanceNumber"},
}

// MostInstances is how many instances a series may have.
const MostInstances = 1 << 16

// Search looks for studies or series.
func (a *Archive) Search(ctx context.Context, q Query) (Found, error) {
	r, err := a.speak.search(ctx, q, include[q.Level])
	job.Log("search", job.Outcome(err), slog.Int("found", len(r.Found)))
	if err != nil {
		return Found{}, err
	}
	f := Found{More: r.More, Rows: make([]Row, 0, len(r.Found))}
	for _, d := range r.Found {
		f.Rows = append(f.Rows, rowOf(d, q))
	}
	slices.SortStableFunc(f.Rows, func(a, b Row) int {
		return cmp.Or(-strings.Compare(a.Date+a.Time, b.Date+b.Time), strings.Compare(a.Study, b.Study), cmp.Compare(wholeOf(a.Number), wholeOf(b.Number)))
	})
	return f, nil
}

func wholeOf(text string) int {
	n, _ := strconv.Atoi(strings.TrimSpace(text)) // other texts come first
	return n
}

func rowOf(d attributes.Dataset, q Query) Row {
	r := Row{
		Patient: d.Text(attributes.PatientName), PatientID: d.Text(attributes.PatientID),
		Date: d.Text(attributes.StudyDate), Time: d.Text(attributes.StudyTime), Accession: d.Text(attributes.AccessionNumber),
		Study: cmp.Or(d.Text(attributes.StudyInstanceUID), q.Study),
	}
	if q.Level == Studies {
		r.Modality, r.Description = strings.Join(d.Texts(attributes.ModalitiesInStudy), " "), d.Text(attributes.StudyDescription)
		r.SeriesCount, _ = d.Count(attributes.StudySeries)
		r.Instances, _ = d.Count(attributes.StudyInstances)
		return r
	}
	r.Modality, r.Description, r.Number = d.Text(attributes.Modality), d.Text(attributes.SeriesDescription), d.Text(attributes.SeriesNumber)
	r.Series = d.Text(attributes.SeriesInstanceUID)
	r.Instances, _ = d.Count(attributes.SeriesInstances)
	return r
}

// Locate returns the series of a UID; study may be "". It is an error if there is none, or if the archive does
// not name its study.
func (a *Archive) Locate(ctx context.Context, study, series string) (Row, error) {
	f, err := a.Search(ctx, Query{Level: Series, Study: study, Match: map[string]string{"SeriesInstanceUID": series}, Most: 2})
	if err != nil {
		return Row{}, err
	}
	// Some archives do not look at a condition that they do not know.
	f.Rows = slices.DeleteFunc(f.Rows, func(r Row) bool { return r.Series != series })
	if len(f.Rows) != 1 || !isUID(f.Rows[0].Study) {
		return Row{}, &job.InputError{
			Path: a.place.String(), Problem: message.New(message.InputMissing, "it has no such series"),
			Advice: message.Text("check the UID; some archives need that of the study before it, as in pacs:NODE/STUDY-UID/SERIES-UID"),
		}
	}
	return f.Rows[0], nil
}

// instances returns the UIDs of a series in the order of their numbers.
func (a *Archive) instances(ctx context.Context, r Row) ([]string, error) {
	found, err := a.speak.search(ctx, Query{Level: Instances, Study: r.Study, Series: r.Series, Most: MostInstances}, include[Instances])
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(found.Found, func(x, y attributes.Dataset) int {
		a, b := wholeOf(x.Text(attributes.InstanceNumber)), wholeOf(y.Text(attributes.InstanceNumber))
		return cmp.Or(cmp.Compare(a, b), strings.Compare(x.Text(attributes.SOPInstanceUID), y.Text(attributes.SOPInstanceUID)))
	})
	var uids []string
	for _, d := range found.Found {
		uids = append(uids, d.Text(attributes.SOPInstanceUID))
	}
	return slices.Compact(uids), nil
}
