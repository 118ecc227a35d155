package queue

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"quell/app/batch"
)

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
		tick := time.NewTicker(o.Timing.Renew)
		defer tick.Stop()
		for with.Err() == nil {
			p.say(answer{})
			select {
			case <-with.Done():
			case <-tick.C:
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
