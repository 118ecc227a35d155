package engines_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"quell/app/engines"
	"quell/gpu"
	"quell/internal/message"
)

// TestAwait: a start of a GPU is told if it takes longer than three seconds, once, and not before.
func TestAwait(t *testing.T) {
	for took, want := range map[time.Duration]int{0: 0, 3*time.Second - 1: 0, 3*time.Second + 1: 1, gpu.StartLimit: 1} {
		synctest.Test(t, func(t *testing.T) {
			begin, failed := time.Now(), errors.New("no GPU")
			var said []string
			e, err := engines.Await(func() (int, error) { time.Sleep(took); return 7, failed }, func(m message.Message) {
				if since := time.Since(begin); since != 3*time.Second {
					t.Errorf("told after %v", since)
				}
				said = append(said, m.String())
			})
			if e != 7 || !errors.Is(err, failed) || time.Since(begin) != took || len(said) != want {
				t.Errorf("%v: %d, %v after %v, %q", took, e, err, time.Since(begin), said)
			}
			if want > 0 && said[0] != "the GPU has not answered for 3s; it is given up after 10s" {
				t.Errorf("%q", said)
			}
		})
	}
}
