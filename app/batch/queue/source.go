package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"quell/app/batch"
	"quell/app/job"
)

// source takes the units of one stream.
type source struct {
	stream   jetstream.Stream
	consumer jetstream.Consumer
	timing   Timing
}

// Next waits until a unit is free, or all are done.
func (s *source) Next(ctx context.Context) (batch.Delivery, error) {
	for {
		msg, err := s.fetch(ctx)
		if err != nil {
			return batch.Delivery{}, err
		}
		if d, ok := s.delivery(ctx, msg); ok {
			return d, nil
		}
	}
}

// delivery returns the unit of a message and keeps it until Done. A message that cannot be read
// is removed.
func (s *source) delivery(ctx context.Context, msg jetstream.Msg) (batch.Delivery, bool) {
	var u batch.Unit
	if json.Unmarshal(msg.Data(), &u) != nil {
		_ = msg.TermWithReason("not a unit")
		return batch.Delivery{}, false
	}
	done, kept := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(kept)
		tick := time.Tick(s.timing.Renew)
		for {
			select {
			case <-done:
				return
			case <-tick:
				_ = msg.InProgress() // the connection may be away for a while
			}
		}
	}()
	return batch.Delivery{Unit: u, Done: func(outcome batch.Outcome) {
		close(done)
		<-kept
		switch outcome {
		case batch.Taken: // the message is the other's
		case batch.GivenBack:
			_ = msg.Nak()
		case batch.Finished:
			// A unit that is not confirmed comes again, and its results are reused. A consumer that was made again confirms none.
			confirm, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.timing.Renew)
			defer cancel()
			_ = msg.DoubleAck(confirm)
		}
	}}, true
}

// fetch waits for a message. The error is io.EOF when the stream is empty or gone.
func (s *source) fetch(ctx context.Context) (jetstream.Msg, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		msg, err := take(ctx, s.consumer, s.timing)
		if msg != nil {
			return msg, nil
		}
		if errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
			return nil, io.EOF
		}
		info, err := s.stream.Info(ctx)
		switch {
		case err == nil && info.State.Msgs == 0, errors.Is(err, jetstream.ErrStreamNotFound):
			return nil, io.EOF
		case err != nil: // the connection is lost: it comes back
			sleep(ctx, s.timing.Poll)
		}
	}
}

// take asks for one message and waits for Timing.Poll; nil if there is none.
func take(ctx context.Context, c jetstream.Consumer, t Timing) (jetstream.Msg, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	got, err := c.Fetch(1, jetstream.FetchMaxWait(max(t.Poll, 50*time.Millisecond)))
	if err != nil {
		return nil, err
	}
	for msg := range got.Messages() {
		return msg, nil
	}
	return nil, got.Error()
}

// sleep waits, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// LeastServer is the least version of a NATS server that can hold the queue: the first one that
// keeps the metadata of a stream, which holds the batch.Spec. An older one drops them without
// an error.
const LeastServer = "2.10"

// TokenEnv names the variable of the environment that holds the token of a server.
const TokenEnv = "QUELL_NATS_TOKEN"

// Connect connects to a server on the network. Without a token and credentials those in the
// address count. A connection that is lost is made again, without end. A server that cannot hold
// a queue is an *job.UsageError.
func Connect(url, token, credentials string) (*nats.Conn, error) {
	options := []nats.Option{nats.Name("quell " + job.Version()), nats.MaxReconnects(-1), nats.ReconnectWait(time.Second)}
	if token != "" {
		options = append(options, nats.Token(token))
	}
	if credentials != "" {
		options = append(options, nats.UserCredentials(credentials))
	}
	nc, err := nats.Connect(url, options...)
	if err != nil {
		return nil, fmt.Errorf("the server of the queue cannot be reached: %w", err)
	}
	if err := checkServer(nc); err != nil {
		nc.Close()
		return nil, err
	}
	return nc, nil
}

// checkServer refuses a server that would lose the batch, or that keeps no streams.
func checkServer(nc *nats.Conn) error {
	if v := nc.ConnectedServerVersion(); !isAtLeast(v, LeastServer) {
		return job.Usagef("the NATS server at %s has version %s, and the queue needs %s or later; start a newer server", nc.ConnectedUrlRedacted(), v, LeastServer)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	_, err = js.AccountInfo(context.Background())
	if errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
		return job.Usagef("the NATS server at %s has no JetStream, which keeps the queue; start it with --jetstream", nc.ConnectedUrlRedacted())
	}
	return nil // what else is wrong is reported by the first request that it hinders
}

// isAtLeast compares major and minor numbers of versions.
func isAtLeast(version, least string) bool {
	var have, need [2]int
	if n, _ := fmt.Sscanf(version, "%d.%d", &have[0], &have[1]); n != 2 {
		return false
	}
	_, _ = fmt.Sscanf(least, "%d.%d", &need[0], &need[1])
	return have[0] > need[0] || have[0] == need[0] && have[1] >= need[1]
}
