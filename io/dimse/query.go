package dimse

import (
	"context"
	"io"
	"slices"
	"time"

	"quell/internal/message"
	"quell/io/attributes"
)

// SOP classes of the Study Root (PS3.4 annex C), by which archives are searched.
const (
	studyRootFind = "1.2.840.10008.5.1.4.1.2.2.1"
	studyRootGet  = "1.2.840.10008.5.1.4.1.2.2.3"
)

// FindContexts are the contexts of Studies, Series and Instances.
func FindContexts() []Context { return queryContexts(studyRootFind) }

func queryContexts(class string) []Context {
	return []Context{{class, attributes.ExplicitLE}, {class, attributes.ImplicitLE}}
}

// queryContext returns the ID and the syntax of the first context of a class that was accepted.
func (a *Association) queryContext(class string) (id byte, syntax string, err error) {
	for _, c := range queryContexts(class) {
		if id, refused := a.accepted(c); refused == nil {
			return id, c.Syntax, nil
		} else if err == nil && slices.Contains(a.contexts, c) {
			err = refused
		}
	}
	if err == nil {
		_, err = a.accepted(Context{class, attributes.ImplicitLE})
	}
	return 0, "", err
}

// What every search asks for besides the caller's attributes: the ones that DICOMweb returns anyway.
var returned = map[string][]string{
	"STUDY": {
		"StudyDate", "StudyTime", "AccessionNumber", "ModalitiesInStudy", "StudyDescription", "PatientName", "PatientID", "PatientBirthDate", "PatientSex",
		"StudyInstanceUID", "StudyID", "NumberOfStudyRelatedSeries", "NumberOfStudyRelatedInstances",
	},
	"SERIES": {"Modality", "SeriesDescription", "SeriesInstanceUID", "SeriesNumber", "NumberOfSeriesRelatedInstances"},
	"IMAGE":  {"SOPClassUID", "SOPInstanceUID", "InstanceNumber", "Rows", "Columns", "NumberOfFrames"},
}

// Studies searches studies (C-FIND). A result has a StudyInstanceUID. The association needs
// FindContexts. If the context ends, the search is cancelled (C-CANCEL) and its error returned.
func (a *Association) Studies(ctx context.Context, q attributes.Query) (attributes.Results, error) {
	return a.find(ctx, "STUDY", attributes.StudyInstanceUID, q, nil)
}

// Series searches the series of a study. A result has a SeriesInstanceUID.
func (a *Association) Series(ctx context.Context, study string, q attributes.Query) (attributes.Results, error) {
	if err := attributes.CheckUIDs(study); err != nil {
		return attributes.Results{}, err
	}
	return a.find(ctx, "SERIES", attributes.SeriesInstanceUID, q, map[string]string{"StudyInstanceUID": study})
}

// Instances searches the instances of a series. A result has a SOPInstanceUID.
func (a *Association) Instances(ctx context.Context, study, series string, q attributes.Query) (attributes.Results, error) {
	if err := attributes.CheckUIDs(study, series); err != nil {
		return attributes.Results{}, err
	}
	return a.find(ctx, "IMAGE", attributes.SOPInstanceUID, q, map[string]string{"StudyInstanceUID": study, "SeriesInstanceUID": series})
}

// Limits of the memory of a search.
const (
	maxIdentifier = 1 << 20  // bytes of one result
	maxFound      = 32 << 20 // bytes of all
	// grace is how long the node has to end what was cancelled.
	grace = 5 * time.Second
)

// maxIgnored bounds the results that still arrive after a search was cancelled. It is less in tests.
var maxIgnored = 10000

func (a *Association) find(ctx context.Context, level string, unique attributes.Tag, q attributes.Query, above map[string]string) (attributes.Results, error) {
	id, syntax, err := a.queryContext(studyRootFind)
	if err != nil {
		return attributes.Results{}, err
	}
	q.Match = merged(q.Match, above)
	q.Include = slices.Concat(q.Include, returned[level])
	identifier, err := encoded(q, level, syntax)
	if err != nil {
		return attributes.Results{}, err
	}
	s := search{a: a, id: id, syntax: syntax, unique: unique, most: q.Most, left: maxFound}
	err = a.cancellable(ctx, id, func() error {
		if err := a.request(id, queryRequest(a.message, commandFind, studyRootFind), identifier); err != nil {
			return err
		}
		return s.collect()
	})
	if err != nil {
		return attributes.Results{}, err
	}
	return s.results, nil
}

func merged(a, b map[string]string) map[string]string {
	all := map[string]string{}
	for _, m := range []map[string]string{a, b} {
		for k, v := range m {
			all[k] = v
		}
	}
	return all
}

func encoded(q attributes.Query, level, syntax string) ([]byte, error) {
	d, err := q.Identifier(level)
	if err != nil {
		return nil, err
	}
	return d.Encode(syntax)
}

// request sends a command with a data set.
func (a *Association) request(id byte, command, identifier []byte) error {
	if err := a.send(id, true, command); err != nil {
		return err
	}
	return a.send(id, false, identifier)
}

// cancellable does a command with answers that may take long. If the context ends, the node is asked to
// end the command and has a short time for it; then the connection is of no use.
func (a *Association) cancellable(ctx context.Context, id byte, step func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	a.message++
	message := a.message
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		a.endIn(min(grace, a.timeout))
		_ = a.write(a.cancelUnit(id, message)) // if it fails, reading does too
	})
	err := step()
	if !stop() {
		<-done
		a.endIn(0)
	}
	if err != nil {
		return failure(ctx, a.peer, a.timeout, adviseLog, err)
	}
	return ctx.Err()
}

func (a *Association) cancelUnit(id byte, message uint16) []byte {
	set := cancelRequest(message)
	return append(appendValueHeader(nil, id, true, true, len(set)), set...)
}

// search collects the answers to C-FIND.
type search struct {
	a       *Association
	id      byte
	syntax  string
	unique  attributes.Tag
	most    int
	left    int64
	results attributes.Results
}

// collect reads answers until the last one, or cancels after most of them.
func (s *search) collect() error {
	for {
		r, err := s.a.answered(s.id, commandFind)
		if err != nil {
			return err
		}
		if !r.status.pending() {
			return s.a.ended(s.id, r, "the search")
		}
		if len(s.results.Found) == s.most {
			s.results.More = true
			return s.cancel(r)
		}
		if err := s.add(r); err != nil {
			return err
		}
	}
}

// add reads a result.
func (s *search) add(r command) error {
	if !r.hasDataset {
		return protocolErrorf("a result without attributes")
	}
	b, err := io.ReadAll(&dataset{l: &s.a.link, id: s.id, left: min(s.left, maxIdentifier)})
	if err == errTooLarge { //nolint:errorlint // our own
		return &Error{Node: s.a.peer, Problem: message.New(message.InputTooLarge, "it sends more results than are held at a time"), Advice: message.Text("narrow the search"), Err: err}
	}
	if err != nil {
		return err
	}
	s.left -= int64(len(b))
	d, err := attributes.Decode(b, s.syntax)
	if err != nil {
		return protocolErrorf("a result that cannot be read (%v)", err)
	}
	if attributes.CheckUIDs(d.Text(s.unique)) != nil {
		return protocolErrorf("a result without a UID")
	}
	s.results.Found = append(s.results.Found, d)
	return nil
}

// cancel asks the node to send no more, and passes over what it sends still.
func (s *search) cancel(r command) error {
	if err := s.a.write(s.a.cancelUnit(s.id, s.a.message)); err != nil {
		return err
	}
	for range maxIgnored {
		if err := s.a.ignore(s.id, r); err != nil {
			return err
		}
		if !r.status.pending() {
			return nil // whatever it says: the results are there
		}
		var err error
		if r, err = s.a.answered(s.id, commandFind); err != nil {
			return err
		}
	}
	return protocolErrorf("results without end")
}

// ignore passes over the data set of an answer.
func (a *Association) ignore(id byte, r command) error {
	if !r.hasDataset {
		return nil
	}
	_, err := io.Copy(io.Discard, &dataset{l: &a.link, id: id, left: maxIdentifier})
	if err == errTooLarge { //nolint:errorlint // our own
		err = protocolErrorf("an answer of more than %d bytes", maxIdentifier)
	}
	return err
}

// ended words the last answer to a query.
func (a *Association) ended(id byte, r command, what string) error {
	if err := a.ignore(id, r); err != nil {
		return err
	}
	if r.status == 0 {
		return nil
	}
	e := &Error{Node: a.peer, Problem: message.New(message.NetworkRefused, "%s was refused (%v)", message.Word(what), r.status.refusal())}
	if r.comment != "" {
		e.Problem = message.New(message.NetworkRefused, "%s was refused (%v: %q)", message.Word(what), r.status.refusal(), r.comment)
	}
	if r.status.busy() {
		e.Advice = message.Text("try again later")
	}
	return e
}
