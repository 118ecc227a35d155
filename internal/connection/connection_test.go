package connection_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"

	"quell/internal/connection"
	"quell/internal/message"
)

func TestDescribe(t *testing.T) {
	plain := message.Text("another port")
	op := func(err error) error { return &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", err)} }
	for want, err := range map[string]error{
		"there is no such host; check its name":                                                    &net.DNSError{Err: "no such host", Name: "h", IsNotFound: true},
		"nothing listens there; check the host and the port, and that the PACS runs":               op(syscall.ECONNREFUSED),
		"the host cannot be reached; check the address and the network":                            op(syscall.EHOSTUNREACH),
		"its certificate is signed by an unknown authority; give the certificate of its authority": &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}},
		"its certificate is refused (x509: expired); check the host name and the certificate":      &tls.CertificateVerificationError{Err: errors.New("x509: expired")},
		"it does not speak TLS on this port; another port":                                         tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"},
		"it refuses the TLS connection (tls: certificate required); check the client certificate":  &net.OpError{Op: "remote error", Err: errors.New("tls: certificate required")},
		"": io.EOF,
	} {
		problem, advice, ok := connection.Describe(fmt.Errorf("wrapped: %w", err), plain)
		if got := message.About("", problem, advice).String(); got != want && want != "" || ok != (want != "") {
			t.Errorf("%v is %q, want %q", err, got, want)
		}
	}
}

func TestBrokenAndLate(t *testing.T) {
	for err, want := range map[error][2]bool{
		io.EOF: {true, false}, io.ErrUnexpectedEOF: {true, false}, syscall.ECONNRESET: {true, false}, syscall.EPIPE: {true, false}, io.ErrClosedPipe: {true, false},
		os.ErrDeadlineExceeded: {false, true}, errors.New("other"): {false, false}, nil: {false, false},
	} {
		if got := [2]bool{connection.Broken(err), connection.Late(err)}; got != want {
			t.Errorf("%v: %v, want %v", err, got, want)
		}
	}
}
