package pacs

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"

	"quell/app/job"
	"quell/internal/message"
	"quell/io/dicom"
	"quell/io/dimse"
)

// network speaks the protocol of the DICOM network.
type network struct {
	node   dimse.Node
	config dimse.Config
}

func checkNetwork(p Place) error {
	_, err := configure(p)
	return err
}

func openNetwork(p Place) (protocol, error) { return configure(p) }

// configure returns the node and the configuration of an association.
func configure(p Place) (*network, error) {
	n := &network{config: dimse.Config{
		Calling:        cmp.Or(p.From, DefaultAETitle),
		Implementation: dimse.Implementation{ClassUID: dicom.ImplementationClassUID, Version: "QUELL"},
	}}
	var err error
	if n.node, err = dimse.ParseNode(p.To); err == nil {
		err = dimse.CheckAETitle(n.config.Calling)
	}
	switch {
	case err != nil:
		return nil, job.Usagef("%w", err)
	case p.SignIn != SignIn{}:
		return nil, job.Usagef("a sign-in is for DICOMweb; the DICOM network knows certificates alone")
	case p.Authority != "" && !p.TLS:
		return nil, job.Usagef("certificates of an authority are for TLS; ask for TLS too")
	case p.Certificate != "" && !p.TLS:
		return nil, job.Usagef("the certificate of this side is for TLS; ask for TLS too")
	case p.TLS:
		n.config.TLS, err = p.tlsConfig()
	}
	return n, err
}

func (n *network) close() {}

func (n *network) echo(ctx context.Context) error {
	return n.within(ctx, []dimse.Context{dimse.Verification}, func(a *dimse.Association) error { return a.Echo(ctx) })
}

// store stores the missing instances that can be stored, and returns the error that ended an association.
func (n *network) store(ctx context.Context, p Plan, r *Report, progress func(done, total int)) error {
	contexts := contextsOf(p.Only(*r))
	if len(contexts)+len(dimse.FindContexts()) <= dimse.MaxContexts {
		contexts = append(contexts, dimse.FindContexts()...)
	}
	if len(contexts) > dimse.MaxContexts {
		return message.Errorf(message.InputUnsupported, "the folder has objects of %d SOP classes, and one association takes %d; send it in parts", len(contexts), dimse.MaxContexts)
	}
	dial := func() (*dimse.Association, error) { return dimse.Dial(ctx, n.node, n.config, contexts) }
	a, err := dial()
	if err != nil {
		return err
	}
	if err := storeBy(ctx, a, dial, p, r, progress); err != nil {
		a.Abort()
		return err
	}
	return n.confirm(ctx, a, p, r)
}

// contextsOf returns the contexts of a plan, each once.
func contextsOf(p Plan) (contexts []dimse.Context) {
	for _, o := range p.Objects {
		if c := (dimse.Context{SOPClass: o.SOPClass, Syntax: o.Syntax}); !slices.Contains(contexts, c) {
			contexts = append(contexts, c)
		}
	}
	return contexts
}

// refusal words that the node refused the context of an object.
func refusal(o dicom.Object, err error) message.Message {
	why := message.Of(err)
	var e *dimse.Error
	if errors.As(err, &e) {
		why = e.Problem
	}
	return message.Text("%s in %s: %v", o.ClassName(), o.SyntaxName(), why)
}

// storeObject sends one file.
func storeObject(ctx context.Context, a *dimse.Association, p Plan, o dicom.Object) (dimse.Answer, error) {
	f, err := openObject(p, o)
	if err != nil {
		return dimse.Answer{}, job.Unreadable(err, o.Name, func(name string) string { return name })
	}
	defer f.Close()
	return a.Store(ctx, dimse.Instance{
		Context: dimse.Context{SOPClass: o.SOPClass, Syntax: o.Syntax}, UID: o.UID,
		Data: io.NewSectionReader(f, o.Start, o.Size), Size: o.Size,
	})
}
