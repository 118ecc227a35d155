package dimse

import (
	"context"
	"io"
	"slices"

	"quell/internal/message"
	"quell/io/attributes"
	"quell/io/dicom/part10"
)

// Images are the SOP classes of CT, MR and PET, of one frame and of many.
var Images = []string{
	"1.2.840.10008.5.1.4.1.1.2", "1.2.840.10008.5.1.4.1.1.2.1", "1.2.840.10008.5.1.4.1.1.4", "1.2.840.10008.5.1.4.1.1.4.1",
	"1.2.840.10008.5.1.4.1.1.128", "1.2.840.10008.5.1.4.1.1.130",
}

// Syntaxes are the transfer syntaxes in which instances are received, the plain ones first.
var Syntaxes = []string{
	part10.UIDExplicitLE, part10.UIDImplicitLE, part10.UIDJPEGLossless, "1.2.840.10008.1.2.4.57", "1.2.840.10008.1.2.4.80", "1.2.840.10008.1.2.4.81",
	"1.2.840.10008.1.2.4.90", "1.2.840.10008.1.2.4.91", part10.UIDRLE, part10.UIDJPEGBaseline, part10.UIDJPEGExtended,
	"1.2.840.10008.1.2.4.201", "1.2.840.10008.1.2.4.202", "1.2.840.10008.1.2.4.203", part10.UIDDeflatedLE, part10.UIDExplicitBE,
}

// GetContexts are the contexts of Get for instances of some SOP classes, or Images if there are none:
// every pair with Syntaxes, as far as an association has room. A class that is not among them is not
// sent, which the counts show. SOPClassUID of Instances says which are needed, "" if an archive does not.
func GetContexts(classes ...string) []Context {
	classes = slices.DeleteFunc(slices.Clone(classes), func(c string) bool { return c == "" })
	if len(classes) == 0 {
		classes = Images
	}
	all := queryContexts(studyRootGet)
	for _, s := range Syntaxes {
		for _, class := range classes {
			if len(all) < MaxContexts {
				all = append(all, Context{class, s})
			}
		}
	}
	return all
}

// received returns the SOP classes of instances that are received over the association that asked for
// them: all but that of the question.
func received(contexts []Context) (classes []string) {
	if !slices.ContainsFunc(contexts, func(c Context) bool { return c.SOPClass == studyRootGet }) {
		return nil
	}
	for _, c := range contexts {
		if c.SOPClass != studyRootGet && !slices.Contains(classes, c.SOPClass) {
			classes = append(classes, c.SOPClass)
		}
	}
	return classes
}

// Counts are the instances of a C-GET, as the node counts them.
type Counts struct {
	Remaining, Completed, Failed, Warnings int
}

// Arrival is an instance that arrives. It reads as a DICOM file: a meta header that names class, UID and
// syntax, and then the data set byte for byte as it was sent. It is of no use after the function that was
// given it has returned.
type Arrival struct {
	Context
	UID  string // SOP instance UID, as the command names it
	head []byte
	data dataset
}

func (l *link) arrival(id byte, c command, in Context, most int64) *Arrival {
	return &Arrival{
		Context: in, UID: c.instance, head: part10.AppendFileMeta(nil, in.SOPClass, c.instance, in.Syntax, ""),
		data: dataset{l: l, id: id, left: most},
	}
}

// Read implements io.Reader.
func (a *Arrival) Read(p []byte) (int, error) {
	if len(a.head) > 0 {
		n := copy(p, a.head)
		a.head = a.head[n:]
		return n, nil
	}
	return a.data.Read(p)
}

// WriteTo implements io.WriterTo: fragments are written as they arrive.
func (a *Arrival) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(a.head)
	if a.head = a.head[n:]; err != nil {
		return int64(n), err
	}
	m, err := a.data.WriteTo(w)
	return int64(n) + m, err
}

// checkArrival checks the command of C-STORE against its context.
func checkArrival(c command, in Context) error {
	switch {
	case c.field != commandStore || !c.hasDataset:
		return protocolErrorf("a request that was not asked for")
	case c.class != in.SOPClass:
		return protocolErrorf("an instance of another class than its context")
	case attributes.CheckUIDs(c.instance) != nil:
		return protocolErrorf("an instance without a UID")
	}
	return nil
}

// Get retrieves instances over this association (C-GET), which needs GetContexts, and passes each to the
// caller as it arrives, on this goroutine. It returns how many were read to their end. What each leaves of
// an instance is read and dropped. An error of each ends the retrieval and is returned as it is; the
// association must be aborted then. The node's counts, the number of instances and r.Want must agree, or
// it is an error after the instances were handed over. If the context ends, the node is asked to stop
// (C-CANCEL), no instance is handed over any more, and the error of the context is returned.
func (a *Association) Get(ctx context.Context, r attributes.Retrieval, each func(*Arrival) error) (int, error) {
	id, identifier, err := a.retrieval(r)
	if err != nil {
		return 0, err
	}
	g := get{a: a, id: id, r: r.WithDefaults(), each: each, met: map[string]bool{}}
	g.left = g.r.MostBytes
	err = a.cancellable(ctx, id, func() error {
		if err := a.request(id, queryRequest(a.message, commandGet, studyRootGet), identifier); err != nil {
			return err
		}
		return g.collect(ctx)
	})
	if g.failed != nil {
		err = g.failed
	}
	return len(g.met), err
}

// retrieval returns the context and the identifier of C-GET.
func (a *Association) retrieval(r attributes.Retrieval) (byte, []byte, error) {
	id, syntax, err := a.queryContext(studyRootGet)
	if err != nil {
		return 0, nil, err
	}
	level, match := "STUDY", map[string]string{"StudyInstanceUID": r.Study}
	if r.Series != "" {
		level, match["SeriesInstanceUID"] = "SERIES", r.Series
	}
	if r.Instance != "" {
		level, match["SOPInstanceUID"] = "IMAGE", r.Instance
		match["SeriesInstanceUID"] = r.Series
	}
	for _, uid := range match {
		if err := attributes.CheckUIDs(uid); err != nil {
			return 0, nil, err
		}
	}
	identifier, err := encoded(attributes.Query{Match: match, Most: 1}, level, syntax)
	return id, identifier, err
}

// get is the state of a C-GET.
type get struct {
	a      *Association
	id     byte
	r      attributes.Retrieval
	each   func(*Arrival) error
	left   int64
	met    map[string]bool // instances that were read to their end
	failed error           // of each
}

// collect answers the node's requests to store until its last answer.
func (g *get) collect(ctx context.Context) error {
	for {
		id, c, err := g.a.command()
		if err != nil {
			return err
		}
		if c.field&commandResponse == 0 {
			if err := g.receive(ctx, id, c); err != nil {
				return err
			}
			continue
		}
		if id != g.id {
			return protocolErrorf("data that was not asked for")
		}
		if err := g.a.answers(c, commandGet); err != nil {
			return err
		}
		if !c.status.pending() {
			return g.finish(c)
		}
		if err := g.a.ignore(id, c); err != nil {
			return err
		}
	}
}

// contextOf returns the context of an ID that was accepted.
func (a *Association) contextOf(id byte) (Context, error) {
	if i := int(id) / 2; id%2 == 1 && i < len(a.contexts) {
		if got, err := a.accepted(a.contexts[i]); err == nil && got == id {
			return a.contexts[i], nil
		}
	}
	return Context{}, protocolErrorf("a request over a context that was not agreed")
}

// receive hands an instance over.
func (g *get) receive(ctx context.Context, id byte, c command) error {
	in, err := g.a.contextOf(id)
	if err == nil {
		err = checkArrival(c, in)
	}
	if err != nil {
		return err
	}
	switch {
	case g.met[c.instance]:
		return protocolErrorf("an instance twice")
	case len(g.met) == g.r.MostParts:
		return g.a.tooMuch("it sends more than %d instances", g.r.MostParts)
	}
	most := min(g.left, g.r.MostPartBytes)
	arrival := g.a.arrival(id, c, in, most)
	status := Status(0)
	if ctx.Err() != nil {
		status = OutOfResources
	} else if err := g.each(arrival); err != nil {
		g.failed = err
		if ended := arrival.data.failed(); ended == nil {
			return err
		}
	}
	_, err = io.Copy(io.Discard, &arrival.data)
	if err == errTooLarge { //nolint:errorlint // our own
		err = g.a.tooMuch("it sends more than %d bytes", most)
	}
	if err != nil {
		g.failed = nil // the node's fault, which each passed on
		return err
	}
	g.left -= most - arrival.data.left
	if status == 0 {
		g.met[c.instance] = true
	}
	return g.a.send(id, true, answerTo(c, status))
}

func (a *Association) tooMuch(format string, values ...any) error {
	return &Error{Node: a.peer, Problem: message.New(message.InputTooLarge, format, values...), Advice: message.Text("retrieve less at a time"), Err: errTooLarge}
}

// finish compares what arrived with what the node and the caller count.
func (g *get) finish(c command) error {
	n := len(g.met)
	if n == 0 && c.status != 0 && !c.status.someFailed() {
		return g.a.ended(g.id, c, "the retrieval")
	}
	if err := g.a.ignore(g.id, c); err != nil {
		return err
	}
	counted := n
	if c.hasCounts {
		counted = c.counts.Completed + c.counts.Warnings + c.counts.Failed + c.counts.Remaining
	}
	if g.r.Want > 0 && n != g.r.Want {
		return g.a.incomplete(n, g.r.Want, c.status)
	}
	if n != counted || c.status != 0 || c.counts.Failed > 0 {
		return g.a.incomplete(n, counted, c.status)
	}
	return nil
}

func (a *Association) incomplete(n, want int, s Status) error {
	e := &Error{
		Node: a.peer, Problem: message.New(message.NetworkProtocol, "it sent %d instances of %d", n, want),
		Advice: message.Text("retrieve them again; the series may be arriving or changing there"),
	}
	if s != 0 && !s.someFailed() {
		e.Problem = message.New(message.NetworkRefused, "it sent %d instances of %d, then: %v", n, want, s.refusal())
	}
	return e
}
