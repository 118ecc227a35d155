package serve

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"quell/app/job"
	"quell/app/journal"
	_ "quell/app/output" // registers the outputs of a job
	"quell/app/pacs"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
	"quell/io/dimse"
	"quell/io/dimse/dimsetest"
)

// archive is a node to which results are sent.
type archive struct {
	dimse.Node
	mu    sync.Mutex
	files map[string][]byte // by instance UID
	times map[string]int    // that it was sent
	fails int               // instances that are refused first
	came  chan<- string     // of instances; nil for none
}

func (a *archive) Accept(dimse.Peer) error { return nil }

func (a *archive) Store(_ context.Context, _ dimse.Peer, i *dimse.Arrival) dimse.Status {
	b, err := io.ReadAll(i)
	if err != nil {
		return dimse.ProcessingFailed
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.fails > 0 {
		a.fails--
		return dimse.OutOfResources
	}
	a.files[i.UID] = b
	a.times[i.UID]++
	if a.came != nil {
		a.came <- i.UID
	}
	return 0
}

// receive runs a handler as a receiver until the test ends.
func receive(t *testing.T, h dimse.Handler) dimse.Node {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error)
	r := &dimse.Receiver{Handler: h}
	if n, ok := h.(*Node); ok {
		r.Committed, r.Ended = n.Committed, n.ended
	}
	go func() { served <- r.Serve(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return dimse.Node{AETitle: "PACS", Host: "127.0.0.1", Port: listener.Addr().(*net.TCPAddr).Port}
}

func newArchive(t *testing.T) *archive {
	t.Helper()
	a := &archive{files: map[string][]byte{}, times: map[string]int{}}
	a.Node = receive(t, a)
	return a
}

// stack returns the slices of a series, all of a patient.
func stack(series string, n int, patient string) (all []*dicomtest.Fake) {
	for i := range n {
		f := dicomtest.NewFake(fmt.Sprintf("%s.%d", series, i), 2.5*float64(i), 100*i).With(part10.TagInstanceNumber, fmt.Sprint(i+1))
		all = append(all, f.With(part10.TagSeriesInstanceUID, "1.2.3."+series).With(part10.TagPatientName, patient).With(part10.TagPatientID, patient))
	}
	return all
}

// send stores files and returns the statuses, fewer if the connection failed.
func send(t *testing.T, to dimse.Node, files ...*dicomtest.Fake) (statuses []dimse.Status) {
	t.Helper()
	c := dimse.Context{SOPClass: dicomtest.CtClass, Syntax: part10.UIDExplicitLE}
	a, err := dimse.Dial(context.Background(), to, dimse.Config{Calling: "CT1"}, []dimse.Context{c})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Abort()
	for _, f := range files {
		b := f.Dataset()
		answer, err := a.Store(context.Background(), dimse.Instance{Context: c, UID: f.Values[part10.TagSOPInstanceUID].(string), Data: bytes.NewReader(b), Size: int64(len(b))})
		if err != nil {
			return statuses
		}
		statuses = append(statuses, answer.Status)
	}
	return statuses
}

// settings of a node with one rule, which smooths what has "Head" in its description.
func settings(t *testing.T, a *archive) Settings {
	t.Helper()
	s, err := ParseSettings([]byte(fmt.Sprintf(`{"folder": %q, "ae_title": "QUELL", "callers": ["CT1"], "rules": [
		{"name": "head", "when": "Modality=CT,SeriesDescription~head", "do": {"filter": "gaussian", "verdict": false, "noise_map": "none", "engine": "cpu"}, "to": {"to": %q}}
	]}`, filepath.Join(t.TempDir(), "node"), a.Node)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// clock is a time that a test moves.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

func node(t *testing.T, s Settings, c *clock) *Node {
	t.Helper()
	n, err := openAt(s, c.now)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func step(t *testing.T, n *Node) {
	t.Helper()
	drain(t.Context(), n)
}

// drain does all that can be done now, one lane after another.
func drain(ctx context.Context, n *Node) {
	for did := true; did && ctx.Err() == nil; {
		did = false
		for _, l := range n.lanes {
			did = n.turn(ctx, l) || did
		}
	}
}

// begin is later than the times of the files that tests write.
func begin() *clock { return &clock{t: time.Now().Add(time.Hour)} }

// TestSeries goes the whole way: complete after the idle timeout and not before, filtered, sent, removed.
func TestSeries(t *testing.T) {
	a, c := newArchive(t), begin()
	s := settings(t, a)
	n := node(t, s, c)
	defer n.Close()
	if got := send(t, receive(t, n), stack("7", 4, "X")...); !slices.Equal(got, make([]dimse.Status, 4)) {
		t.Fatal(got)
	}
	c.add(time.Duration(s.IdleTimeout) - 1)
	if step(t, n); n.Status().Instances != 4 || len(n.list) != 0 {
		t.Fatalf("complete too early: %+v", n.Status())
	}
	c.add(1)
	step(t, n)
	if got := n.Status(); got.Tasks[Sent] != 1 || got.Arriving != 0 || got.Latest[0].Parts[0].Made != 4 || got.Latest[0].Parts[0].Rule != "head" {
		t.Fatalf("%+v", got)
	}
	if len(a.files) != 4 {
		t.Fatalf("%d instances", len(a.files))
	}
	for _, b := range a.files {
		p, err := part10.TokenizeBytes(b, nil)
		if err != nil || p.PixelIndex < 0 || !bytes.Contains(b, []byte("Head [Quell gaussian]")) || !bytes.Contains(b, []byte("1.2.3.1")) {
			t.Errorf("%v: no result", err)
		}
	}
	c.add(time.Duration(s.Keep) + 1)
	step(t, n)
	if left, err := filepath.Glob(filepath.Join(s.Folder, "*", "*")); err != nil || len(left) != 1 || filepath.Base(left[0]) != "00000001.json" || n.folder.Used() != 0 || !n.list[0].Gone {
		t.Errorf("%v is left, %d bytes, %v", left, n.folder.Used(), err)
	}
	c.add(forget - 2)
	if step(t, n); len(n.list) != 1 {
		t.Error("forgotten too early")
	}
	c.add(2)
	step(t, n)
	if left, err := filepath.Glob(filepath.Join(s.Folder, "*", "*")); err != nil || len(left) != 0 || len(n.list) != 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// TestComplete counts instances if a series says how many it has; an instance received twice counts once.
func TestComplete(t *testing.T) {
	a, c := newArchive(t), begin()
	n := node(t, settings(t, a), c)
	defer n.Close()
	to := receive(t, n)
	files := stack("7", 3, "X")
	for _, f := range files {
		f.With(tagInstances, "3")
	}
	send(t, to, files[0], files[1], files[1])
	if step(t, n); len(n.list) != 0 {
		t.Fatal("complete with 2 of 3")
	}
	send(t, to, files[2])
	if step(t, n); len(n.list) != 1 || n.list[0].State != Sent || len(n.list[0].Files) != 3 {
		t.Fatalf("%+v", n.Status())
	}
}

const tagInstances part10.Tag = 0x0020_1209

// TestLateInstances: late instances make a new task with all instances; an instance received again unchanged makes none.
func TestLateInstances(t *testing.T) {
	a, c := newArchive(t), begin()
	s := settings(t, a)
	n := node(t, s, c)
	defer func() { n.Close() }()
	to, files := receive(t, n), stack("7", 5, "X")
	send(t, to, files[:3]...)
	c.add(time.Minute)
	step(t, n)
	send(t, to, files[:2]...)
	c.add(time.Minute)
	if step(t, n); len(n.list) != 1 || n.Status().Instances != 0 {
		t.Fatalf("what came again: %+v", n.Status())
	}
	send(t, to, files[3:]...)
	c.add(time.Minute)
	if step(t, n); len(n.list) != 2 || n.list[0].State != Superseded || n.list[1].State != Sent || n.list[1].Parts[0].Made != 5 {
		t.Fatalf("%+v", n.Status())
	}
	changed := stack("7", 5, "X")[4]
	changed.Pixels[0]++
	send(t, to, changed)
	c.add(time.Minute)
	if step(t, n); len(n.list) != 3 || n.list[2].State != Sent || len(n.list[2].Files) != 5 {
		t.Fatalf("another image of the same UID: %+v", n.Status())
	}
	c.add(2 * time.Hour)
	if step(t, n); n.folder.Used() != 0 || len(n.list) != 1 {
		t.Errorf("%d bytes are left; %+v", n.folder.Used(), n.Status())
	}

	// When the images are removed, what comes again is dropped still, and what is new is no series of its own.
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	n = node(t, s, c)
	to = receive(t, n)
	arrived := len(a.files)
	send(t, to, append(files[:4:4], changed)...)
	c.add(time.Minute)
	if step(t, n); len(n.list) != 1 || n.folder.Used() != 0 || n.Status().Instances != 0 {
		t.Errorf("again: %+v", n.Status())
	}
	send(t, to, stack("7", 6, "X")[5])
	c.add(time.Minute)
	if step(t, n); len(n.list) != 2 || n.list[1].State != Late || n.list[0].State != Sent || len(a.files) != arrived {
		t.Errorf("late: %+v", n.Status())
	}
	if names, err := os.ReadDir(filepath.Join(s.Folder, "in")); err != nil || len(names) != 1 {
		t.Errorf("%v, %v", names, err)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	n = node(t, s, c)
	if step(t, n); len(n.list) != 2 || n.list[1].State != Late || len(a.files) != arrived {
		t.Errorf("after a restart: %+v", n.Status())
	}
	c.add(8 * 24 * time.Hour)
	if step(t, n); n.folder.Used() != 0 || len(n.list) != 1 {
		t.Errorf("%d bytes are left; %+v", n.folder.Used(), n.Status())
	}
}

// TestLoopGuard refuses what Quell filtered, by its equipment and by its description.
func TestLoopGuard(t *testing.T) {
	a, c := newArchive(t), begin()
	n := node(t, settings(t, a), c)
	defer n.Close()
	to := receive(t, n)
	send(t, to, stack("7", 3, "X")...)
	c.add(time.Minute)
	step(t, n)
	before := len(n.list)
	for uid, b := range a.files {
		p, err := part10.TokenizeBytes(b, nil)
		if err != nil {
			t.Fatal(err)
		}
		data := b[p.Elements[0].Start:]
		renamed := bytes.Replace(data, []byte("Head [Quell gaussian]"), []byte("Head, by the router  "), 1)
		cx := dimse.Context{SOPClass: dicomtest.CtClass, Syntax: part10.UIDExplicitLE}
		for _, b := range [][]byte{data, renamed} {
			as, err := dimse.Dial(context.Background(), to, dimse.Config{Calling: "PACS"}, []dimse.Context{cx})
			if err != nil {
				t.Fatal(err)
			}
			answer, err := as.Store(context.Background(), dimse.Instance{Context: cx, UID: uid, Data: bytes.NewReader(b), Size: int64(len(b))})
			if err != nil || answer.Status != notAuthorized {
				t.Errorf("%v, %v", answer, err)
			}
			as.Abort()
		}
	}
	c.add(time.Minute)
	if step(t, n); len(n.list) != before || n.Status().Refused != 6 {
		t.Errorf("%+v", n.Status())
	}
}

// TestRetry sends again after a wait that grows, and gives up after the attempts of the settings.
func TestRetry(t *testing.T) {
	a, c := newArchive(t), begin()
	s := settings(t, a)
	s.Attempts = 3
	n := node(t, s, c)
	defer n.Close()
	to := receive(t, n)
	a.fails = 4 // the first attempt stores none of 3, the second two
	send(t, to, stack("7", 3, "X")...)
	c.add(time.Minute)
	if step(t, n); n.list[0].State != Filtered || n.list[0].Parts[0].Attempts != 1 || n.list[0].Parts[0].Problem == "" {
		t.Fatalf("%+v", n.list[0])
	}
	c.add(10*time.Second - 1)
	if step(t, n); n.list[0].Parts[0].Attempts != 1 {
		t.Fatal("too early")
	}
	c.add(1)
	if step(t, n); n.list[0].Parts[0].Attempts != 2 || len(a.files) != 2 {
		t.Fatalf("%+v", n.list[0])
	}
	c.add(20 * time.Second)
	if step(t, n); n.list[0].State != Sent || len(a.files) != 3 {
		t.Fatalf("%+v", n.list[0])
	}
	a.fails = 1000
	send(t, to, stack("8", 3, "X")...)
	for range 5 {
		c.add(time.Hour / 2)
		step(t, n)
	}
	last := n.list[len(n.list)-1]
	if last.State != Failed || last.Parts[0].Attempts != 3 {
		t.Fatalf("%+v", last)
	}
	c.add(2 * time.Hour)
	if step(t, n); !n.list[0].Gone || n.list[1].Gone {
		t.Fatal("the images of a task that failed are gone as soon as those of one that is done")
	}
	c.add(8 * 24 * time.Hour)
	if step(t, n); !n.list[1].Gone || n.folder.Used() != 0 {
		t.Fatal("the images of a task that failed are kept for ever")
	}
	if backoff(1) != 10*time.Second || backoff(100) != 30*time.Minute {
		t.Error(backoff(1), backoff(100))
	}
}

// TestUnmatched leaves a series alone that no rule takes, and one that cannot be filtered.
func TestUnmatched(t *testing.T) {
	a, c := newArchive(t), begin()
	n := node(t, settings(t, a), c)
	defer n.Close()
	to := receive(t, n)
	other := stack("8", 2, "X")
	for _, f := range other {
		f.With(part10.TagSeriesDescription, "Foot")
	}
	broken := stack("9", 1, "X")
	broken[0].Pixels = broken[0].Pixels[:4]
	send(t, to, append(other, broken...)...)
	c.add(time.Minute)
	step(t, n)
	if got := n.Status().Tasks; got[Unmatched] != 1 || got[Failed] != 1 || len(a.files) != 0 {
		t.Errorf("%v", got)
	}
}

// TestSeveral: rules and destinations go their own ways. One archive that is full keeps no other from its result, and a
// rule that lets no other take the series is the last.
func TestSeveral(t *testing.T) {
	one, two, c := newArchive(t), newArchive(t), begin()
	do := `{"filter": %q, "verdict": false, "noise_map": "none", "engine": "cpu"}`
	s, err := ParseSettings([]byte(fmt.Sprintf(`{"folder": %q, "ae_title": "QUELL", "attempts": 2, "rules": [
		{"name": "none", "when": "Modality=MR", "do": `+do+`, "to": {"to": %q}},
		{"name": "both", "also": true, "do": `+do+`, "to": [{"to": %q}, {"to": %q}]},
		{"name": "first", "do": `+do+`, "to": {"to": %q}},
		{"name": "never", "do": `+do+`, "to": {"to": %q}}
	]}`, filepath.Join(t.TempDir(), "node"), "median", one.Node, "gaussian", one.Node, two.Node, "median", one.Node, "bilateral", two.Node)))
	if err != nil {
		t.Fatal(err)
	}
	n := node(t, s, c)
	defer func() { n.Close() }()
	two.fails = 3
	send(t, receive(t, n), stack("7", 2, "X")...)
	c.add(time.Minute)
	if step(t, n); len(one.files) != 4 || len(two.files) != 0 || n.list[0].State != Filtered || len(n.list[0].Parts) != 3 {
		t.Fatalf("%d and %d files; %+v", len(one.files), len(two.files), n.Status())
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	n = node(t, s, c)
	c.add(time.Minute)
	if step(t, n); len(two.files) != 1 || n.list[0].State != Failed || n.list[0].Parts[0].State != Sent || n.list[0].Parts[1].State != Failed || n.list[0].Parts[2].State != Sent {
		t.Fatalf("%d files; %+v", len(two.files), n.Status())
	}
	for uid, times := range one.times {
		if times != 1 {
			t.Errorf("%s was sent %d times", uid, times)
		}
	}
	descriptions := map[string]int{}
	for _, b := range one.files {
		for _, filter := range []string{"[Quell gaussian]", "[Quell median]"} {
			if bytes.Contains(b, []byte(filter)) {
				descriptions[filter]++
			}
		}
	}
	if descriptions["[Quell gaussian]"] != 2 || descriptions["[Quell median]"] != 2 {
		t.Error(descriptions)
	}
}

// TestPoison: a series on which the process ends again and again fails in the end, and others go on.
func TestPoison(t *testing.T) {
	for starts, want := range map[int]State{mostStarts - 1: Sent, mostStarts: Failed} {
		a, c := newArchive(t), begin()
		n := node(t, settings(t, a), c)
		send(t, receive(t, n), stack("7", 2, "X")...)
		c.add(time.Minute)
		n.turn(t.Context(), n.lanes[0])
		path := n.starts(n.list[0])
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			err = os.WriteFile(path, fmt.Appendf(nil, "%d another\n", starts), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if step(t, n); n.list[0].State != want {
			t.Errorf("after %d starts: %+v", starts, n.list[0])
		}
		n.Close()
	}
}

// TestStopped: a node that is stopped in its work leaves the task as it was.
func TestStopped(t *testing.T) {
	a, c := newArchive(t), begin()
	s := settings(t, a)
	n := node(t, s, c)
	send(t, receive(t, n), stack("7", 2, "X")...)
	c.add(time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	met := 0
	n.point = func() {
		if met++; met == 3 { // after the task was made: the input is linked
			cancel()
		}
	}
	drain(ctx, n)
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	n = node(t, s, c)
	defer n.Close()
	if len(n.list) != 1 || n.list[0].State != Waiting || journal.Ended(n.starts(n.list[0])) != 0 || n.list[0].Parts != nil {
		t.Fatalf("%+v", n.list)
	}
	if step(t, n); n.list[0].State != Sent || len(a.files) != 2 {
		t.Errorf("%+v", n.list[0])
	}
}

// crash ends a node at a point.
type crash struct{}

// crashing is a node that may crash while it receives; the sender then has no confirmation.
type crashing struct{ n *Node }

func (c *crashing) Accept(p dimse.Peer) error { return c.n.Accept(p) }

func (c *crashing) Store(ctx context.Context, p dimse.Peer, a *dimse.Arrival) (s dimse.Status) {
	defer func() {
		if recover() != nil {
			s = dimse.ProcessingFailed
		}
	}()
	return c.n.Store(ctx, p, a)
}

// TestCrashAtEveryPoint: every instance that was confirmed to the sender arrives at the archive, each series once, at
// whichever point the node crashes, also if it crashes again and again.
func TestCrashAtEveryPoint(t *testing.T) {
	var want map[string][]byte
	points := 0
	for at := 0; at == 0 || at <= points; at++ { // the first run counts points
		a, c := newArchive(t), begin()
		s := settings(t, a)
		n := node(t, s, c)
		h := &crashing{n}
		to := receive(t, h)
		met, crashes := 0, 0
		arm := func(n *Node) {
			n.point = func() {
				if met++; at > 0 && (met == at || met == at+3) {
					panic(crash{})
				}
			}
		}
		arm(n)
		restart := func() {
			crashes++
			if err := h.n.Close(); err != nil { // the system does it for a process that ends
				t.Fatal(err)
			}
			h.n = node(t, s, c)
			arm(h.n)
		}
		left := append(stack("7", 3, "X"), stack("8", 2, "X")...)
		for len(left) > 0 {
			if status := send(t, to, left[0]); len(status) == 1 && status[0] == 0 {
				left = left[1:]
			} else {
				restart()
			}
		}
		finish := func() (crashed bool) {
			defer func() {
				if r := recover(); r != nil {
					if _, ours := r.(crash); !ours {
						panic(r)
					}
					crashed = true
				}
			}()
			step(t, h.n)
			return false
		}
		for _, wait := range []time.Duration{time.Minute, 2 * time.Hour, 31 * 24 * time.Hour} { // idle, kept, forgotten
			c.add(wait)
			for finish() {
				restart()
				c.add(time.Duration(s.IdleTimeout))
			}
		}
		if at == 0 {
			points, want = met, a.files
			for uid, times := range a.times {
				if times != 1 {
					t.Errorf("without a crash %s was sent %d times", uid, times)
				}
			}
		} else if crashes == 0 {
			t.Errorf("point %d of %d: no crash", at, points)
		}
		if len(a.files) != 5 || len(h.n.list) != 0 || h.n.folder.Used() != 0 {
			t.Errorf("point %d: %d instances arrived; %d tasks and %d bytes are left", at, len(a.files), len(h.n.list), h.n.folder.Used())
		}
		for uid := range want {
			if a.files[uid] == nil {
				t.Errorf("point %d: an instance has another UID or is missing", at)
			}
		}
		h.n.Close()
	}
	if points < 20 {
		t.Errorf("%d points", points)
	}
}

// TestIdentities: no name, ID or UID of a patient is in the audit log, the status page or the log of the program.
func TestIdentities(t *testing.T) {
	const secret = "ZQXSECRET"
	a, c := newArchive(t), begin()
	s := settings(t, a)
	n := node(t, s, c)
	defer n.Close()
	to := receive(t, n)
	all := append(stack("7777001", 3, secret+"^A"), stack("7777002", 2, secret+"^B")...)
	for i, f := range all {
		f.With(part10.TagStudyInstanceUID, "1.2.3.7777003")
		if i >= 3 {
			f.With(part10.TagSeriesDescription, secret)
		}
	}
	broken := stack("7777004", 1, secret)[0].With(part10.TagSeriesDescription, "Head "+secret)
	broken.Pixels = broken.Pixels[:4]
	filtered := stack("7777005", 1, secret)[0].With(part10.TagSeriesDescription, secret+" [Quell nlm]")
	a.fails = 2
	send(t, to, append(all, broken, filtered)...)
	for range 4 {
		c.add(time.Minute)
		step(t, n)
	}
	page := httptest.NewRecorder()
	n.page().ServeHTTP(page, httptest.NewRequest(http.MethodGet, "http://127.0.0.1/", nil))
	log, err := os.ReadFile(filepath.Join(s.Folder, "audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	if got := n.Status().Tasks; got[Sent] != 1 || got[Failed] != 1 || got[Unmatched] != 1 {
		t.Errorf("%v", got)
	}
	for what, text := range map[string]string{"the audit log": string(log), "the status page": page.Body.String()} {
		if text == "" || strings.Contains(text, secret) || strings.Contains(text, "7777") {
			t.Errorf("%s: %s", what, text)
		}
	}
	hash := n.audit.hash("1.2.3.7777001")
	if !strings.Contains(string(log), hash) || !strings.Contains(page.Body.String(), hash) || !strings.Contains(string(log), "filtered by Quell") {
		t.Errorf("%s is missing in %s", hash, log)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(log)), "\n") {
		if !json.Valid([]byte(line)) {
			t.Errorf("%q", line)
		}
	}
	for name, mode := range map[string]os.FileMode{"": 0o700, "in": 0o700, "key": 0o600, "audit.log": 0o600} {
		if info, err := os.Stat(filepath.Join(s.Folder, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	foreign := httptest.NewRecorder()
	n.page().ServeHTTP(foreign, httptest.NewRequest(http.MethodGet, "http://evil.example/", nil))
	if foreign.Code != http.StatusForbidden {
		t.Errorf("another host gets %d", foreign.Code)
	}
}

// TestTLS receives over TLS, from who shows a certificate of the authority.
func TestTLS(t *testing.T) {
	a := newArchive(t)
	s := settings(t, a)
	pair, pool := dimsetest.Certificate(t)
	certificate, key := dimsetest.CertificateFiles(t, pair)
	s.Listen, s.TLS = "127.0.0.1:0", &TLS{Certificate: certificate, Key: key, Clients: certificate}
	n, err := Open(s)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	ctx, cancel := context.WithCancel(context.Background())
	address := make(chan net.Addr, 1)
	ran := make(chan error)
	go func() { ran <- n.Run(ctx, func(receiver, _ net.Addr) { address <- receiver }) }()
	to := dimse.Node{AETitle: "QUELL", Host: "127.0.0.1", Port: (<-address).(*net.TCPAddr).Port}
	with := &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	without := &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	for c, want := range map[*tls.Config]bool{with: true, without: false, nil: false} {
		as, err := dimse.Dial(context.Background(), to, dimse.Config{Calling: "CT1", TLS: c}, []dimse.Context{dimse.Verification})
		if (err == nil) != want {
			t.Errorf("let in %v, want %v: %v", err == nil, want, err)
		}
		if err == nil {
			as.Abort()
		}
	}
	cancel()
	if err := <-ran; err != nil {
		t.Error(err)
	}
	for _, wrong := range []TLS{{Certificate: "none", Key: key}, {Certificate: certificate, Key: key, Clients: "none"}, {Certificate: certificate, Key: key, Clients: key}} {
		if s.TLS = &wrong; n.s.check() != nil {
			t.Error("the files are read too early")
		}
		if _, err := s.Config(time.Now()); err == nil {
			t.Errorf("%+v is taken", wrong)
		}
	}
	s.TLS = &TLS{Certificate: certificate, Key: key}
	for hours, want := range map[time.Duration]bool{0: true, 2: false} {
		if _, err := s.Config(time.Now().Add(hours * time.Hour)); (err == nil) != want {
			t.Errorf("a certificate of an hour after %d hours: %v", hours, err)
		}
	}
	if log := readAudit(t, n); strings.Count(log, "association rejected") != 2 {
		t.Error(log)
	}
}

func TestOneProcess(t *testing.T) {
	s := settings(t, newArchive(t))
	n := node(t, s, begin())
	defer n.Close()
	if _, err := Open(s); job.ExitCode(err) != job.ExitUsage {
		t.Errorf("opened twice: %v", err)
	}
}

func TestRun(t *testing.T) {
	a := newArchive(t)
	s := settings(t, a)
	s.Listen, s.Status = "127.0.0.1:0", "127.0.0.1:0"
	n, err := Open(s)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	ctx, cancel := context.WithCancel(context.Background())
	addresses := make(chan [2]net.Addr, 1)
	ran := make(chan error)
	go func() {
		ran <- n.Run(ctx, func(receiver, status net.Addr) { addresses <- [2]net.Addr{receiver, status} })
	}()
	at := <-addresses
	to := dimse.Node{AETitle: "QUELL", Host: "127.0.0.1", Port: at[0].(*net.TCPAddr).Port}
	if got := send(t, to, stack("7", 2, "X")...); len(got) != 2 {
		t.Error(got)
	}
	if as, err := dimse.Dial(context.Background(), to, dimse.Config{Calling: "ZQXSECRET"}, []dimse.Context{dimse.Verification}); err == nil {
		as.Abort()
		t.Error("another caller is let in")
	}
	r, err := http.Get("http://" + at[1].String() + "/status")
	if err != nil {
		t.Fatal(err)
	}
	var status Status
	if err := json.NewDecoder(r.Body).Decode(&status); err != nil || status.Instances != 2 {
		t.Errorf("%+v, %v", status, err)
	}
	r.Body.Close()
	cancel()
	if err := <-ran; err != nil {
		t.Error(err)
	}
	if log := readAudit(t, n); strings.Count(log, "association rejected") != 1 || strings.Contains(log, "ZQXSECRET") {
		t.Error(log)
	}
}

// TestDocumentedSettings: the examples of the reference are settings of a node.
func TestDocumentedSettings(t *testing.T) {
	text, err := os.ReadFile("../../docs/reference/serve.md")
	if err != nil {
		t.Fatal(err)
	}
	var whole string
	var fragments []string
	for _, block := range strings.Split(string(text), "\n\n") {
		switch {
		case strings.HasPrefix(block, "    {"):
			whole = block
		case strings.HasPrefix(block, `    "to": `):
			fragments = append(fragments, block)
		}
	}
	s, err := ParseSettings([]byte(whole))
	if err != nil || len(s.Rules) != 2 || !s.Rules[0].Also || !s.Rules[0].To[0].Commit || s.Rules[0].To[0].From != "QUELL" {
		t.Errorf("%s: %v", whole, err)
	}
	for _, f := range fragments {
		if _, err := ParseSettings([]byte(`{"folder": "f", "ae_title": "Q", "rules": [{"name": "a", "do": {}, ` + f + `}]}`)); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
	if len(fragments) == 0 {
		t.Error("the example of destinations is missing")
	}
}

func TestSettings(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir()) // places are kept there
	if err := pacs.KeepPlace(pacs.Place{Name: "ward", To: "WARD@h:104"}); err != nil {
		t.Fatal(err)
	}
	rule := `"rules": [{"name": "a", "do": {"filter": "median"}, "to": {"to": "PACS@h:104"}}]`
	for text, want := range map[string]string{
		`{"folder": "f", "ae_title": "Q", ` + rule + `}`:                                                                                                  "",
		`{"folder": "f", "ae_title": "Q", "listen": "[::1]:104", "status": "127.0.0.1:80", "idle_timeout": "1m", ` + rule + `}`:                           "",
		`{"folder": "f", "ae_title": "Q", "listen": "10.0.0.1:104", "tls": {"certificate": "c", "key": "k"}, ` + rule + `}`:                               "",
		`{"folder": "f", "ae_title": "Q", "listen": "0.0.0.0:104", "plain": true, "networks": ["10.0.0.0/8", "::1"], ` + rule + `}`:                       "",
		`{"folder": "f", "ae_title": "Q", "listen": "0.0.0.0:104", ` + rule + `}`:                                                                         "there is no TLS",
		`{"folder": "f", "ae_title": "Q", "listen": ":104", ` + rule + `}`:                                                                                "there is no TLS",
		`{"folder": "f", "ae_title": "Q", "listen": "192.168.0.1:104", ` + rule + `}`:                                                                     "there is no TLS",
		`{"folder": "f", "ae_title": "Q", "listen": "host:104", ` + rule + `}`:                                                                            "is no IP address",
		`{"folder": "f", "ae_title": "Q", "listen": "104", ` + rule + `}`:                                                                                 "is not HOST:PORT",
		`{"folder": "f", "ae_title": "Q", "status": "0.0.0.0:80", ` + rule + `}`:                                                                          "for this machine alone",
		`{"folder": "f", "ae_title": "Q", "networks": ["x"], ` + rule + `}`:                                                                               "no address and no range",
		`{"ae_title": "Q", ` + rule + `}`:                                                                                                                 "folder is missing",
		`{"folder": "f", ` + rule + `}`:                                                                                                                   "AE title is empty",
		`{"folder": "f", "ae_title": "Q"}`:                                                                                                                "rules are missing",
		`{"folder": "f", "ae_title": "Q", "idle_timeout": "-1s", ` + rule + `}`:                                                                           "negative",
		`{"folder": "f", "ae_title": "Q", "qiet": "1s", ` + rule + `}`:                                                                                    `there is no setting "qiet"`,
		`{"folder": "f", "ae_title": "Q", "quiet": "1s", ` + rule + `}`:                                                                                   "the setting quiet is now called idle_timeout",
		`{"folder": "f", "ae_title": "Q", "rules": [{"name": "a", "when": "Nonsense=1", "do": {"filter": "median"}, "to": {"to": "P@h:1"}}]}`:             "no attribute Nonsense",
		`{"folder": "f", "ae_title": "Q", "rules": [{"name": "a", "do": {"filter": "nonsense"}, "to": {"to": "P@h:1"}}]}`:                                 "nonsense",
		`{"folder": "f", "ae_title": "Q", "rules": [{"name": "a", "do": {}, "to": {"to": "P@h:1"}}]}`:                                                     "",
		`{"folder": "f", "ae_title": "Q", "rules": [{"name": "a", "do": {"filter": "median"}, "to": {"to": "P"}}]}`:                                       "there is no PACS node",
		`{"folder": "f", "ae_title": "Q", "rules": [{"name": "a", "do": {"filter": "median"}, "to": {"to": "P@h"}}]}`:                                     "AETITLE@HOST:PORT",
		`{"folder": "f", "ae_title": "Q", "rules": [{"name": "a", "do": {"filter": "median"}, "to": {"to": "ward"}}]}`:                                    "",
		`{"folder": "f", "ae_title": "Q", "rules": [{"name": "a", "do": {"filter": "median"}, "to": [{"to": "ward"}, {"to": "P@h:1", "commit": true}]}]}`: "",
		`{"folder": "f", "ae_title": "Q", "rules": [{"name": "a", "do": {"filter": "median"}, "to": [{"to": "ward"}, {"to": "ward"}]}]}`:                  "twice",
		`{"folder": "f", "ae_title": "Q", "rules": [{"name": "a", "do": {"filter": "median"}, "to": []}]}`:                                                "to is missing",
		`{"folder": "f", "ae_title": "Q", "rules": [{"name": "a", "do": {"filter": "median"}}]}`:                                                          "to is missing",
		`{"folder": "f", "ae_title": "Q", "rules": [{"name": "a", "do": {"filter": "median"}, "to": {"to": "P@h:1", "comit": true}}]}`:                    `there is no setting "comit"`,
		`{"folder": "f", "ae_title": "Q", "rules": [{"name": "a", "do": {"filter": "median"}, "to": {"to": "https://h/", "commit": true}}]}`:              "is of the DICOM network",
		`{"folder": "f", "ae_title": "Q", "rules": [{"do": {"filter": "median"}, "to": {"to": "P@h:1"}}]}`:                                                "a name of its own",
	} {
		s, err := ParseSettings([]byte(text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
		if err == nil && (s.IdleTimeout == 0 || s.Keep == 0 || s.QuotaGB == 0 || s.Rules[0].Do.Series != "all") {
			t.Errorf("%+v", s)
		}
	}
	if _, err := ReadSettings(filepath.Join(t.TempDir(), "none.json")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
