package serve

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"quell/io/dicom/part10"
	"quell/io/dimse"
	"quell/io/dimse/dimsetest"
)

// committer is an archive that is asked for storage commitment, and what it does then.
type committer struct {
	*dimsetest.Server
	mu       sync.Mutex
	requests []dimsetest.Request
	sent     []string // instances in the order in which they came
	answer   func(k int, r dimsetest.Request, report func([]byte)) dimse.Status
}

func newCommitter(t *testing.T, answer func(k int, r dimsetest.Request, report func([]byte)) dimse.Status) *committer {
	t.Helper()
	c := &committer{answer: answer}
	c.Server = dimsetest.Start(t, dimsetest.Behaviour{
		Commit: func(r dimsetest.Request, report func([]byte)) dimse.Status {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.requests = append(c.requests, r)
			return c.answer(len(c.requests), r, report)
		},
		Store: func(uid string, _ net.Conn) dimse.Status {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.sent = append(c.sent, uid)
			return 0
		},
	})
	return c
}

// asks returns the requests until now.
func (c *committer) asks() []dimsetest.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.requests)
}

// committing are the settings of a node that asks an archive for storage commitment.
func committing(t *testing.T, to dimse.Node) Settings {
	t.Helper()
	s, err := ParseSettings([]byte(fmt.Sprintf(`{"folder": %q, "ae_title": "NODE", "commit_wait": "10m", "attempts": 3, "rules": [
		{"name": "all", "do": {"filter": "gaussian", "verdict": false, "noise_map": "none", "engine": "cpu"}, "to": {"to": %q, "commit": true}}
	]}`, filepath.Join(t.TempDir(), "node"), to)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// committed is a node that does not wait for a report over the association of its request.
func committed(t *testing.T, s Settings, c *clock) *Node {
	t.Helper()
	n := node(t, s, c)
	n.patience = 0
	return n
}

// soon calls a function after the archive has answered.
func soon(f func()) { time.AfterFunc(time.Millisecond, f) }

// TestCommitmentOverTheSameAssociation: a task is done when the report has come. This side calls by the title of the
// node, at which the archive knows it.
func TestCommitmentOverTheSameAssociation(t *testing.T) {
	a := newCommitter(t, func(_ int, r dimsetest.Request, report func([]byte)) dimse.Status {
		soon(func() { report(dimsetest.Report(r.Transaction, r.Instances, nil)) })
		return 0
	})
	c := begin()
	n := committed(t, committing(t, a.Node), c)
	defer n.Close()
	n.patience = time.Minute
	send(t, receive(t, n), stack("7", 3, "X")...)
	c.add(time.Minute)
	step(t, n)
	asked := a.asks()
	if len(asked) != 1 || len(asked[0].Instances) != 3 || n.list[0].State != Sent || len(a.Stored()) != 3 || !slices.Equal(a.Seen().Calling, []string{"NODE", "NODE"}) {
		t.Fatalf("%+v; %+v; %+v", asked, n.Status(), a.Seen())
	}
	for _, uid := range asked[0].Instances {
		if a.Stored()[uid] == nil {
			t.Errorf("%s is asked for and was not sent", uid)
		}
	}
}

// report sends a report to a node and returns its answer.
func report(t *testing.T, to dimse.Node, transaction string, committed, failed []string) dimse.Status {
	t.Helper()
	role, s, err := dimsetest.SendReport(to, "PACS", dimsetest.Report(transaction, committed, failed))
	if err != nil || !role {
		t.Fatal(role, err)
	}
	return s
}

// TestCommitmentOverAnotherAssociation: what the archive does not commit itself to is sent again, alone; a report of
// all ends the task, and one that nobody asked for does nothing.
func TestCommitmentOverAnotherAssociation(t *testing.T) {
	a := newCommitter(t, func(int, dimsetest.Request, func([]byte)) dimse.Status { return 0 })
	c := begin()
	n := committed(t, committing(t, a.Node), c)
	defer n.Close()
	to := receive(t, n)
	send(t, to, stack("7", 3, "X")...)
	c.add(time.Minute)
	if step(t, n); n.list[0].State != Committing || n.Status().Tasks[Committing] != 1 || len(a.asks()) != 1 {
		t.Fatalf("%+v", n.Status())
	}
	first := a.asks()[0]
	if s := report(t, to, "2.25.1", first.Instances, nil); s != dimse.ProcessingFailed {
		t.Errorf("a report that nobody asked for: %v", s)
	}
	if step(t, n); n.list[0].State != Committing {
		t.Fatal("done by a report of another")
	}
	if s := report(t, to, first.Transaction, first.Instances[:2], first.Instances[2:]); s != 0 {
		t.Fatal(s)
	}
	if step(t, n); n.list[0].State != Filtered || n.list[0].Parts[0].Attempts != 1 || n.list[0].Parts[0].Problem == "" || len(a.sent) != 3 {
		t.Fatalf("%+v", n.Status())
	}
	c.add(10 * time.Second)
	if step(t, n); n.list[0].State != Committing || len(a.sent) != 4 || a.sent[3] != first.Instances[2] {
		t.Fatalf("%+v, %v", n.Status(), a.sent)
	}
	second := a.asks()[1]
	if len(second.Instances) != 3 || second.Transaction == first.Transaction {
		t.Errorf("%+v after %+v", second, first)
	}
	// A report that names fewer than were sent is none of all.
	report(t, to, second.Transaction, second.Instances[:1], nil)
	if step(t, n); n.list[0].State != Filtered || n.list[0].Parts[0].Attempts != 2 {
		t.Fatalf("%+v", n.Status())
	}
	c.add(time.Minute)
	step(t, n)
	report(t, to, a.asks()[2].Transaction, second.Instances, nil)
	if step(t, n); n.list[0].State != Sent || len(a.sent) != 6 || n.Status().Latest[0].Parts[0].Problem != "" {
		t.Fatalf("%+v, %v", n.Status(), a.sent)
	}
	log := readAudit(t, n)
	for _, event := range []string{"asked for commitment", "not committed", `"committed"`} {
		if !strings.Contains(log, event) {
			t.Errorf("%s is missing in %s", event, log)
		}
	}
}

// TestNoReport: without a report the archive is asked again, and in the end the task has failed. A late report of an
// earlier request counts.
func TestNoReport(t *testing.T) {
	for _, late := range []bool{false, true} {
		a := newCommitter(t, func(int, dimsetest.Request, func([]byte)) dimse.Status { return 0 })
		c := begin()
		n := committed(t, committing(t, a.Node), c)
		to := receive(t, n)
		send(t, to, stack("7", 2, "X")...)
		c.add(time.Minute)
		step(t, n)
		c.add(10*time.Minute - 1)
		if step(t, n); n.list[0].Parts[0].Attempts != 0 {
			t.Fatal("too early")
		}
		c.add(1)
		if step(t, n); n.list[0].State != Committing || n.list[0].Parts[0].Attempts != 1 || len(a.asks()) != 1 {
			t.Fatalf("%+v", n.Status())
		}
		c.add(10 * time.Second)
		if step(t, n); len(a.asks()) != 2 || len(a.sent) != 2 {
			t.Fatalf("%+v", n.Status())
		}
		want := Failed
		if late {
			want = Sent
			report(t, to, a.asks()[0].Transaction, a.asks()[0].Instances, nil)
			step(t, n)
		}
		for range 3 {
			c.add(time.Hour)
			step(t, n)
		}
		if n.list[0].State != want || late && len(a.asks()) != 2 || !late && (len(a.asks()) != 3 || n.list[0].Parts[0].Attempts != 3) {
			t.Errorf("late %v: %+v", late, n.Status())
		}
		n.Close()
	}
}

// TestCommitmentRefused counts as an attempt that failed.
func TestCommitmentRefused(t *testing.T) {
	a := newCommitter(t, func(k int, r dimsetest.Request, report func([]byte)) dimse.Status {
		if k < 3 {
			return dimse.ProcessingFailed
		}
		soon(func() { report(dimsetest.Report(r.Transaction, r.Instances, nil)) })
		return 0
	})
	c := begin()
	n := committed(t, committing(t, a.Node), c)
	defer n.Close()
	n.patience = time.Minute
	send(t, receive(t, n), stack("7", 2, "X")...)
	for i := range 3 {
		c.add(time.Minute)
		if step(t, n); i < 2 && (n.list[0].State != Committing || n.list[0].Parts[0].Attempts != i+1) {
			t.Fatalf("%+v", n.Status())
		}
	}
	if n.list[0].State != Sent || len(a.sent) != 2 {
		t.Errorf("%+v", n.Status())
	}
}

// TestCommitmentSurvivesACrash at every point: the archive is asked again if its report may be lost, has every
// instance, and the task ends.
func TestCommitmentSurvivesACrash(t *testing.T) {
	points := 0
	for at := 0; at <= points; at++ { // the first run counts points
		a := newCommitter(t, func(_ int, r dimsetest.Request, report func([]byte)) dimse.Status {
			soon(func() { report(dimsetest.Report(r.Transaction, r.Instances, nil)) })
			return 0
		})
		c := begin()
		s := committing(t, a.Node)
		n := committed(t, s, c)
		n.patience = time.Minute
		send(t, receive(t, n), stack("7", 2, "X")...)
		c.add(time.Minute)
		met := 0
		n.point = func() {
			if met++; met == at {
				panic(crash{})
			}
		}
		crashed := func() (crashed bool) {
			defer func() { crashed = recover() != nil }()
			step(t, n)
			return false
		}()
		if err := n.Close(); err != nil {
			t.Fatal(err)
		}
		if at == 0 {
			points = met
		} else if !crashed {
			t.Errorf("point %d: no crash", at)
		}
		n = committed(t, s, c)
		n.patience = time.Minute
		if step(t, n); n.list[0].State != Sent || len(a.Stored()) != 2 || len(a.asks()) < 1 || len(a.asks()) > 2 {
			t.Errorf("point %d: %+v, asked %d times", at, n.Status(), len(a.asks()))
		}
		n.Close()
	}
	if points < 8 {
		t.Errorf("%d points", points)
	}
}

// readAudit returns the audit log.
func readAudit(t *testing.T, n *Node) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(n.s.Folder, "audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// running runs a node until the returned function is called.
func running(t *testing.T, n *Node) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	listens, ran := make(chan struct{}), make(chan error)
	go func() { ran <- n.Run(ctx, func(net.Addr, net.Addr) { close(listens) }) }()
	<-listens
	return func() {
		cancel()
		if err := <-ran; err != nil {
			t.Error(err)
		}
	}
}

// TestOrthancCommits sends a result to an archive by others, which reports to the receiver of the node.
func TestOrthancCommits(t *testing.T) {
	back := dimsetest.FreePort(t)
	archive := dimsetest.Orthanc(t, back)
	s := committing(t, archive.Node)
	s.AETitle, s.Rules[0].To[0].From, s.Listen, s.IdleTimeout = "QUELL", "QUELL", fmt.Sprintf("127.0.0.1:%d", back), Duration(time.Millisecond)
	n, err := Open(s)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	stop := running(t, n)
	all := stack("7", 3, "X")
	for _, f := range all {
		f.With(tagInstances, "3").With(part10.TagStudyInstanceUID, "1.2.3.4")
	}
	send(t, dimse.Node{AETitle: "QUELL", Host: "127.0.0.1", Port: back}, all...)
	for n.Status().Tasks[Sent] == 0 { // fails by the time of the test
		time.Sleep(10 * time.Millisecond)
	}
	stop()
	if log := readAudit(t, n); !strings.Contains(log, `"event":"committed"`) {
		t.Error(log)
	}
}
