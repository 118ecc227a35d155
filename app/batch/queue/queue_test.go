package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"quell/app/batch"
	"quell/app/job"
	"quell/denoise"
	"quell/io/nifti/niftitest"
	"quell/volume"
)

// quick is a timing for tests.
var quick = Timing{Wait: 2 * time.Second, Renew: 200 * time.Millisecond, Poll: 20 * time.Millisecond}

// site is a server in this process, and a cohort of series.
type site struct {
	t       *testing.T
	server  *Server
	in, out string
	timing  Timing
}

func newSite(t *testing.T, n int) *site {
	t.Helper()
	dir := t.TempDir()
	s := &site{t, nil, filepath.Join(dir, "in"), filepath.Join(dir, "out"), quick}
	s.start("")
	for i := range n {
		s.series(fmt.Sprintf("p%02d/s.nii", i))
	}
	return s
}

// start starts the server, with what it held before.
func (s *site) start(address string) {
	s.t.Helper()
	server, err := Start(filepath.Join(s.in, ".queue"), address)
	s.must(err)
	s.server = server
	s.t.Cleanup(server.Close)
}

func (s *site) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) series(name string) {
	s.t.Helper()
	path := filepath.Join(s.in, filepath.FromSlash(name))
	s.must(os.MkdirAll(filepath.Dir(path), 0o777))
	v := volume.New(volume.NewGeometry([3]int{8, 6, 3}, [3]float64{1, 1, 2}))
	for i := range v.Data {
		v.Data[i] = float32(uint32(i+len(name))*2654435761>>16) / 1000
	}
	s.must(niftitest.Write(s.t.Context(), path, v, ""))
}

func (s *site) connect() *nats.Conn {
	s.t.Helper()
	nc, err := s.server.Connect()
	s.must(err)
	s.t.Cleanup(nc.Close)
	return nc
}

// options distribute the work over a connection.
func (s *site) options(nc *nats.Conn) batch.Options {
	o := optionsOf(s.in, s.out)
	o.Distribute = func(ctx context.Context, spec batch.Spec, units []batch.Unit, progress func(batch.Left)) error {
		return Distribute(ctx, nc, s.timing, spec, units, progress)
	}
	return o
}

func optionsOf(in, out string) batch.Options {
	recipe, err := denoise.NewRecipe("gaussian", 2)
	if err != nil {
		panic(err)
	}
	return batch.Options{Inputs: []string{in}, Output: out, Job: job.Job{Recipe: &recipe, Engine: job.EnginePolicy{Name: "cpu"}}}
}

// workers works until ctx ends, and returns how to wait for that.
func (s *site) workers(ctx context.Context, n int, events batch.Events) (wait func()) {
	var wg sync.WaitGroup
	for range n {
		nc := s.connect()
		wg.Go(func() {
			if err := Work(ctx, nc, WorkerOptions{Timing: s.timing}, events); !errors.Is(err, context.Canceled) {
				s.t.Errorf("a worker ended: %v", err)
			}
		})
	}
	return wg.Wait
}

// TestDistribute: two workers do every series once; the report has all rows; a second run does
// what is missing.
func TestDistribute(t *testing.T) {
	s := newSite(t, 10)
	s.timing.Wait = time.Hour // no worker dies: one that a busy machine keeps from giving signs of life must not lose its unit
	s.must(os.WriteFile(filepath.Join(s.in, "p03", "s.nii"), []byte("poison"), 0o666))
	ctx, cancel := context.WithCancel(t.Context())
	var mu sync.Mutex
	worked := map[string]int{}
	wait := s.workers(ctx, 2, batch.Events{Result: func(r batch.SeriesResult) {
		mu.Lock()
		defer mu.Unlock()
		if !r.Reused {
			worked[r.Unit]++
		}
	}})
	defer wait()
	defer cancel()
	sum, err := batch.Run(t.Context(), s.options(s.connect()), batch.Events{})
	s.must(err)
	if sum.Done != 9 || sum.Failed != 1 || sum.Reused != 0 || sum.Share != 1 || len(slices.Collect(sum.Results())) != 10 {
		t.Errorf("%+v, %d results", sum.Progress, len(slices.Collect(sum.Results())))
	}
	mu.Lock()
	for name, n := range worked {
		if n != 1 {
			t.Errorf("%s was done %d times", name, n)
		}
	}
	if len(worked) != 10 {
		t.Errorf("%d series were done", len(worked))
	}
	mu.Unlock()
	s.must(os.Remove(filepath.Join(s.out, "p05", "s.nii")))
	if sum, err = batch.Run(t.Context(), s.options(s.connect()), batch.Events{}); err != nil || sum.Done != 9 || sum.Reused != 8 || sum.Failed != 1 {
		t.Errorf("second run: %v, %+v", err, sum.Progress)
	}
	report, err := os.ReadFile(filepath.Join(s.out, "report.csv"))
	if s.must(err); strings.Count(string(report), "\n") != 11 {
		t.Errorf("%s", report)
	}
	// What this process does by itself reuses the same results.
	if sum, err = batch.Run(t.Context(), optionsOf(s.in, s.out), batch.Events{}); err != nil || sum.Reused != 9 {
		t.Errorf("without a queue: %v, %+v", err, sum.Progress)
	}
}

// units are the units of a site and the spec of its batch, from a run that is cancelled before
// anything is queued.
func (s *site) units() (spec batch.Spec, units []batch.Unit) {
	s.t.Helper()
	o := optionsOf(s.in, s.out)
	o.Distribute = func(_ context.Context, sp batch.Spec, us []batch.Unit, _ func(batch.Left)) error {
		spec, units = sp, us
		return context.Canceled
	}
	if _, err := batch.Run(s.t.Context(), o, batch.Events{}); !errors.Is(err, context.Canceled) {
		s.t.Fatal(err)
	}
	return spec, units
}

// queued publishes units without waiting for them.
func (s *site) queued(spec batch.Spec, units []batch.Unit) jetstream.Stream {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	nc := s.connect()
	if err := Distribute(ctx, nc, quick, spec, units, func(batch.Left) { cancel() }); !errors.Is(err, context.Canceled) {
		s.t.Fatal(err)
	}
	js, err := jetstream.New(nc)
	s.must(err)
	stream, err := js.Stream(s.t.Context(), streamOf(spec))
	s.must(err)
	return stream
}

func (s *site) left(stream jetstream.Stream) uint64 {
	s.t.Helper()
	info, err := stream.Info(s.t.Context())
	s.must(err)
	return info.State.Msgs
}

// TestUnitIsQueuedOnce: while it waits and while it is in work; afterwards it may come again.
func TestUnitIsQueuedOnce(t *testing.T) {
	s := newSite(t, 3)
	spec, units := s.units()
	stream := s.queued(spec, units)
	if n := s.left(s.queued(spec, units)); n != 3 {
		t.Errorf("%d units are queued, of 3", n)
	}
	consumer, err := stream.Consumer(t.Context(), consumerName)
	s.must(err)
	msg, err := take(t.Context(), consumer, quick)
	if s.must(err); msg == nil {
		t.Fatal("no message")
	}
	if n := s.left(s.queued(spec, units)); n != 3 {
		t.Errorf("%d units are queued beside one in work, of 3", n)
	}
	s.must(msg.DoubleAck(t.Context()))
	if n := s.left(stream); n != 2 {
		t.Errorf("%d units are left, of 2", n)
	}
	if n := s.left(s.queued(spec, units)); n != 3 {
		t.Errorf("%d units are queued again, of 3", n)
	}
	// A batch with other settings takes the place of this one; a batch of another output does
	// not.
	other, elsewhere := spec, spec
	other.Settings, elsewhere.Output = "other", "/elsewhere"
	s.queued(elsewhere, units[:1])
	s.queued(other, units[:2])
	js, err := jetstream.New(s.connect())
	s.must(err)
	var names []string
	for name := range js.StreamNames(t.Context()).Name() {
		names = append(names, name)
	}
	want := []string{streamOf(other), streamOf(elsewhere)}
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("streams %v, want %v", names, want)
	}
}

// TestQueueSurvivesItsServer: queued units are there after a restart.
func TestQueueSurvivesItsServer(t *testing.T) {
	s := newSite(t, 4)
	spec, units := s.units()
	s.queued(spec, units)
	s.server.Close()
	s.start("")
	nc := s.connect()
	if err := Work(t.Context(), nc, WorkerOptions{Timing: quick, Drain: true}, batch.Events{}); err != nil {
		t.Fatal(err)
	}
	sum, err := batch.Run(t.Context(), optionsOf(s.in, s.out), batch.Events{})
	if s.must(err); sum.Reused != 4 {
		t.Errorf("%+v", sum.Progress)
	}
}

// TestLostUnitComesAgain: a worker that takes a unit and gives no sign of life loses it.
func TestLostUnitComesAgain(t *testing.T) {
	s := newSite(t, 1)
	spec, units := s.units()
	stream := s.queued(spec, units)
	consumer, err := stream.Consumer(t.Context(), consumerName)
	s.must(err)
	if msg, err := take(t.Context(), consumer, quick); err != nil || msg == nil {
		t.Fatal(err)
	}
	src := &source{stream: stream, consumer: consumer, timing: quick}
	d, err := src.Next(t.Context())
	if s.must(err); d.Name != units[0].Name {
		t.Errorf("%+v", d)
	}
	// One that gives signs of life keeps it for longer than Wait, and gives it back at once.
	ctx, cancel := context.WithTimeout(t.Context(), quick.Wait+quick.Wait/2)
	defer cancel()
	if _, err := src.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a unit in work was handed out: %v", err)
	}
	d.Done(batch.GivenBack)
	again, err := src.Next(t.Context())
	s.must(err)
	again.Done(batch.Finished)
	if _, err := src.Next(t.Context()); err == nil || s.left(stream) != 0 {
		t.Errorf("an empty queue: %v", err)
	}
}

func TestClockOfTheServer(t *testing.T) {
	start := time.Now()
	at := func(server, last time.Duration) *jetstream.StreamInfo {
		return &jetstream.StreamInfo{TimeStamp: start.Add(server), State: jetstream.StreamState{LastTime: start.Add(last)}}
	}
	for _, x := range []struct {
		c    clock
		info *jetstream.StreamInfo
		want time.Duration
	}{
		{clock{}, at(5*time.Second, 3*time.Second), -2 * time.Second},
		{clock{}, at(5*time.Second, 8*time.Second), 3 * time.Second},
		{clock{start, start}, at(time.Minute, 0), 0},
		{clock{start.Add(time.Hour), start}, at(time.Hour+time.Minute, 0), 0},
		{clock{start, start}, at(-time.Hour, 0), time.Hour + time.Minute},
		{clock{start, start}, at(time.Hour, 0), time.Minute - time.Hour},
	} {
		if got := x.c.behind(x.info, start.Add(time.Minute)); got != x.want {
			t.Errorf("%+v, %v: %v behind; want %v", x.c, x.info.TimeStamp, got, x.want)
		}
	}
}

// setBack is a stream of a server with a clock that is set back after some
// questions.
type setBack struct {
	jetstream.Stream
	left int
}

func (s *setBack) Info(ctx context.Context, opts ...jetstream.StreamInfoOpt) (*jetstream.StreamInfo, error) {
	info, err := s.Stream.Info(ctx, opts...)
	if s.left--; s.left < 0 && err == nil {
		info.TimeStamp = info.TimeStamp.Add(-time.Hour)
	}
	return info, err
}

// TestClockSetBack: a unit of a worker that died comes again once the clock was set back,
// however long the server would wait.
func TestClockSetBack(t *testing.T) {
	for _, after := range []int{0, 2} { // questions: before the parent began, and later
		s := newSite(t, 0)
		js, err := jetstream.New(s.connect())
		s.must(err)
		stream, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: prefix + "x", Subjects: []string{prefix + "x.*"}, Retention: jetstream.WorkQueuePolicy})
		s.must(err)
		timing := quick
		timing.Wait = time.Hour
		consumer, err := stream.CreateOrUpdateConsumer(t.Context(), consumerConfig(timing))
		s.must(err)
		_, err = js.Publish(t.Context(), prefix+"x.a", []byte("{}"))
		s.must(err)
		if msg, err := take(t.Context(), consumer, timing); msg == nil || err != nil {
			t.Fatalf("no unit: %v", err)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := wait(t.Context(), &setBack{stream, after}, timing, func(batch.Left) {}); err != nil {
				t.Errorf("waiting: %v", err)
			}
		})
		for again := false; !again; {
			c, err := stream.Consumer(t.Context(), consumerName)
			if err != nil {
				continue // it is being made
			}
			if msg, _ := take(t.Context(), c, timing); msg != nil {
				s.must(msg.Ack())
				again = true
			}
		}
		wg.Wait()
		s.server.Close()
	}
}

// late is a stream of a server whose second answer comes late. After the third it calls ended.
type late struct {
	jetstream.Stream
	ended func()
	asked int
}

func (s *late) Info(ctx context.Context, opts ...jetstream.StreamInfoOpt) (*jetstream.StreamInfo, error) {
	info, err := s.Stream.Info(ctx, opts...)
	if s.asked++; s.asked == 3 {
		s.ended()
	} else if s.asked == 2 {
		time.Sleep(2 * quick.Renew)
	}
	return info, err
}

// TestLateAnswer: an answer that comes late is no clock that was set back, and the consumer remains.
func TestLateAnswer(t *testing.T) {
	s := newSite(t, 1)
	stream := s.queued(s.units())
	made := func() time.Time {
		c, err := stream.Consumer(t.Context(), consumerName)
		s.must(err)
		return c.CachedInfo().Created
	}
	before := made()
	ctx, cancel := context.WithCancel(t.Context())
	if err := wait(ctx, &late{Stream: stream, ended: cancel}, quick, func(batch.Left) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting: %v", err)
	}
	if after := made(); !after.Equal(before) {
		t.Errorf("the consumer of %v was made again", before)
	}
}

// TestUnitThatIsGivenBack however often is no failure.
func TestUnitThatIsGivenBack(t *testing.T) {
	s := newSite(t, 1)
	spec, units := s.units()
	stream := s.queued(spec, units)
	consumer, err := stream.Consumer(t.Context(), consumerName)
	s.must(err)
	for range 5 {
		msg, err := take(t.Context(), consumer, quick)
		if s.must(err); msg == nil {
			t.Fatal("no message")
		}
		s.must(msg.Nak())
	}
	var got []batch.SeriesResult
	s.must(Work(t.Context(), s.connect(), WorkerOptions{Timing: quick, Drain: true}, batch.Events{Result: func(r batch.SeriesResult) { got = append(got, r) }}))
	if len(got) != 1 || got[0].State != batch.Done || s.left(stream) != 0 {
		t.Errorf("%+v", got)
	}
}

// TestWhatIsLeft says how many units are in work, and how many of these another worker had.
func TestWhatIsLeft(t *testing.T) {
	s := newSite(t, 3)
	spec, units := s.units()
	stream := s.queued(spec, units)
	left := func(want batch.Left) {
		t.Helper()
		if got := leftOf(t.Context(), stream, int(s.left(stream))); got != want {
			t.Errorf("%+v; want %+v", got, want)
		}
	}
	left(batch.Left{Units: 3})
	consumer, err := stream.Consumer(t.Context(), consumerName)
	s.must(err)
	timing := Usual // which gives nothing to another worker meanwhile
	timing.Poll = time.Minute
	first, err := take(t.Context(), consumer, timing)
	s.must(err)
	left(batch.Left{Units: 3, InWork: 1})
	s.must(first.Nak())
	for range 3 {
		_, err := take(t.Context(), consumer, timing)
		s.must(err)
	}
	left(batch.Left{Units: 3, InWork: 3, Redelivered: 1})
	s.must(stream.DeleteConsumer(t.Context(), consumerName))
	left(batch.Left{Units: 3})
}

// TestUnitOfAnother: a worker that lost a unit to another leaves its message alone.
func TestUnitOfAnother(t *testing.T) {
	s := newSite(t, 1)
	spec, units := s.units()
	stream := s.queued(spec, units)
	consumer, err := stream.Consumer(t.Context(), consumerName)
	s.must(err)
	src := &source{stream: stream, consumer: consumer, timing: quick}
	d, err := src.Next(t.Context())
	s.must(err)
	d.Done(batch.Taken)
	info, err := consumer.Info(t.Context())
	if s.must(err); info.NumAckPending != 1 || s.left(stream) != 1 {
		t.Errorf("%d are in work, %d are left", info.NumAckPending, s.left(stream))
	}
}

// TestMessagesOfOthers: a message that is no unit is removed, and no stream of another program is touched.
func TestMessagesOfOthers(t *testing.T) {
	s := newSite(t, 2)
	spec, units := s.units()
	stream := s.queued(spec, units)
	js, err := jetstream.New(s.connect())
	s.must(err)
	_, err = js.Publish(t.Context(), streamOf(spec)+".x", []byte("{"))
	s.must(err)
	for _, name := range []string{"OTHER", prefix + "other"} {
		_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{Name: name, Subjects: []string{name}})
		s.must(err)
		_, err = js.Publish(t.Context(), name, []byte("{}"))
		s.must(err)
	}
	s.must(Work(t.Context(), s.connect(), WorkerOptions{Timing: quick, Drain: true}, batch.Events{}))
	if n := s.left(stream); n != 0 {
		t.Errorf("%d messages are left", n)
	}
	other, err := js.Stream(t.Context(), "OTHER")
	if s.must(err); s.left(other) != 1 {
		t.Error("another stream was read")
	}
}

// TestWorkerRefuses a batch of another version, of other settings, or on paths that it has not.
func TestWorkerRefuses(t *testing.T) {
	s := newSite(t, 1)
	spec, _ := s.units()
	for name, change := range map[string]func(*batch.Spec){
		"version":  func(sp *batch.Spec) { sp.Quell = "0" },
		"settings": func(sp *batch.Spec) { sp.Settings = "0" },
		"paths":    func(sp *batch.Spec) { sp.Output += "-elsewhere" },
		"engine":   func(sp *batch.Spec) { sp.Job.Engine.Name = "abacus" },
	} {
		other := spec
		change(&other)
		if _, err := batch.NewWorker(other, 0, 0, batch.Events{}); job.ExitCode(err) != job.ExitUsage {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := batch.NewWorker(spec, 0, 0, batch.Events{}); err != nil {
		t.Error(err)
	}
}

// TestToken: a server that asks for a token takes a connection that has it.
func TestToken(t *testing.T) {
	open, err := Start(t.TempDir(), "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	nc, err := Connect(open.URL(), open.Token(), "")
	if err != nil {
		t.Fatal(err)
	}
	nc.Close()
	for _, token := range []string{"", "guess"} {
		if nc, err := Connect(open.URL(), token, ""); err == nil {
			nc.Close()
			t.Errorf("the token %q was accepted", token)
		}
	}
}

// TestMessagesAreSmall: voxels and lists of files do not travel.
func TestMessagesAreSmall(t *testing.T) {
	s := newSite(t, 1)
	spec, units := s.units()
	unit, err := json.Marshal(units[0])
	s.must(err)
	what, err := json.Marshal(spec)
	s.must(err)
	if len(unit) > 500 || len(what) > 4000 {
		t.Errorf("%d and %d bytes", len(unit), len(what))
	}
}
