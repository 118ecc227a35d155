package queue

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

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
