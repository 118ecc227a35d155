package dicomweb_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"

	"quell/internal/message"
	"quell/io/dicomweb"
)

// TestStatuses: each status has a sentence, a kind and its number, and none repeats the request.
func TestStatuses(t *testing.T) {
	for status, want := range map[int]struct {
		text string
		kind message.Kind
	}{
		301: {"it is at another address (HTTP 301); ask", message.NetworkAddress}, // without Location
		400: {"it does not understand the request (HTTP 400); check the search terms", message.NetworkProtocol},
		403: {"it does not permit this (HTTP 403); ask", message.NetworkRejected},
		410: {"it has nothing at this address (HTTP 410)", message.NetworkAddress},
		406: {"it does not offer the form that was asked for (HTTP 406)", message.NetworkRefused},
		418: {"it refuses the request (HTTP 418)", message.NetworkRefused},
		501: {"it failed (HTTP 501)", message.NetworkRefused},
	} {
		serve := func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "Doe^John")
		}
		inBubble(t, dicomweb.Config{}, serve, func(t *testing.T, c *dicomweb.Client) {
			err := searchOnce(c)
			wantError(t, err, "pacs.example: "+want.text)
			var e *dicomweb.Error
			if !errors.As(err, &e) || e.Status != status || e.Host != "pacs.example" || message.KindOf(err) != want.kind {
				t.Errorf("%#v", err)
			}
		})
	}
	serve := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		fmt.Fprint(w, "[]")
	}
	inBubble(t, dicomweb.Config{}, serve, func(t *testing.T, c *dicomweb.Client) {
		wantError(t, searchOnce(c), "it compresses its answer")
	})
}

// TestConnectionsThatFail: each failure has a sentence without the search terms, in its causes too.
// Connections that are refused or break are tried again.
func TestConnectionsThatFail(t *testing.T) {
	for want, c := range map[string]struct {
		err   error
		dials int
	}{
		"there is no such host; check its name":                       {&net.DNSError{Name: "pacs.example", IsNotFound: true}, 1},
		"nothing listens there; check the host and the port":          {&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, 4},
		"the host cannot be reached; check the address":               {&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.EHOSTUNREACH)}, 1},
		"it closed the connection too early; try again":               {&net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, 4},
		"the connection takes too long; check the host":               {os.ErrDeadlineExceeded, 1},
		"the exchange failed; check that this is the address":         {errors.New("Doe"), 1},
		"it refuses the TLS connection (bad); check the client certi": {&net.OpError{Op: "remote error", Err: errors.New("bad")}, 1},
	} {
		inBubble(t, dicomweb.Config{}, nil, func(t *testing.T, client *dicomweb.Client) {
			dials := 0
			dicomweb.SetDial(client, func(context.Context, string, string) (net.Conn, error) {
				dials++
				return nil, c.err
			})
			_, err := client.Studies(context.Background(), dicomweb.Query{Most: 1, Match: map[string]string{"PatientName": "PLANTED"}})
			wantError(t, err, "pacs.example: "+want)
			if dials != c.dials || strings.Contains(err.Error(), "Doe") {
				t.Errorf("%d dials, %q", dials, err)
			}
			for cause := err; cause != nil; cause = errors.Unwrap(cause) {
				if strings.Contains(cause.Error(), "PLANTED") {
					t.Errorf("a search term in %q", cause)
				}
			}
		})
	}
}
