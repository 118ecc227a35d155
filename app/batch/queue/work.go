package queue

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"quell/app/batch"
)

// WorkerOptions are the options of a worker.
type WorkerOptions struct {
	Workers int   // see batch.Options
	Memory  int64 // see batch.Options
	Drain   bool  // end when no batch is queued; else wait for the next
	Timing  Timing
	// Started is called with each batch that the worker begins; nil for nothing.
	Started func(spec batch.Spec)
}

// Work does the units of all batches on a server, one batch after another, until ctx ends or,
// with Drain, all are done. The error is the context's, or an *app.UsageError if this program or
// machine cannot do the work.
func Work(ctx context.Context, nc *nats.Conn, o WorkerOptions, events batch.Events) error {
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	for {
		found := false
		names := js.StreamNames(ctx)
		for name := range names.Name() {
			if !strings.HasPrefix(name, prefix) {
				continue
			}
			did, err := workOn(ctx, js, name, o, events)
			if err != nil {
				return err
			}
			found = found || did
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if o.Drain && !found && (names.Err() == nil || errors.Is(names.Err(), jetstream.ErrEndOfData)) {
			return nil
		}
		if !found {
			sleep(ctx, o.Timing.Poll)
		}
	}
}

// workOn does the units of a stream, and reports whether there were any.
func workOn(ctx context.Context, js jetstream.JetStream, name string, o WorkerOptions, events batch.Events) (bool, error) {
	stream, err := js.Stream(ctx, name)
	if err != nil {
		return false, ctx.Err() // it was removed, or the connection is lost
	}
	info, err := stream.Info(ctx)
	if err != nil || info.State.Msgs == 0 {
		return false, ctx.Err()
	}
	consumer, err := stream.Consumer(ctx, consumerName)
	if err != nil {
		return false, ctx.Err() // the batch is being made
	}
	var spec batch.Spec
	if json.Unmarshal([]byte(info.Config.Metadata[specKey]), &spec) != nil {
		return false, nil //nolint:nilerr // of another program
	}
	w, err := batch.NewWorker(spec, o.Workers, o.Memory, events)
	if err != nil {
		return true, err
	}
	if o.Started != nil {
		o.Started(spec)
	}
	return true, w.Work(ctx, &source{stream: stream, consumer: consumer, timing: o.Timing})
}

// parent is the process that hands out units, seen from one of its Children.
type parent struct {
	offers chan offer
	mu     sync.Mutex
	out    *json.Encoder
}

// say writes a line; a parent that has ended needs none.
func (p *parent) say(a answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.out.Encode(a)
}

// Next asks for a unit and waits for it.
func (p *parent) Next(ctx context.Context) (batch.Delivery, error) {
	p.say(answer{Free: true})
	select {
	case o := <-p.offers:
		return batch.Delivery{Unit: o.Unit, Done: func(how batch.Outcome) { p.say(answer{Number: o.Number, Ended: true, How: how}) }}, nil
	case <-ctx.Done():
		return batch.Delivery{}, ctx.Err()
	}
}

// WorkForParent does the units that Children of another process hands out by in and out, until in ends. The error is the
// context's, or a *job.UsageError if this program or machine cannot do the work.
func WorkForParent(ctx context.Context, in io.Reader, out io.Writer, o WorkerOptions, events batch.Events) error {
	with, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &parent{offers: make(chan offer), out: json.NewEncoder(out)}
	go func() {
		tick := time.Tick(o.Timing.Renew)
		for with.Err() == nil {
			p.say(answer{})
			select {
			case <-with.Done():
			case <-tick:
			}
		}
	}()
	lines := json.NewDecoder(in)
	var spec batch.Spec
	if lines.Decode(&spec) != nil {
		return ctx.Err()
	}
	go func() {
		defer cancel()
		var o offer
		for lines.Decode(&o) == nil {
			select {
			case p.offers <- o:
			case <-with.Done():
				return
			}
			o = offer{}
		}
	}()
	w, err := batch.NewWorker(spec, o.Workers, o.Memory, events)
	if err != nil {
		return err
	}
	if err := w.Work(with, p); !errors.Is(err, context.Canceled) {
		return err
	}
	return ctx.Err()
}
