package queue

import (
	"context"
	"encoding/json"
	"io"
	"os/exec"
	"sync"
	"time"

	"quell/app/batch"
)

// offer is a line on the standard input of a child: a unit that it is to do. The first line is the batch.Spec.
type offer struct {
	Number int
	batch.Unit
}

// answer is a line on its standard output: a sign of life.
type answer struct {
	Free   bool          `json:",omitempty"` // the child can take one more unit
	Number int           // of the unit that ended, if Ended is true
	Ended  bool          `json:",omitempty"`
	How    batch.Outcome `json:",omitempty"`
}

// list is the units of a batch. The results next to the output hold the truth about finished work: a unit that is
// handed out again costs a look at its results.
type list struct {
	units    []batch.Unit
	waiting  chan int      // numbers of units
	finished chan struct{} // closed after the last one

	mu     sync.Mutex
	left   int
	inWork map[int]bool
	again  map[int]bool // handed out more than once
}

func newList(units []batch.Unit) *list {
	l := &list{units: units, waiting: make(chan int, len(units)), finished: make(chan struct{}), left: len(units), inWork: map[int]bool{}, again: map[int]bool{}}
	for i := range units {
		l.waiting <- i
	}
	if l.left == 0 {
		close(l.finished)
	}
	return l
}

func (l *list) begin(number int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inWork[number] = true
}

// end takes a unit from a child; one that is not finished goes to the next that is free.
func (l *list) end(number int, how batch.Outcome) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.inWork, number)
	if how != batch.Finished {
		l.again[number] = true
		l.waiting <- number
		return
	}
	if l.left--; l.left == 0 {
		close(l.finished)
	}
}

func (l *list) progress() batch.Left {
	l.mu.Lock()
	defer l.mu.Unlock()
	left := batch.Left{Units: l.left, InWork: len(l.inWork)}
	for number := range l.inWork {
		if l.again[number] {
			left.Redelivered++
		}
	}
	return left
}

// Children has n processes of this machine do the units, see batch.Options.Distribute; start makes the ith, which calls
// WorkForParent. A unit of a process that ends goes to another. A process without a sign of life for Timing.Wait is
// killed.
func Children(ctx context.Context, n int, start func(ctx context.Context, i int) *exec.Cmd, t Timing, spec batch.Spec, units []batch.Unit, progress func(batch.Left)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	l := newList(units)
	supervised := make(chan struct{})
	defer func() { cancel(nil); <-supervised }()
	go func() {
		defer close(supervised)
		cancel(Supervise(ctx, n, func(ctx context.Context, i int) error { return l.attend(start(ctx, i), t, spec) }))
	}()
	tick := time.Tick(t.Poll)
	for {
		progress(l.progress())
		select {
		case <-l.finished:
			progress(l.progress())
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick:
		}
	}
}

// attend runs a child and hands it units until it ends.
func (l *list) attend(cmd *exec.Cmd, t Timing, spec batch.Spec) error {
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	defer in.Close()
	cmd.Cancel = in.Close // the child gives its units back and ends
	cmd.WaitDelay = 30 * time.Second
	out, stdout := io.Pipe()
	cmd.Stdout = stdout
	if err := cmd.Start(); err != nil {
		return err
	}
	said := make(chan answer)
	var attended sync.WaitGroup
	attended.Go(func() {
		defer close(said)
		defer func() { _ = out.Close() }() // a child that writes anything else cannot go on
		for lines := json.NewDecoder(out); ; {
			var a answer
			if lines.Decode(&a) != nil {
				return
			}
			said <- a
		}
	})
	attended.Go(func() {
		l.converse(json.NewEncoder(in), said, t, spec, func() { _ = cmd.Process.Kill() })
	})
	err = cmd.Wait()
	_ = stdout.Close() // so that the reader ends
	attended.Wait()
	return err
}

// converse hands units to a child until it says nothing more, and takes back what it has then. Silence is counted in
// ticks of this process, which do not go on while it is paused itself.
func (l *list) converse(in *json.Encoder, said <-chan answer, t Timing, spec batch.Spec, kill func()) {
	held := map[int]bool{}
	defer func() {
		kill() // it has ended, or its lines cannot be read
		for number := range held {
			l.end(number, batch.GivenBack)
		}
	}()
	tick := time.Tick(t.Renew)
	silence := time.Duration(0)
	free := false
	_ = in.Encode(spec) // an error is that the child has ended
	for {
		var waiting <-chan int
		if free {
			waiting = l.waiting
		}
		select {
		case number := <-waiting:
			free, held[number] = false, true
			l.begin(number)
			_ = in.Encode(offer{number, l.units[number]})
		case a, ok := <-said:
			switch silence = 0; {
			case !ok:
				return
			case a.Ended && held[a.Number]:
				delete(held, a.Number)
				l.end(a.Number, a.How)
			case a.Free:
				free = true
			}
		case <-tick:
			if silence += t.Renew; silence > t.Wait {
				kill()
			}
		}
	}
}
