package volume

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"testing/synctest"
)

func TestVoxelsArriveInAnyOrder(t *testing.T) {
	const n = 40
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		a := NewArrival()
		var want [n]bool
		for range 12 {
			from := r.IntN(n)
			to := from + r.IntN(n-from+1)
			a.Add(from, to)
			for i := from; i < to; i++ {
				want[i] = true
			}
			for lo := range n {
				all := true
				for hi := lo; hi <= n; hi++ {
					if got, _, err := a.has(lo, hi); got != all || err != nil {
						t.Fatalf("voxels %d..%d: final %v (%v), want %v; %v", lo, hi, got, err, all, a.final)
					}
					all = all && hi < n && want[hi]
				}
			}
		}
		for i := 1; i < len(a.final); i++ {
			if a.final[i].from <= a.final[i-1].to {
				t.Fatalf("%v: %v touch", a.final[i-1], a.final[i])
			}
		}
	}
}

func TestReadWaitsForItsVoxels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewArrival()
		read, failed := 0, errors.New("failed")
		errs := make(chan error, 1)
		begin := func(from, to int, result error) {
			go func() {
				errs <- a.Read(t.Context(), from, to, func() error { read++; return result })
			}()
			synctest.Wait()
		}
		begin(2, 4, failed)
		a.Add(0, 3)
		synctest.Wait()
		if read != 0 {
			t.Fatal("read before voxel 3 was final")
		}
		a.Add(3, 4)
		if err := <-errs; read != 1 || !errors.Is(err, failed) {
			t.Fatalf("%d reads, error %v", read, err)
		}
		begin(0, 9, nil)
		a.End(nil)
		if err := <-errs; read != 2 || err != nil {
			t.Fatalf("%d reads, error %v", read, err)
		}
		a.End(failed)
		begin(0, 9, nil)
		if err := <-errs; read != 3 || err != nil {
			t.Fatalf("after a second end: %d reads, error %v", read, err)
		}
	})
}

func TestReadEndsWithTheArrivalOrItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed := errors.New("failed")
		a, b := NewArrival(), NewArrival()
		a.Add(0, 5)
		ctx, cancel := context.WithCancel(t.Context())
		never := func() error { t.Error("was read"); return nil }
		errs := make(chan error, 2)
		go func() { errs <- b.Read(ctx, 0, 1, never) }()
		synctest.Wait()
		cancel()
		if err := <-errs; !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		go func() { errs <- a.Read(t.Context(), 4, 6, never) }()
		synctest.Wait()
		a.End(failed)
		if err := <-errs; !errors.Is(err, failed) {
			t.Errorf("ended: %v", err)
		}
		if err := a.Read(t.Context(), 0, 5, never); !errors.Is(err, failed) {
			t.Errorf("voxels that were final: %v", err)
		}
	})
}

func TestEndWaitsForReaders(t *testing.T) {
	a := NewArrival()
	a.Add(0, 5)
	err := a.Read(t.Context(), 0, 5, func() error {
		if a.reading.TryLock() {
			t.Error("End would not wait: voxels may change while they are read")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !a.reading.TryLock() {
		t.Error("End would wait for ever")
	}
}

func TestACompleteVolumeIsReadAtOnce(t *testing.T) {
	var a *Arrival
	a.Add(0, 1)
	a.End(errors.New("ignored"))
	read := false
	if err := a.Read(t.Context(), 0, 9, func() error { read = true; return nil }); err != nil || !read {
		t.Error(read, err)
	}
}
