package serve

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"quell/app/job"
	"quell/io/dicom/part10"
)

// TestRetryByHand takes up what failed where it failed, with the rules of now, and nothing else.
func TestRetryByHand(t *testing.T) {
	a, c := newArchive(t), begin()
	s := settings(t, a)
	s.Attempts = 1
	if _, err := Retry(s); job.ExitCode(err) != job.ExitUsage {
		t.Errorf("without a node: %v", err)
	}
	n := node(t, s, c)
	defer func() { n.Close() }()
	to := receive(t, n)
	foot := stack("9", 2, "X")
	for _, f := range foot {
		f.With(part10.TagSeriesDescription, "Foot")
	}
	a.fails = 1
	send(t, to, stack("7", 2, "X")...) // not stored in the one attempt
	c.add(time.Minute)
	step(t, n)
	send(t, to, append(stack("8", 2, "X"), foot...)...)
	c.add(time.Minute)
	if step(t, n); n.list[0].State != Failed || n.list[1].State != Sent || n.list[2].State != Unmatched {
		t.Fatalf("%+v", n.Status())
	}
	shown, err := ReadStatus(s)
	if err != nil || len(shown.Latest) != 3 || shown.Tasks[Failed] != 1 || shown.Latest[2].Parts[0].Attempts != 1 || shown.Latest[0].Series != n.audit.hash("1.2.3.9") || shown.UsedBytes != n.folder.Used() {
		t.Errorf("%+v, %v", shown, err)
	}
	for _, wrong := range []int{2, 4, -1} {
		if _, err := Retry(s, wrong); job.ExitCode(err) != job.ExitUsage {
			t.Errorf("task %d: %v", wrong, err)
		}
	}
	if taken, err := Retry(s, 1); err != nil || !slices.Equal(taken, []int{1}) {
		t.Fatal(taken, err)
	}
	filtered := strings.Count(readAudit(t, n), `"event":"filtered"`)
	if step(t, n); n.list[0].State != Sent || n.list[2].State != Unmatched || n.list[0].Parts[0].Attempts != 0 || strings.Count(readAudit(t, n), `"event":"filtered"`) != filtered {
		t.Errorf("%+v", n.Status())
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	// While no node runs, and with a rule that takes the other.
	if taken, err := Retry(s); err != nil || !slices.Equal(taken, []int{3}) {
		t.Fatal(taken, err)
	}
	other := settings(t, a)
	other.Folder, other.Rules[0].criteria, other.Rules[0].Name = s.Folder, s.Rules[0].criteria, "foot"
	other.Rules[0].When = "SeriesDescription~foot"
	if err := other.Rules[0].check("QUELL"); err != nil {
		t.Fatal(err)
	}
	n = node(t, other, c)
	if step(t, n); n.list[2].State != Sent || n.list[2].Parts[0].Rule != "foot" {
		t.Errorf("%+v", n.Status())
	}
	if left, err := os.ReadDir(retryFolder(s)); err != nil || len(left) != 0 {
		t.Errorf("%v, %v", left, err)
	}
	if taken, err := Retry(s); err != nil || len(taken) != 0 {
		t.Error(taken, err)
	}
	a.fails = 1000
	send(t, receive(t, n), stack("6", 2, "X")...)
	for range 25 {
		c.add(time.Hour)
		step(t, n)
	}
	last := n.list[len(n.list)-1]
	c.add(8 * 24 * time.Hour)
	step(t, n)
	if _, err := Retry(s, last.Number); err == nil || !strings.Contains(err.Error(), "were removed") {
		t.Errorf("%+v: %v", last, err)
	}
}

// TestRetryWithOtherRules chooses rules anew if the one that failed is gone.
func TestRetryWithOtherRules(t *testing.T) {
	a, c := newArchive(t), begin()
	s := settings(t, a)
	s.Attempts, a.fails = 1, 1
	n := node(t, s, c)
	send(t, receive(t, n), stack("7", 2, "X")...)
	c.add(time.Minute)
	step(t, n)
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Retry(s); err != nil {
		t.Fatal(err)
	}
	s.Rules[0].Name = "renamed"
	n = node(t, s, c)
	defer n.Close()
	if step(t, n); n.list[0].State != Sent || n.list[0].Parts[0].Rule != "renamed" || len(a.files) != 2 {
		t.Errorf("%+v", n.Status())
	}
}

// TestMetrics has figures that grew, and no name, UID or address.
func TestMetrics(t *testing.T) {
	a, c := newArchive(t), begin()
	n := node(t, settings(t, a), c)
	defer n.Close()
	a.fails = 1
	send(t, receive(t, n), append(stack("7777001", 3, "ZQXSECRET"), stack("8", 1, "X")[0].With(part10.TagSeriesDescription, "x [Quell nlm]"))...)
	c.add(time.Minute)
	step(t, n)
	page := httptest.NewRecorder()
	n.page().ServeHTTP(page, httptest.NewRequest(http.MethodGet, "http://localhost/metrics", nil))
	text, _, _ := strings.Cut(page.Body.String(), "# HELP go_")
	for _, line := range []string{
		"quell_serve_instances_received_total 3\n", "quell_serve_instances_refused_total 1\n", "quell_serve_instances_sent_total 0\n",
		"quell_serve_failed_attempts_total{stage=\"send\"} 1\n", "quell_serve_failed_attempts_total{stage=\"filter\"} 0\n",
		"quell_serve_tasks{state=\"filtered\"} 1\n", "quell_serve_tasks{state=\"sent\"} 0\n", "quell_serve_quota_bytes 20000000000\n", "# TYPE quell_serve_seconds_total counter\n",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("%q is missing in %s", line, text)
		}
	}
	if strings.Contains(text, "quell_serve_received_bytes_total 0\n") || strings.Contains(text, "quell_serve_seconds_total{stage=\"filter\"} 0\n") {
		t.Error(text)
	}
	for _, secret := range []string{"ZQXSECRET", "7777001", "127.0.0.1", "head"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s is shown", secret)
		}
	}
	c.add(time.Minute)
	step(t, n)
	page = httptest.NewRecorder()
	n.page().ServeHTTP(page, httptest.NewRequest(http.MethodGet, "http://localhost/metrics", nil))
	if text := page.Body.String(); !strings.Contains(text, "quell_serve_tasks{state=\"sent\"} 1\n") || strings.Contains(text, "quell_serve_instances_sent_total 0\n") {
		t.Error(text)
	}
}

// TestAuditRotates: files have the size of the settings at most, the latest are kept, and no line is lost, also if the
// node ends between two steps of a rotation.
func TestAuditRotates(t *testing.T) {
	s := Settings{Folder: t.TempDir(), AuditMB: 1e-3, AuditFiles: 3}
	now := func() time.Time { return time.Unix(1e9, 0) }
	log, err := openAudit(s, now)
	if err != nil {
		t.Fatal(err)
	}
	lines := func() (all []string) {
		t.Helper()
		names, err := filepath.Glob(filepath.Join(s.Folder, "audit*.log")) // in order: audit.0* is before audit.log
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil || len(b) > 1000 {
				t.Fatalf("%s: %d bytes, %v", name, len(b), err)
			}
			all = append(all, strings.FieldsFunc(string(b), func(r rune) bool { return r == '\n' })...)
		}
		return all
	}
	for i := range 60 {
		log.write(entry{Event: "x", Task: i + 1})
	}
	all := lines()
	if names, err := filepath.Glob(filepath.Join(s.Folder, "audit.0*.log")); err != nil || len(names) != 3 {
		t.Errorf("%v, %v", names, err)
	}
	for i, line := range all {
		if want := `"task":` + strconv.Itoa(60-len(all)+1+i) + `}`; !strings.HasSuffix(line, want) {
			t.Fatalf("line %d is %s, not %s", i, line, want)
		}
	}
	if len(all) < 40 {
		t.Errorf("%d lines are left", len(all))
	}
	if err := log.close(); err != nil {
		t.Fatal(err)
	}
	// A crash after the rename, before the next file and the removal.
	if err := os.Rename(filepath.Join(s.Folder, "audit.log"), filepath.Join(s.Folder, "audit.000900.log")); err != nil {
		t.Fatal(err)
	}
	if log, err = openAudit(s, now); err != nil {
		t.Fatal(err)
	}
	defer log.close()
	before := lines()
	log.write(entry{Event: "x", Task: 61})
	if after := lines(); len(after) < len(before)+1 || !strings.HasSuffix(after[len(after)-1], `"task":61}`) {
		t.Errorf("%d lines after %d", len(after), len(before))
	}
	for i := range 20 {
		log.write(entry{Event: "x", Task: 62 + i})
	}
	if names, err := filepath.Glob(filepath.Join(s.Folder, "audit.0*.log")); err != nil || len(names) != 3 || filepath.Base(names[2]) < "audit.000901.log" {
		t.Errorf("%v, %v", names, err)
	}
}
