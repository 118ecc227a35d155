package pacs

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"time"

	"quell/internal/connection"
	"quell/internal/message"
	"quell/io/attributes"
	"quell/io/dimse"
)

// studyTerms are the conditions that the DICOM network looks at on the level of a study (PS3.4 table C.6-1, C.6-2);
// all others belong to series.
var studyTerms = map[string]bool{
	"PatientName": true, "PatientID": true, "PatientBirthDate": true, "PatientSex": true, "StudyDate": true, "StudyTime": true, "AccessionNumber": true,
	"StudyID": true, "StudyInstanceUID": true, "StudyDescription": true, "ReferringPhysicianName": true, "ModalitiesInStudy": true,
}

// within does something over an association, which it ends.
func (n *network) within(ctx context.Context, contexts []dimse.Context, do func(*dimse.Association) error) error {
	a, err := dimse.Dial(ctx, n.node, n.config, contexts)
	if err != nil {
		return err
	}
	if err := do(a); err != nil {
		a.Abort()
		return err
	}
	_ = a.Release(ctx) // every answer is there
	return nil
}

// search looks by C-FIND. The Study Root is searched from above: for series, first the studies, then each of
// them.
func (n *network) search(ctx context.Context, q Query, include []string) (found attributes.Results, err error) {
	asked := attributes.Query{Match: q.Match, Include: include, Most: q.Most}
	if err := asked.Check(); err != nil {
		return found, err
	}
	err = n.within(ctx, dimse.FindContexts(), func(a *dimse.Association) (err error) {
		switch q.Level {
		case Studies:
			found, err = a.Studies(ctx, asked)
		case Series:
			found, err = series(ctx, a, q.Study, asked)
		default:
			found, err = a.Instances(ctx, q.Study, q.Series, asked)
		}
		return err
	})
	return found, err
}

// mostStudies is how many studies are looked through for series.
const mostStudies = 2000

// series searches the studies that conditions leave, and then the series of each. A series gets the attributes
// of its study.
func series(ctx context.Context, a *dimse.Association, study string, q attributes.Query) (attributes.Results, error) {
	above := attributes.Query{Match: map[string]string{}, Most: mostStudies}
	below := attributes.Query{Match: map[string]string{}, Include: withoutStudyTerms(q.Include)}
	for name, value := range q.Match {
		if studyTerms[name] {
			above.Match[name] = value
		} else {
			below.Match[name] = value
		}
	}
	if m := q.Match["Modality"]; m != "" {
		above.Match["ModalitiesInStudy"] = cmp.Or(q.Match["ModalitiesInStudy"], m)
	}
	if study != "" {
		above.Match["StudyInstanceUID"] = study
	}
	if len(above.Match) == 0 {
		return attributes.Results{}, message.Errorf(message.UsageRefused, "the DICOM network finds series by their study; give its UID, a patient, a date or a modality")
	}
	studies, err := a.Studies(ctx, above)
	if err != nil {
		return attributes.Results{}, err
	}
	all := attributes.Results{More: studies.More}
	for _, s := range studies.Found {
		if len(all.Found) == q.Most {
			all.More = true
			break
		}
		below.Most = q.Most - len(all.Found)
		found, err := a.Series(ctx, s.Text(attributes.StudyInstanceUID), below)
		if err != nil {
			return attributes.Results{}, err
		}
		for _, d := range found.Found {
			merged := maps.Clone(s)
			maps.Copy(merged, d)
			all.Found = append(all.Found, merged)
		}
		all.More = all.More || found.More
	}
	return all, nil
}

// withoutStudyTerms returns attributes that a search of series may ask for.
func withoutStudyTerms(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return studyTerms[name] })
}

// retrieve gets instances by C-GET. The kinds of objects are looked up first, as the association has to offer
// them.
func (n *network) retrieve(ctx context.Context, s selection, each func(io.Reader) error) error {
	found, err := n.search(ctx, Query{Level: Instances, Study: s.study, Series: s.series, Most: MostInstances}, nil)
	if err != nil {
		return err
	}
	var classes []string
	for _, d := range found.Found {
		if c := d.Text(attributes.SOPClassUID); c != "" && !slices.Contains(classes, c) {
			classes = append(classes, c)
		}
	}
	r := attributes.Retrieval{Study: s.study, Series: s.series, Instance: s.instance, Want: s.want, MostParts: s.want}
	return n.within(ctx, dimse.GetContexts(classes...), func(a *dimse.Association) error {
		_, err := a.Get(ctx, r, func(arrival *dimse.Arrival) error { return each(arrival) })
		return err
	})
}

// confirmWaits are the pauses between searches for what was stored: some archives index it later.
var confirmWaits = []time.Duration{0, 500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second}

// confirm searches for what the node says it stored, over the same association, which it ends. A node that does
// not let itself be searched is taken by its word.
func (n *network) confirm(ctx context.Context, a *dimse.Association, p Plan, r *Report) error {
	searchable := slices.ContainsFunc(dimse.FindContexts(), func(c dimse.Context) bool { return a.Accepts(c) == nil })
	if !searchable {
		_ = a.Release(ctx) // every file has an answer
		return nil
	}
	missing := map[string]bool{}
	order := map[[2]string]bool{}
	for i, o := range p.Objects {
		if r.Files[i].Stored && isUID(o.StudyUID) && isUID(o.SeriesUID) {
			missing[o.UID], order[[2]string{o.StudyUID, o.SeriesUID}] = true, true
		}
	}
	sent := len(missing)
	for _, wait := range confirmWaits {
		if err := connection.Pause(ctx, wait); err != nil {
			a.Abort()
			return err
		}
		for place := range order {
			found, err := a.Instances(ctx, place[0], place[1], attributes.Query{Most: MostInstances})
			var refused *dimse.Error
			if errors.As(err, &refused) {
				a.Abort()
				return nil // it is taken by its word
			}
			if err != nil {
				a.Abort()
				return err
			}
			for _, d := range found.Found {
				delete(missing, d.Text(attributes.SOPInstanceUID))
			}
		}
		if len(missing) == 0 {
			break
		}
	}
	for i, f := range r.Files {
		if missing[f.UID] {
			r.Files[i].Stored, r.Files[i].Status = false, NotFound
		}
	}
	r.Verified = sent - len(missing)
	_ = a.Release(ctx) // every file has an answer
	return nil
}
