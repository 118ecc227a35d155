package dimse_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"sync"
	"testing"

	"quell/io/dimse"
	"quell/io/dimse/dimsetest"
)

// keeper is a handler that keeps what arrives in a folder.
type keeper struct{ folder *dimse.Folder }

func (k keeper) Accept(dimse.Peer) error { return nil }

func (k keeper) Store(_ context.Context, _ dimse.Peer, a *dimse.Arrival) dimse.Status {
	_, _, status, err := k.folder.Store(a)
	if err != nil {
		return dimse.ProcessingFailed
	}
	return status
}

// listen runs a receiver on loopback until the test ends.
func listen(t testing.TB, r *dimse.Receiver) dimse.Node {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	receive(t, r, listener)
	return dimse.Node{AETitle: "QUELL", Host: "127.0.0.1", Port: listener.Addr().(*net.TCPAddr).Port}
}

// receive runs a receiver until the test ends.
func receive(t testing.TB, r *dimse.Receiver, listener net.Listener) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- r.Serve(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// BenchmarkReceiver sends images of 512 KB over four associations.
func BenchmarkReceiver(b *testing.B) {
	for _, durable := range []bool{false, true} {
		b.Run(fmt.Sprintf("durable=%v", durable), func(b *testing.B) {
			folder, err := dimse.OpenFolder(b.TempDir(), 1<<40, durable)
			if err != nil {
				b.Fatal(err)
			}
			n := listen(b, &dimse.Receiver{Handler: keeper{folder}})
			slice := dimsetest.Slices(b, "../../assets", 1)[0]
			const associations = 4
			b.ResetTimer()
			var all sync.WaitGroup
			for i := range associations {
				all.Go(func() {
					a, err := dimse.Dial(context.Background(), n, config, []dimse.Context{slice.Context})
					if err != nil {
						b.Error(err)
						return
					}
					for k := i; k < b.N; k += associations {
						one := slice.Instance()
						one.UID, one.Data = fmt.Sprintf("1.2.%d", k), bytes.NewReader(slice.File[slice.Start:])
						if answer, err := a.Store(context.Background(), one); err != nil || answer.Status != 0 {
							b.Error(answer, err)
							return
						}
					}
					if err := a.Release(context.Background()); err != nil {
						b.Error(err)
					}
				})
			}
			all.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
		})
	}
}
