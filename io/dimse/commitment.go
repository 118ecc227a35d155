package dimse

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"io"
	"time"

	"quell/internal/connection"
	"quell/internal/message"
	"quell/io/attributes"
	"quell/io/dicom/part10"
)

// Storage Commitment Push Model (PS3.4 annex J): its class and the instance that everybody knows.
const (
	commitmentClass    = "1.2.840.10008.1.20.1"
	commitmentInstance = "1.2.840.10008.1.20.1.1"
	requestAction      = 1 // type of N-ACTION
)

// CommitmentContexts are the contexts of RequestCommitment.
func CommitmentContexts() []Context { return queryContexts(commitmentClass) }

// Reference names an instance.
type Reference struct{ SOPClass, UID string }

// Commitment is what an archive reports of a request (N-EVENT-REPORT): the instances that it answers for, and
// those that it does not.
type Commitment struct {
	Transaction string            // UID of the request
	Committed   []string          // instance UIDs
	Failed      map[string]Status // reasons by instance UID (PS3.3 section C.14)
}

// NewTransaction returns a random UID for a request of storage commitment.
func NewTransaction() string { return part10.HashUID([]byte(rand.Text())) }

// RequestCommitment asks the node to answer for instances that it stored (N-ACTION). transaction is a UID that no
// other request has; the report names it. The report comes over this association, see AwaitCommitment, or the node
// opens one to a Receiver of this side, minutes or hours later. The association needs CommitmentContexts.
func (a *Association) RequestCommitment(ctx context.Context, transaction string, references []Reference) error {
	id, syntax, err := a.queryContext(commitmentClass)
	if err == nil {
		err = attributes.CheckUIDs(transaction)
	}
	if err != nil {
		return err
	}
	a.message++
	return a.watched(ctx, func() error {
		if err := a.request(id, actionRequest(a.message), commitmentRequest(transaction, references, syntax)); err != nil {
			return err
		}
		r, err := a.respond(id, commandAction)
		if err == nil && r.status != 0 {
			err = &Error{Node: a.peer, Problem: message.New(message.NetworkRefused, "the request of storage commitment was refused (%v)", r.status)}
		}
		return err
	})
}

func commitmentRequest(transaction string, references []Reference, syntax string) []byte {
	encoding := part10.ExplicitLE
	if syntax == attributes.ImplicitLE {
		encoding = part10.ImplicitLE
	}
	items := make([][]byte, len(references))
	for i, r := range references {
		items[i] = part10.AppendElement(nil, encoding, part10.TagReferencedSOPClassUID, "UI", []byte(r.SOPClass))
		items[i] = part10.AppendElement(items[i], encoding, part10.TagReferencedSOPInstanceUID, "UI", []byte(r.UID))
	}
	b := part10.AppendElement(nil, encoding, tagTransactionUID, "UI", []byte(transaction))
	return part10.AppendSequence(b, encoding, part10.TagReferencedSOPSequence, items...)
}

// AwaitCommitment waits for a report over this association and confirms it. It is false, without an error, if none
// came in that time or before the context ended; the association is then to be released.
func (a *Association) AwaitCommitment(ctx context.Context, wait time.Duration) (c Commitment, came bool, err error) {
	a.endIn(max(wait, 1)) // 0 would be no end
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		a.endIn(time.Nanosecond) // wakes the read
	})
	id, r, err := a.command()
	if !stop() {
		<-done
	}
	if a.endIn(0); connection.Late(err) {
		return c, false, nil
	}
	err = a.watched(context.WithoutCancel(ctx), func() error { // the answer is short
		if err != nil {
			return err
		}
		in, err := a.contextOf(id)
		if err == nil && !isReport(r, in) {
			err = protocolErrorf("data that was not asked for")
		}
		if err == nil {
			c, err = a.report(id, in)
		}
		if err != nil {
			return err
		}
		return a.send(id, true, answerTo(r, 0))
	})
	return c, err == nil, err
}

// isReport reports whether a command is a report of storage commitment.
func isReport(c command, in Context) bool {
	return c.field == commandReport && c.hasDataset && in.SOPClass == commitmentClass
}

// maxReport bounds a report, in bytes: some 30,000 instances.
const maxReport = 4 << 20

// report reads the data set of a report.
func (l *link) report(id byte, in Context) (Commitment, error) {
	b, err := io.ReadAll(&dataset{l: l, id: id, left: maxReport})
	if err == errTooLarge { //nolint:errorlint // our own
		err = protocolErrorf("a report of more than %d bytes", maxReport)
	}
	if err != nil {
		return Commitment{}, err
	}
	c, err := parseCommitment(b, in.Syntax)
	if err != nil {
		err = protocolErrorf("a report that cannot be read (%v)", err)
	}
	return c, err
}

const (
	tagTransactionUID    part10.Tag = 0x0008_1195
	tagFailureReason     part10.Tag = 0x0008_1197
	tagFailedSOPSequence part10.Tag = 0x0008_1198
)

// parseCommitment reads the data set of a report. Which instances failed is looked up in it, whatever type the event
// has.
func parseCommitment(b []byte, syntax string) (Commitment, error) {
	file := append(part10.AppendFileMeta(nil, "", "", syntax, ""), b...)
	p, err := part10.TokenizeBytes(file, func(t part10.Tag) bool { return t == tagTransactionUID })
	if err != nil {
		return Commitment{}, err
	}
	values, err := part10.ReadValues(p)
	if err != nil {
		return Commitment{}, err
	}
	c := Commitment{Transaction: values.Text(tagTransactionUID), Failed: map[string]Status{}}
	if err := attributes.CheckUIDs(c.Transaction); err != nil {
		return Commitment{}, err
	}
	err = eachReference(file, p, part10.TagReferencedSOPSequence, func(uid string, _ Status) { c.Committed = append(c.Committed, uid) })
	if err == nil {
		err = eachReference(file, p, tagFailedSOPSequence, func(uid string, s Status) { c.Failed[uid] = s })
	}
	return c, err
}

// eachReference visits the instances that a sequence names.
func eachReference(file []byte, p *part10.File, sequence part10.Tag, visit func(uid string, reason Status)) error {
	e, ok := p.Find(sequence)
	if !ok {
		return nil
	}
	return part10.EachItem(file, e, p.Syntax.Encoding, func(item part10.SequenceItem) error {
		uid, reason := "", Status(0)
		for _, e := range item.Elements {
			value := file[e.Value:e.End]
			switch {
			case e.Tag == part10.TagReferencedSOPInstanceUID:
				uid = unpadded(value)
			case e.Tag == tagFailureReason && len(value) == 2:
				reason = Status(binary.LittleEndian.Uint16(value))
			}
		}
		visit(uid, reason)
		return attributes.CheckUIDs(uid)
	})
}
