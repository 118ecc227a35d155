package cohorts

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"quell/app/batch"
	"quell/app/batch/queue"
	"quell/app/job"
	"quell/cmd/option"
	"quell/internal/clean"
)

const metricsHelp = "serve metrics for Prometheus at http://`HOST:PORT`/metrics; they have no names"

// natsFlags name a server.
type natsFlags struct{ url, credentials string }

func (f *natsFlags) addTo(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.url, "nats", "", "the NATS server with JetStream (version "+queue.LeastServer+" or later) at this `URL`, such as nats://head:4222")
	option.AddInput(flags, &f.credentials, "nats-creds", "credentials of that server, in this `file`")
}

func (f *natsFlags) connect() (*nats.Conn, error) {
	return queue.Connect(f.url, os.Getenv(queue.TokenEnv), f.credentials)
}

// distributor is batch.Options.Distribute.
type distributor = func(ctx context.Context, spec batch.Spec, units []batch.Unit, progress func(batch.Left)) error

// remote has the workers of a server do the units.
func (f *natsFlags) remote() distributor {
	return func(ctx context.Context, spec batch.Spec, units []batch.Unit, progress func(batch.Left)) error {
		nc, err := f.connect()
		if err != nil {
			return err
		}
		defer nc.Close()
		return queue.Distribute(ctx, nc, queue.Usual, spec, units, progress)
	}
}

// processes has n processes of this machine do the units.
func processes(n, workers int, memory int64) distributor {
	return func(ctx context.Context, spec batch.Spec, units []batch.Unit, progress func(batch.Left)) error {
		program, err := os.Executable()
		if err != nil {
			return err
		}
		args := []string{"worker", "--child", "--memory", strconv.FormatInt(max(memory/int64(n), 1), 10)}
		if workers > 0 {
			args = append(args, "--workers", strconv.Itoa(workers))
		}
		start := func(ctx context.Context, i int) *exec.Cmd {
			child := exec.CommandContext(ctx, program, args...)
			child.Env = append(os.Environ(), queue.Device(i)...)
			child.Stderr = clean.NewWriter(os.Stderr)
			return child
		}
		return queue.Children(ctx, n, start, queue.Usual, spec, units, progress)
	}
}

// withMetrics serves metrics, if an address is given, until stop.
func withMetrics(address string, events batch.Events) (with batch.Events, stop func(), err error) {
	if address == "" {
		return events, func() {}, nil
	}
	with, served, err := serveMetrics(address, events)
	return with, served.stop, err
}

// metricsServer serves metrics at an address until stop.
type metricsServer struct {
	address string
	stop    func()
}

func serveMetrics(address string, events batch.Events) (batch.Events, metricsServer, error) {
	if _, _, err := net.SplitHostPort(address); err != nil {
		return events, metricsServer{}, job.Usagef("--metrics %s: give HOST:PORT, such as 127.0.0.1:9100", address)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return events, metricsServer{}, job.Usagef("--metrics %s: %w", address, err)
	}
	m := batch.NewMetrics()
	mux := http.NewServeMux()
	mux.Handle("/metrics", m)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(l) }() // ends with an error when it is closed
	return m.Events(events), metricsServer{l.Addr().String(), func() { _ = server.Close() }}, nil
}
