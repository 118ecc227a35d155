package queue

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"quell/app/job"
)

// serverOf answers connections like a server of that version, which has no JetStream.
func serverOf(t *testing.T, version string) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				fmt.Fprintf(c, "INFO {\"server_id\":\"x\",\"version\":%q,\"proto\":1,\"headers\":true,\"max_payload\":1048576}\r\n", version)
				for lines := bufio.NewScanner(c); lines.Scan(); {
					if strings.HasPrefix(lines.Text(), "PING") {
						fmt.Fprint(c, "PONG\r\n")
					}
				}
			}()
		}
	}()
	return "nats://" + l.Addr().String()
}

// TestServerThatIsTooOld is refused with the least version, as it drops the batch without a word
// and workers would wait without end.
func TestServerThatIsTooOld(t *testing.T) {
	for _, version := range []string{"2.9.10", "2.9.99", "1.99.0", "none", ""} {
		nc, err := Connect(serverOf(t, version), "", "")
		if nc != nil {
			nc.Close()
		}
		if job.ExitCode(err) != job.ExitUsage || !strings.Contains(err.Error(), LeastServer+" or later") || !strings.Contains(err.Error(), version) {
			t.Errorf("%q: %v", version, err)
		}
	}
	for version, want := range map[string]bool{"2.10.0": true, "2.10.0-beta.1": true, "3.0.0": true, "2.9.25": false, "2": false, server.VERSION: true} {
		if got := isAtLeast(version, LeastServer); got != want {
			t.Errorf("%s: %v", version, got)
		}
	}
}

// TestServerWithoutJetStream is refused.
func TestServerWithoutJetStream(t *testing.T) {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	defer s.Shutdown()
	if !s.ReadyForConnections(waitForServer) {
		t.Fatal("no server")
	}
	if _, err := Connect(s.ClientURL(), "", ""); job.ExitCode(err) != job.ExitUsage || !strings.Contains(err.Error(), "--jetstream") {
		t.Errorf("%v", err)
	}
}
