package dimse

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

	"quell/io/attributes"
	"quell/io/dicom/part10"
)

// Codes of A-ASSOCIATE-RJ (PS3.8 section 9.3.4): result, source, reason.
var (
	rejectUnspecified = [3]byte{1, 1, 1}
	rejectApplication = [3]byte{1, 1, 2}
	rejectCalling     = [3]byte{1, 1, 3}
	rejectCalled      = [3]byte{1, 1, 7}
	rejectBusy        = [3]byte{2, 3, 2} // for the present: a local limit
)

// proposal is a presentation context that is asked for.
type proposal struct {
	id       byte
	class    string
	syntaxes []string
}

// request is the content of A-ASSOCIATE-RQ.
type request struct {
	called, calling string
	application     string
	contexts        []proposal
	maxPDU          uint32 // 0 for any
	reports         bool   // it asks to be the provider of storage commitment
}

// maxSyntaxes bounds the syntaxes that a presentation context proposes.
const maxSyntaxes = 64

// parseRequest reads the body of A-ASSOCIATE-RQ.
func parseRequest(b []byte) (request, error) {
	var r request
	if len(b) < fixedAssociate {
		return r, protocolErrorf("a request of %d bytes", len(b))
	}
	r.called, r.calling = strings.Trim(string(b[4:20]), "\x00 "), strings.Trim(string(b[20:36]), "\x00 ")
	err := eachItem(b[fixedAssociate:], func(kind byte, body []byte) error {
		switch kind {
		case itemApplicationContext:
			r.application = unpadded(body)
		case itemProposedContext:
			return r.addContext(body)
		case itemUserInformation:
			n, err := maximumLength(body)
			if r.maxPDU = n; err == nil {
				r.reports, err = asksToReport(body)
			}
			return err
		}
		return nil
	})
	if err == nil && len(r.contexts) == 0 {
		err = protocolErrorf("a request without presentation contexts")
	}
	return r, err
}

// asksToReport reports whether user information has the role of the provider of storage commitment for who asks
// for the association: the other side is it by default (PS3.7 section D.3.3.4).
func asksToReport(user []byte) (asks bool, err error) {
	n := len(reporting) - 2 // of what precedes the two roles
	err = eachItem(user, func(kind byte, body []byte) error {
		asks = asks || kind == itemRoleSelection && len(body) == n+2 && bytes.Equal(body[:n], reporting[:n]) && body[n+1] == 1
		return nil
	})
	return asks, err
}

// reporting is the role of who reports, provider and not user.
var reporting = roleOf(commitmentClass, 0, 1)

func (r *request) addContext(body []byte) error {
	if len(body) < 4 {
		return protocolErrorf("a presentation context that is cut off")
	}
	p := proposal{id: body[0]}
	switch {
	case p.id%2 == 0:
		return protocolErrorf("a presentation context with the even ID %d", p.id)
	case slices.ContainsFunc(r.contexts, func(c proposal) bool { return c.id == p.id }):
		return protocolErrorf("the presentation context %d twice", p.id)
	}
	err := eachItem(body[4:], func(kind byte, uid []byte) error {
		switch kind {
		case itemAbstractSyntax:
			p.class = unpadded(uid)
		case itemTransferSyntax:
			if len(p.syntaxes) == maxSyntaxes {
				return protocolErrorf("a presentation context of more than %d transfer syntaxes", maxSyntaxes)
			}
			p.syntaxes = append(p.syntaxes, unpadded(uid))
		}
		return nil
	})
	r.contexts = append(r.contexts, p)
	return err
}

// choose returns the syntax of a context that is accepted, or the result that refuses it. The first of
// those that are proposed is taken, so that objects come as their sender keeps them; big endian, which is
// retired, is taken if there is nothing else.
func (p proposal) choose(takes func(Context) bool) (syntax string, result byte) {
	const unknownClass, unknownSyntax = 3, 4
	if attributes.CheckUIDs(p.class) != nil {
		return "", unknownClass
	}
	known := slices.ContainsFunc(Syntaxes, func(s string) bool { return takes(Context{p.class, s}) })
	for _, s := range p.syntaxes {
		if takes(Context{p.class, s}) && (syntax == "" || syntax == part10.UIDExplicitBE) {
			syntax = s
		}
	}
	switch {
	case syntax != "":
		return syntax, 0
	case known:
		return "", unknownSyntax
	}
	return "", unknownClass
}

// storageClasses begins the UIDs of the storage classes of the standard.
const storageClasses = "1.2.840.10008.5.1.4.1.1."

// takesStorage accepts C-ECHO and the storage classes of the standard in Syntaxes.
func takesStorage(c Context) bool {
	if c.SOPClass == verificationSOPClass {
		return c.Syntax == attributes.ImplicitLE || c.Syntax == attributes.ExplicitLE
	}
	return strings.HasPrefix(c.SOPClass, storageClasses) && slices.Contains(Syntaxes, c.Syntax)
}

// associateAccept returns the body of A-ASSOCIATE-AC. fixed is what precedes the items of the request q,
// which is sent back. results has the result and the syntax of each proposed context.
func associateAccept(fixed []byte, q request, syntax map[byte]string, results map[byte]byte, most uint32, implementation Implementation) []byte {
	b := slices.Clone(fixed[:fixedAssociate])
	b = appendItem(b, itemApplicationContext, []byte(applicationContext))
	for _, p := range q.contexts {
		chosen := syntax[p.id]
		if chosen == "" { // has no meaning then, and some readers want one
			chosen = attributes.ImplicitLE
		}
		item := appendItem([]byte{p.id, 0, results[p.id], 0}, itemTransferSyntax, []byte(chosen))
		b = appendItem(b, itemAcceptedContext, item)
	}
	user := appendItem(nil, itemMaximumLength, binary.BigEndian.AppendUint32(nil, most))
	user = appendItem(user, itemImplementationClass, []byte(implementation.ClassUID))
	if q.reports {
		user = appendItem(user, itemRoleSelection, reporting)
	}
	user = appendItem(user, itemImplementationName, []byte(implementation.Version))
	return appendItem(b, itemUserInformation, user)
}
