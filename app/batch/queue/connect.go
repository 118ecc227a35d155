package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"quell/app/job"
)

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
