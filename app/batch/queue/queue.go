package queue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"quell/app/batch"
)

// Timing says when a worker counts as dead, and how often the rest is counted.
type Timing struct {
	Wait  time.Duration // without a sign of life, after which a unit goes to another worker
	Renew time.Duration // between two signs of life
	Poll  time.Duration
}

// Usual is the timing of batches.
var Usual = Timing{Wait: time.Minute, Renew: 15 * time.Second, Poll: time.Second}

// prefix begins the names of streams.
const prefix = "QUELL-"

// specKey is the key under which the stream holds the batch.Spec. Messages hold a
// batch.Unit.
const specKey = "quell.spec"

// short identifies a text in names of streams and subjects.
func short(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// streamOf returns the name of the stream of a batch: by its output, then by its settings.
func streamOf(spec batch.Spec) string { return prefix + short(spec.Output) + "-" + spec.Settings }

// subjectOf returns the subject of a unit.
func subjectOf(stream string, u batch.Unit) string { return stream + "." + short(u.Name) }

// Distribute queues units and waits until workers have done them, see batch.Options.Distribute.
// Batches with other settings for the same output are removed: the caller has the lock of the
// output.
func Distribute(ctx context.Context, nc *nats.Conn, t Timing, spec batch.Spec, units []batch.Unit, progress func(batch.Left)) error {
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	name := streamOf(spec)
	others := js.StreamNames(ctx)
	for other := range others.Name() {
		if strings.HasPrefix(other, prefix+short(spec.Output)+"-") && other != name {
			if err := js.DeleteStream(ctx, other); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
				return fmt.Errorf("an earlier batch cannot be removed from the queue: %w", err)
			}
		}
	}
	if err := others.Err(); err != nil && !errors.Is(err, jetstream.ErrEndOfData) {
		return fmt.Errorf("the queue cannot be read: %w", err)
	}
	what, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	stream, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: name, Metadata: map[string]string{specKey: string(what)}, Subjects: []string{name + ".*"}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage,
		// A unit that is queued or in work is not queued again.
		MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true,
	})
	if err != nil {
		return fmt.Errorf("the queue cannot be made: %w", err)
	}
	if _, err := stream.CreateOrUpdateConsumer(ctx, consumerConfig(t)); err != nil {
		return fmt.Errorf("the queue cannot be made: %w", err)
	}
	for _, u := range units {
		data, err := json.Marshal(u)
		if err != nil {
			return err
		}
		_, err = js.Publish(ctx, subjectOf(name, u), data)
		if err != nil && !isQueued(err) {
			return fmt.Errorf("a unit cannot be queued: %w", err)
		}
	}
	return wait(ctx, stream, t, progress)
}

// isQueued reports whether a unit was refused because it is in the stream. The server has one code
// for all reasons not to store a message.
func isQueued(err error) bool {
	var refused *jetstream.APIError
	return errors.As(err, &refused) && strings.Contains(refused.Description, "per subject")
}

// wait returns when no unit is left. If the server's clock is set back, it has the units in
// work delivered again.
func wait(ctx context.Context, stream jetstream.Stream, t Timing, progress func(batch.Left)) error {
	tick := time.Tick(t.Poll)
	var server clock
	for {
		asked := time.Now() // an answer may be late
		info, err := stream.Info(ctx)
		if err == nil { // else the connection is lost: it comes back
			progress(leftOf(ctx, stream, int(info.State.Msgs)))
			if info.State.Msgs == 0 {
				return nil
			}
			if server.behind(info, asked) > t.Renew {
				err = again(ctx, stream, t)
			}
			if err == nil { // else it is tried again
				server = clock{info.TimeStamp, time.Now()}
			}
		}
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return errors.New("the batch was removed from the queue by another one")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick:
		}
	}
}

// leftOf adds what the consumer knows to the number of units that are left.
func leftOf(ctx context.Context, stream jetstream.Stream, units int) batch.Left {
	left := batch.Left{Units: units}
	consumer, err := stream.Consumer(ctx, consumerName)
	if err != nil {
		return left // it is being made again
	}
	info := consumer.CachedInfo() // of this moment
	left.InWork, left.Redelivered = min(info.NumAckPending, units), min(info.NumRedelivered, units)
	return left
}

// clock is the reading of a server's clock at a time of this process, which counts on however clocks
// are set.
type clock struct{ server, here time.Time }

// behind returns how far the server's clock went back since then at least, by its answer to a question
// asked at a time of this process, or, of the zero clock, how far it is behind the last message.
func (c clock) behind(info *jetstream.StreamInfo, asked time.Time) time.Duration {
	if c.here.IsZero() {
		return info.State.LastTime.Sub(info.TimeStamp)
	}
	return c.server.Add(asked.Sub(c.here)).Sub(info.TimeStamp)
}

// again has the units in work delivered again. The server notes the time of the last sign of
// life of each: the units of workers that died before its clock was set back would wait until
// that time comes again. Living workers confirm units that another one begins too; the second
// finds the results of the first.
func again(ctx context.Context, stream jetstream.Stream, t Timing) error {
	if err := stream.DeleteConsumer(ctx, consumerName); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return err
	}
	_, err := stream.CreateOrUpdateConsumer(ctx, consumerConfig(t))
	return err
}

// consumerName is the name of the one consumer of a stream, which all workers
// share.
const consumerName = "workers"

func consumerConfig(t Timing) jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Durable: consumerName, AckPolicy: jetstream.AckExplicitPolicy, AckWait: t.Wait,
		// Units that end their workers are counted next to the output: a delivery may have
		// been given back, or not begun.
		MaxDeliver: -1,
		// Workers ask for one unit at a time, so that they bound the work in progress.
		MaxAckPending: -1,
	}
}
