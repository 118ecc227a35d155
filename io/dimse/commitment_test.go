package dimse_test

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"quell/io/dimse"
	"quell/io/dimse/dimsetest"
)

var references = []dimse.Reference{{SOPClass: "1.2.840.10008.5.1.4.1.1.2", UID: "1.2.3.4"}, {SOPClass: "1.2.840.10008.5.1.4.1.1.2", UID: "1.2.3.45"}}

// TestCommitment asks for commitment and gets the report over the same association.
func TestCommitment(t *testing.T) {
	var asked dimsetest.Request
	s := dimsetest.Start(t, dimsetest.Behaviour{Commit: func(r dimsetest.Request, report func([]byte)) dimse.Status {
		asked = r
		time.AfterFunc(20*time.Millisecond, func() { report(dimsetest.Report(r.Transaction, r.Instances[:1], r.Instances[1:])) })
		return 0
	}})
	a := dial(t, s.Node, config, dimse.CommitmentContexts()...)
	if err := a.RequestCommitment(context.Background(), "2.25.7", references); err != nil {
		t.Fatal(err)
	}
	c, came, err := a.AwaitCommitment(context.Background(), time.Minute)
	if err != nil || !came || c.Transaction != "2.25.7" || !slices.Equal(c.Committed, []string{"1.2.3.4"}) || len(c.Failed) != 1 || c.Failed["1.2.3.45"] != 0x0112 {
		t.Errorf("%+v, %v, %v", c, came, err)
	}
	if asked.Transaction != "2.25.7" || !slices.Equal(asked.Instances, []string{"1.2.3.4", "1.2.3.45"}) {
		t.Errorf("asked for %+v", asked)
	}
	if err := a.Release(context.Background()); err != nil {
		t.Error(err)
	}
	if seen := s.Seen(); !slices.Equal(seen.Reports, []dimse.Status{0}) || seen.Released != 1 {
		t.Errorf("%+v", seen)
	}
}

// TestNoCommitment: no report in time, or before the context ends, leaves an association that can be released.
func TestNoCommitment(t *testing.T) {
	s := dimsetest.Start(t, dimsetest.Behaviour{Commit: func(dimsetest.Request, func([]byte)) dimse.Status { return 0 }})
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for ctx, wait := range map[context.Context]time.Duration{context.Background(): 10 * time.Millisecond, t.Context(): 0, ended: time.Hour} {
		a := dial(t, s.Node, config, dimse.CommitmentContexts()...)
		if err := a.RequestCommitment(context.Background(), "2.25.7", references); err != nil {
			t.Fatal(err)
		}
		if c, came, err := a.AwaitCommitment(ctx, wait); err != nil || came {
			t.Errorf("%+v, %v", c, err)
		}
		if err := a.Release(context.Background()); err != nil {
			t.Error(err)
		}
	}
	if seen := s.Seen(); seen.Released != 3 {
		t.Errorf("%+v", seen)
	}
}

// TestCommitmentRefused is one sentence.
func TestCommitmentRefused(t *testing.T) {
	s := dimsetest.Start(t, dimsetest.Behaviour{Commit: func(dimsetest.Request, func([]byte)) dimse.Status { return 0x0110 }})
	a := dial(t, s.Node, config, dimse.CommitmentContexts()...)
	wantError(t, a.RequestCommitment(context.Background(), "2.25.7", references), "the request of storage commitment was refused (processing failed (status 0110))")
	a.Abort()
	for _, uid := range []string{"", "x", strings.Repeat("1", 65)} {
		b := dial(t, s.Node, config, dimse.CommitmentContexts()...)
		if b.RequestCommitment(context.Background(), uid, references) == nil {
			t.Errorf("the transaction %q is taken", uid)
		}
		b.Abort()
	}
	none := dimsetest.Start(t, dimsetest.Behaviour{Refuse: func(dimse.Context) byte { return 3 }})
	c := dial(t, none.Node, config, dimse.CommitmentContexts()...)
	wantError(t, c.RequestCommitment(context.Background(), "2.25.7", references), "it does not store this kind of object")
	c.Abort()
}

// TestHostileReports end in a sentence, over the same association and by a receiver.
func TestHostileReports(t *testing.T) {
	good := dimsetest.Report("2.25.7", []string{"1.2.3.4"}, nil)
	for what, c := range map[string]struct {
		data []byte
		want string
	}{
		"no transaction":      {good[18:], "a report that cannot be read"},
		"cut off":             {good[:len(good)-3], "a report that cannot be read"},
		"a path for a UID":    {dimsetest.Report("2.25.7", []string{"../../1"}, nil), "a report that cannot be read"},
		"another transaction": {dimsetest.Report("2.25.x", nil, nil), "a report that cannot be read"},
	} {
		s := dimsetest.Start(t, dimsetest.Behaviour{Commit: func(_ dimsetest.Request, report func([]byte)) dimse.Status {
			time.AfterFunc(time.Millisecond, func() { report(c.data) })
			return 0
		}})
		a := dial(t, s.Node, config, dimse.CommitmentContexts()...)
		if err := a.RequestCommitment(context.Background(), "2.25.7", references); err != nil {
			t.Fatal(err)
		}
		_, came, err := a.AwaitCommitment(context.Background(), time.Minute)
		if wantError(t, err, c.want); came {
			t.Error(what)
		}
		a.Abort()
		n := listen(t, &dimse.Receiver{Committed: func(context.Context, dimse.Peer, dimse.Commitment) dimse.Status {
			t.Errorf("%s: it is handed over", what)
			return 0
		}, Handler: keeper{}})
		if _, _, err := dimsetest.SendReport(n, "PACS", c.data); err == nil {
			t.Errorf("%s: the receiver answers", what)
		}
	}
}

// TestReports: a receiver takes reports of an association of the archive's, in the role that it asks for, if somebody
// waits for them.
func TestReports(t *testing.T) {
	var got []dimse.Commitment
	n := listen(t, &dimse.Receiver{Handler: keeper{}, Committed: func(_ context.Context, p dimse.Peer, c dimse.Commitment) dimse.Status {
		got = append(got, c)
		if p.Calling != "PACS" || c.Transaction != "2.25.7" {
			return dimse.ProcessingFailed
		}
		return 0
	}})
	for transaction, want := range map[string]dimse.Status{"2.25.7": 0, "2.25.8": dimse.ProcessingFailed} {
		role, s, err := dimsetest.SendReport(n, "PACS", dimsetest.Report(transaction, []string{"1.2.3.4", "1.2.3.45"}, []string{"1.2.9"}))
		if err != nil || !role || s != want {
			t.Errorf("role %v, %v, %v", role, s, err)
		}
	}
	if len(got) != 2 || len(got[0].Committed) != 2 || got[0].Failed["1.2.9"] != 0x0112 {
		t.Errorf("%+v", got)
	}
	role, _, err := dimsetest.SendReport(listen(t, &dimse.Receiver{Handler: keeper{}}), "PACS", nil)
	if role || err == nil {
		t.Errorf("taken by a receiver that waits for none: %v", err)
	}
}

// TestOrthancCommits asks an archive by others for commitment of what it has and of what it has not. It reports by an
// association of its own.
func TestOrthancCommits(t *testing.T) {
	back := dimsetest.FreePort(t)
	archive, all := dimsetest.Orthanc(t, back), dimsetest.Slices(t, "../../assets", 3)
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", back))
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan dimse.Commitment, 1)
	receive(t, &dimse.Receiver{Handler: keeper{}, AETitle: "QUELL", Committed: func(_ context.Context, _ dimse.Peer, c dimse.Commitment) dimse.Status {
		got <- c
		return 0
	}}, listener)
	a := dial(t, archive.Node, config, append(dimse.CommitmentContexts(), all[0].Context)...)
	asked := []dimse.Reference{{SOPClass: all[0].SOPClass, UID: "1.2.3.4.5"}}
	for _, s := range all {
		if answer, err := a.Store(context.Background(), s.Instance()); err != nil || answer.Status != 0 {
			t.Fatal(answer, err)
		}
		asked = append(asked, dimse.Reference{SOPClass: s.SOPClass, UID: s.UID})
	}
	if err := a.RequestCommitment(context.Background(), "2.25.123", asked); err != nil {
		t.Fatal(err)
	}
	if err := a.Release(context.Background()); err != nil {
		t.Fatal(err)
	}
	select {
	case c := <-got:
		if c.Transaction != "2.25.123" || len(c.Committed) != 3 || len(c.Failed) != 1 || c.Failed["1.2.3.4.5"] != 0x0112 {
			t.Errorf("%+v", c)
		}
	case <-time.After(time.Minute):
		t.Fatal("no report")
	}
}
