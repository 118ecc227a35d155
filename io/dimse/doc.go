// Package dimse sends DICOM instances to a node of the network (PS3.7, PS3.8): it asks for an
// association, verifies it (C-ECHO) and stores instances (C-STORE).
//
//	node.go         AE titles and addresses
//	association.go  connection, negotiation of presentation contexts, release
//	store.go        C-ECHO and C-STORE over an association
//	pdu.go          bytes of protocol data units, with limits on every length
//	command.go      command sets, which are implicit little endian
//	status.go       status codes
//	errors.go       refusals and failures, each in one sentence
//
// It is a client alone: nothing listens. What the other side sends is not trusted: no length
// allocates more than maxPDU, and no bytes make it panic. The package imports the standard
// library only. An Association is used by one goroutine at a time.
package dimse
