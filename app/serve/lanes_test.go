package serve

import (
	"context"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"

	"quell/io/dicom/part10"
	"quell/io/dimse"
	"quell/io/dimse/dimsetest"
)

// two are settings of a node whose rule "stuck" sends what has "Stuck" in its description to one archive, and whose
// rule "other" sends the rest to another.
func two(t *testing.T, stuck, healthy dimse.Node) Settings {
	t.Helper()
	do := `{"filter": "gaussian", "verdict": false, "noise_map": "none", "engine": "cpu"}`
	s, err := ParseSettings([]byte(fmt.Sprintf(`{"folder": %q, "ae_title": "QUELL", "send_limit": "24h", "rules": [
		{"name": "stuck", "when": "SeriesDescription~stuck", "do": %s, "to": {"to": %q}}, {"name": "other", "do": %s, "to": {"to": %q}}
	]}`, filepath.Join(t.TempDir(), "node"), do, stuck, do, healthy)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestStuckPeer: whatever a destination does, another has its series as soon as the idle timeout of the series is over,
// by a clock that goes on no further.
func TestStuckPeer(t *testing.T) {
	ends := make(chan struct{})
	t.Cleanup(func() { close(ends) })
	begun := make(chan struct{}, 1000) // the peer is stuck
	enter := func() { begun <- struct{}{} }
	for name, b := range map[string]dimsetest.Behaviour{
		"silent": {Raw: func(c net.Conn) { enter(); _, _ = io.Copy(io.Discard, c) }},
		"drips": {Raw: func(c net.Conn) {
			enter()
			go func() { _, _ = io.Copy(io.Discard, c) }()
			for b := []byte{2, 0, 0, 1, 0, 0}; ; b = []byte{0} { // an answer of 64 KB
				if _, err := c.Write(b); err != nil {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
		}},
		"slow": {Store: func(_ string, c net.Conn) dimse.Status {
			enter()
			select {
			case <-ends:
			case <-closed(c):
			}
			return 0
		}},
		"refuses": {Store: func(string, net.Conn) dimse.Status { enter(); return dimse.OutOfResources }},
	} {
		t.Run(name, func(t *testing.T) {
			stuck, healthy := dimsetest.Start(t, b), newArchive(t)
			came := make(chan string, 100)
			healthy.came = came
			c := begin()
			s := two(t, stuck.Node, healthy.Node)
			n := node(t, s, c)
			defer n.Close()
			to := receive(t, n)
			for i := range 8 {
				files := stack(fmt.Sprint(100+i), 1, "X")
				for _, f := range files {
					f.With(part10.TagSeriesDescription, "Stuck").With(part10.TagSOPInstanceUID, fmt.Sprintf("1.2.3.9.%d", i))
				}
				send(t, to, files...)
			}
			c.add(time.Duration(s.IdleTimeout))
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() { defer close(done); n.drive(ctx) }()
			<-begun
			send(t, to, stack("7", 2, "X")...)
			c.add(time.Duration(s.IdleTimeout))
			n.rouse()
			<-came // fails by the time of the test
			<-came
			cancel()
			<-done
			for {
				select {
				case <-begun:
					continue
				default:
				}
				break
			}
		})
	}
}

// closed is closed when the other side of a connection ends it.
func closed(c net.Conn) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = c.Read(make([]byte, 1))
	}()
	return ended
}

// TestSendLimit: an attempt has an end, however the archive answers. What it took is not sent again, and an archive that
// is slow alone has as many attempts as it needs.
func TestSendLimit(t *testing.T) {
	var over context.CancelFunc // the limit of the present attempt
	var stored []string
	slow := dimsetest.Start(t, dimsetest.Behaviour{Store: func(uid string, c net.Conn) dimse.Status {
		if len(stored) > 0 && stored[len(stored)-1] != "" {
			stored = append(stored, "")
			over()
			<-closed(c)
			return 0
		}
		stored = append(stored, uid)
		return 0
	}})
	c := begin()
	s := two(t, slow.Node, slow.Node)
	s.Attempts = 2
	n := node(t, s, c)
	defer n.Close()
	var limit time.Duration
	n.limit = func(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
		limit = d
		ctx, over = context.WithCancel(ctx)
		return ctx, over
	}
	send(t, receive(t, n), stack("7", 4, "X")...)
	c.add(time.Minute)
	for i := range 3 {
		if step(t, n); n.list[0].State != Filtered || n.list[0].Parts[0].Attempts != 1 || len(n.list[0].Parts[0].Again) != 3-i || limit != 24*time.Hour {
			t.Fatalf("%d: %+v, limit %v", i, n.list[0].Parts[0], limit)
		}
		c.add(10 * time.Second)
	}
	if step(t, n); n.list[0].State != Sent || len(slow.Stored()) != 4 {
		t.Errorf("%+v", n.Status())
	}
}

// TestCircuit: after three attempts of which an archive took nothing it is left alone for a time, whichever series is
// due, and then has one attempt. What was never tried is tried first.
func TestCircuit(t *testing.T) {
	a, c := newArchive(t), begin()
	n := node(t, settings(t, a), c)
	defer n.Close()
	to := receive(t, n)
	a.fails = 1000
	attempts := func() (sum int) {
		for _, t := range n.list {
			for _, p := range t.Parts {
				sum += p.Attempts
			}
		}
		return sum
	}
	for i := range mostRefusals + 2 {
		send(t, to, stack(fmt.Sprint(100+i), 1, "X")[0].With(part10.TagSOPInstanceUID, fmt.Sprintf("1.2.3.9.%d", i)))
	}
	c.add(time.Minute)
	if step(t, n); attempts() != mostRefusals {
		t.Fatalf("%d attempts", attempts())
	}
	c.add(10*time.Second - 1)
	if step(t, n); attempts() != mostRefusals {
		t.Fatal("too early")
	}
	c.add(1)
	if step(t, n); attempts() != mostRefusals+1 || n.list[mostRefusals].Parts[0].Attempts != 1 {
		t.Fatalf("%d attempts", attempts())
	}
	a.mu.Lock()
	a.fails = 0
	a.mu.Unlock()
	c.add(20 * time.Second)
	step(t, n)
	c.add(20 * time.Second)
	if step(t, n); n.Status().Tasks[Sent] != mostRefusals+2 {
		t.Errorf("%+v", n.Status())
	}
	l := &lane{}
	for range 100 {
		l.answered(false, c.now())
	}
	if got := l.until.Sub(c.now()); got != longestOpen {
		t.Errorf("left alone for %v", got)
	}
}

// TestSupersededWhileSending: later images end the sending of the earlier result, which does not come after the whole.
func TestSupersededWhileSending(t *testing.T) {
	began, first := make(chan struct{}), true
	server := dimsetest.Start(t, dimsetest.Behaviour{Store: func(_ string, c net.Conn) dimse.Status {
		if first {
			first = false
			close(began)
			<-closed(c)
		}
		return 0
	}})
	c := begin()
	s := two(t, server.Node, server.Node)
	n := node(t, s, c)
	defer n.Close()
	to, files := receive(t, n), stack("7", 4, "X")
	send(t, to, files[:2]...)
	c.add(time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); n.drive(ctx) }()
	<-began
	send(t, to, files[2:]...)
	c.add(time.Minute)
	n.rouse()
	for n.Status().Tasks[Sent] == 0 { // fails by the time of the test
		time.Sleep(time.Millisecond)
	}
	cancel()
	<-done
	if got := n.Status(); got.Tasks[Superseded] != 1 || len(n.list) != 2 || !n.list[1].Replaces {
		t.Errorf("%+v", got)
	}
}
