package session_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/pacs"
	"quell/assets"
	"quell/io/dimse"
	"quell/io/dimse/dimsetest"
	"quell/ui/session/desk"
)

// sendPlan plans the bundled series on a bench.
func sendPlan(t *testing.T, b *bench) (plan pacs.Plan) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ct")
	if err := os.CopyFS(dir, assets.Series); err != nil {
		t.Fatal(err)
	}
	b.Exports.PlanSend(dir, func(p pacs.Plan) { plan = p })
	if !b.Tasks.Busy() || b.Tasks.Loss() != desk.NoLoss {
		t.Fatal("the reading of the files is no task, or one that loses something")
	}
	b.settle()
	if len(plan.Objects) != 9 || b.Tasks.Busy() {
		t.Fatalf("%d files, %v", len(plan.Objects), b.errors)
	}
	return plan
}

func TestSend(t *testing.T) {
	b := newBench(t)
	plan := sendPlan(t, b)
	s := dimsetest.Start(t, dimsetest.Behaviour{})
	var report pacs.Report
	done := func(r pacs.Report, err error) {
		if err != nil {
			t.Error(err)
		}
		report = r
	}
	b.Exports.Send(plan, pacs.Place{To: s.String()}, done)
	if p := b.Tasks.Progress(); p.Kind != desk.Sending || b.Tasks.Loss() != desk.LosesSend || !strings.HasPrefix(p.Text, "Sending") {
		t.Errorf("%+v", p)
	}
	b.Exports.Send(plan, pacs.Place{To: s.String()}, func(pacs.Report, error) { t.Error("sent beside a task") })
	b.Exports.PlanSend(plan.Folder, func(pacs.Plan) { t.Error("planned beside a task") })
	b.settle()
	if report.Stored != 9 || len(s.Stored()) != 9 || b.Tasks.Busy() || b.Tasks.Message() != "The series is sent." || len(b.errors) != 0 {
		t.Errorf("%+v, %q, %v", report, b.Tasks.Message(), b.errors)
	}
}

// TestSendThatFails passes the error on with the report, and not to the listener.
func TestSendThatFails(t *testing.T) {
	b := newBench(t)
	plan := sendPlan(t, b)
	s := dimsetest.Start(t, dimsetest.Behaviour{Store: func(uid string, _ net.Conn) dimse.Status {
		if uid == plan.Objects[0].UID {
			return 0xA700
		}
		return 0
	}})
	failed := false
	b.Exports.Send(plan, pacs.Place{To: s.String()}, func(r pacs.Report, err error) {
		failed = err != nil && r.Stored == 8
	})
	b.settle()
	if !failed || b.Tasks.Busy() || len(b.errors) != 0 || b.Tasks.Message() != "" {
		t.Errorf("%v, %q", b.errors, b.Tasks.Message())
	}
	b.Exports.PlanSend(filepath.Join(plan.Folder, "none"), func(pacs.Plan) { t.Error("planned") })
	b.settle()
	if len(b.errors) != 1 {
		t.Errorf("%v", b.errors)
	}
}

// TestSendCancelled says how much is stored.
func TestSendCancelled(t *testing.T) {
	b := newBench(t)
	plan := sendPlan(t, b)
	second, goOn := make(chan bool), make(chan bool)
	s := dimsetest.Start(t, dimsetest.Behaviour{Store: func(uid string, _ net.Conn) dimse.Status {
		if uid == plan.Objects[1].UID {
			second <- true
			<-goOn
		}
		return 0
	}})
	b.Exports.Send(plan, pacs.Place{To: s.String()}, func(pacs.Report, error) { t.Error("done") })
	<-second
	b.Tasks.Cancel()
	if b.Tasks.Busy() {
		t.Error("it goes on")
	}
	b.settle()
	close(goOn)
	if want := "Cancelled; 1 of 9 files are stored on " + s.String() + "."; b.Tasks.Message() != want || len(b.errors) != 0 {
		t.Errorf("%q, want %q; %v", b.Tasks.Message(), want, b.errors)
	}
}

func TestEcho(t *testing.T) {
	b := newBench(t)
	s := dimsetest.Start(t, dimsetest.Behaviour{})
	var answers []error
	answer := func(err error) { answers = append(answers, err) }
	b.Exports.Echo(context.Background(), pacs.Place{To: s.String()}, answer)
	if b.Tasks.Busy() {
		t.Error("an echo is a task")
	}
	b.settle()
	ended, end := context.WithCancel(context.Background())
	end()
	b.Exports.Echo(ended, pacs.Place{To: s.String()}, answer)
	b.settle()
	if len(answers) != 2 || answers[0] != nil || answers[1] == nil {
		t.Errorf("%v", answers)
	}
}
