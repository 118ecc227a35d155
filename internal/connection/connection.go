// Package connection words failures of network connections for every protocol.
package connection

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"syscall"

	"quell/internal/message"
)

// Describe says in words why a connection failed, with advice. plain is the advice if the other side does
// not speak TLS. It is false for errors that are none of a connection, and for times that are over, which a
// protocol words itself.
func Describe(err error, plain message.Message) (problem, advice message.Message, ok bool) {
	var dns *net.DNSError
	var authority x509.UnknownAuthorityError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var op *net.OpError
	switch {
	case errors.As(err, &dns):
		return message.New(message.NetworkAddress, "there is no such host"), message.Text("check its name"), true
	case errors.Is(err, syscall.ECONNREFUSED):
		return message.New(message.NetworkUnreachable, "nothing listens there"), message.Text("check the host and the port, and that the PACS runs"), true
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return message.New(message.NetworkUnreachable, "the host cannot be reached"), message.Text("check the address and the network"), true
	case errors.As(err, &authority):
		return message.New(message.NetworkTrust, "its certificate is signed by an unknown authority"), message.Text("give the certificate of its authority"), true
	case errors.As(err, &certificate):
		return message.New(message.NetworkTrust, "its certificate is refused (%v)", certificate.Err), message.Text("check the host name and the certificate"), true
	case errors.As(err, &record):
		return message.New(message.NetworkTrust, "it does not speak TLS on this port"), plain, true
	case errors.As(err, &op) && op.Op == "remote error": // an alert of TLS
		return message.New(message.NetworkTrust, "it refuses the TLS connection (%v)", op.Err), message.Text("check the client certificate"), true
	}
	return message.Message{}, message.Message{}, false
}

// Broken reports whether the other side ended a connection.
func Broken(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}

// Late reports whether a wait was too long.
func Late(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}
