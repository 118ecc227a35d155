// Package dimse speaks the DICOM network (PS3.7, PS3.8): it asks a node for an association, verifies it
// (C-ECHO), stores instances (C-STORE), asks whether the node answers for them (storage commitment), searches an
// archive (C-FIND) and retrieves from it (C-GET, C-MOVE). As a receiver it answers C-ECHO and C-STORE.
//
//	node.go         AE titles and addresses
//	association.go  connection, negotiation of presentation contexts, release
//	link.go         units over a connection, commands and data sets in them; for both sides
//	store.go        C-ECHO and C-STORE over an association
//	query.go        C-FIND: Studies, Series, Instances
//	retrieve.go     C-GET and C-MOVE
//	commitment.go   storage commitment: N-ACTION, and N-EVENT-REPORT over either side's association
//	receiver.go     who is let in, how many at a time, the end
//	session.go      an association of a receiver
//	accept.go       requests, and their acceptance
//	folder.go       instances that arrive as files, within a quota
//	pdu.go          bytes of protocol data units, with limits on every length
//	command.go      command sets, which are implicit little endian
//	status.go       status codes
//	errors.go       refusals and failures, each in one sentence
//
// A search and a retrieval:
//
//	a, err := dimse.Dial(ctx, node, config, dimse.FindContexts())
//	func (a *Association) Studies(ctx, attributes.Query) (attributes.Results, error)
//	func (a *Association) Series(ctx, study string, attributes.Query) (attributes.Results, error)
//	func (a *Association) Instances(ctx, study, series string, attributes.Query) (attributes.Results, error)
//
//	a, err := dimse.Dial(ctx, node, config, dimse.GetContexts(classes...))
//	func (a *Association) Get(ctx, attributes.Retrieval, each func(*Arrival) error) (int, error)
//
// Storage commitment of what was stored; the report comes over this association or to a Receiver:
//
//	a, err := dimse.Dial(ctx, node, config, dimse.CommitmentContexts())
//	func (a *Association) RequestCommitment(ctx, transaction string, []Reference) error
//	func (a *Association) AwaitCommitment(ctx, wait) (Commitment, bool, error)
//
// A receiver, until the context ends:
//
//	folder, err := dimse.OpenFolder(dir, quota, durable) // Folder.Store is the core of a Handler
//	r := &dimse.Receiver{Handler: h, AETitle: "QUELL"}
//	err := r.Serve(ctx, listener)
//
// Queries, results and limits are of package attributes, which io/dicomweb has too. An Arrival reads
// as a DICOM file whose data set has the bytes that were sent.
//
// What the other side sends is not trusted: no length allocates more than maxPDU, a result or a command is
// limited before memory is taken, and no bytes make the package panic. No name of a file has anything of
// the other side. A receiver bounds associations, the negotiation, idle times, units, instances and the
// time for each; it starts one goroutine for a connection, calls its Handler on it, and Serve returns when
// all have ended. An Association is used by one
// goroutine at a time; functions that a caller passes run on it. After an error of a command an association
// must be aborted, unless it says otherwise.
package dimse
