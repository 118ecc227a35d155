package gpu

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"quell/gpu/shm"
	"quell/gpu/wire"
)

// process is one running worker: requests out, replies in. It is safe for
// concurrent use. Once it is lost, for whatever reason, it stays lost and
// every request, old and new, fails with that reason.
type process struct {
	hello wire.Hello
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   *wire.Writer
	tail  *tail // the end of what it said beside the protocol

	gone chan struct{} // closed when it is lost

	mu      sync.Mutex
	lost    error // why; nil while it works
	next    uint64
	waiting map[uint64]*future
	heard   time.Time // of the last reply, or of the first request after a pause
}

// future is a reply to come.
type future struct {
	ready chan struct{} // closed when reply and err are set
	reply wire.Reply
	err   error // a *wire.Fault, or why the worker was lost
}

// wait returns the reply, its fault as the error.
func (f *future) wait(ctx context.Context) (wire.Reply, error) {
	select {
	case <-f.ready:
		return f.reply, f.err
	case <-ctx.Done():
		return wire.Reply{}, ctx.Err()
	}
}

// reapDelay is how long the pipes of a dead worker may stay open before they
// are closed: something else may have inherited them.
const reapDelay = 2 * time.Second

// startProcess starts the worker at path with the shared segment and waits for
// its hello. The error is a sentence saying why it cannot work.
func startProcess(ctx context.Context, path string, env []string, segment *shm.Segment, stall time.Duration) (*process, error) {
	cmd := exec.Command(path, "-segment", segment.Arg())
	cmd.ExtraFiles = segment.Files()
	cmd.Env = append(os.Environ(), env...)
	cmd.WaitDelay = reapDelay
	p := &process{
		cmd:     cmd,
		tail:    &tail{},
		gone:    make(chan struct{}),
		waiting: map[uint64]*future{},
	}
	cmd.Stderr = p.tail
	var err error
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("the GPU worker cannot be started: %w", err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("the GPU worker cannot be started: %w", err)
	}
	p.out = wire.NewWriter(p.stdin)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("the GPU worker cannot be started: %w", err)
	}
	greeted := make(chan wire.Hello, 1)
	go p.listen(stdout, greeted)
	select {
	case p.hello = <-greeted:
	case <-p.gone:
		// The hello and the end may have come together.
		select {
		case p.hello = <-greeted:
		default:
			return nil, p.lost
		}
	case <-ctx.Done():
		p.stop(errors.New("the GPU worker did not start in time"))
		return nil, p.lost
	}
	if err := greet(p.hello); err != nil {
		p.stop(err)
		return nil, err
	}
	go p.watch(stall)
	return p, nil
}

// listen reads replies until the worker's output ends, then finds out why.
func (p *process) listen(stdout io.Reader, greeted chan<- wire.Hello) {
	err := wire.ReadReplies(stdout,
		func(h wire.Hello) { greeted <- h },
		p.deliver,
		func(line string) { fmt.Fprintln(p.tail, line) })
	if err != nil {
		// What follows in the stream cannot be trusted.
		p.stop(fmt.Errorf("the GPU worker's answers cannot be read: %w", err))
	}
	exit := p.cmd.Wait()
	p.fail(exitReason(exit, p.tail.String()))
}

// deliver hands a reply to whoever waits for it.
func (p *process) deliver(r wire.Reply) {
	p.mu.Lock()
	f := p.waiting[r.ID]
	delete(p.waiting, r.ID)
	p.heard = time.Now()
	p.mu.Unlock()
	if f == nil {
		return
	}
	f.reply = r
	if r.Fault != nil {
		f.err = r.Fault
		if r.Fault.Kind == wire.Sticky {
			// It ends now; whoever waits for anything else hears why.
			f.err = &lostError{text: r.Fault.Text}
			p.fail(f.err)
		}
	}
	close(f.ready)
}

// request sends requests together and returns a future for each.
func (p *process) request(requests ...*wire.Request) ([]*future, error) {
	futures := make([]*future, len(requests))
	messages := make([]any, len(requests))
	p.mu.Lock()
	if p.lost != nil {
		defer p.mu.Unlock()
		return nil, p.lost
	}
	if len(p.waiting) == 0 {
		p.heard = time.Now()
	}
	for i, q := range requests {
		p.next++
		q.ID = p.next
		futures[i] = &future{ready: make(chan struct{})}
		p.waiting[q.ID] = futures[i]
		messages[i] = q
	}
	p.mu.Unlock()
	if err := p.out.Send(messages...); err != nil {
		// The worker is gone; listen finds out why and fails the futures.
		<-p.gone
		return nil, p.lost
	}
	return futures, nil
}

// call sends one request and waits for its reply, however long that takes; a
// worker that never replies is ended by watch.
func (p *process) call(q wire.Request) (wire.Reply, error) {
	f, err := p.request(&q)
	if err != nil {
		return wire.Reply{}, err
	}
	return f[0].wait(context.Background())
}

// watch ends a worker that owes a reply and has been silent for too long: a
// hung kernel or a stuck driver call never comes back by itself.
func (p *process) watch(stall time.Duration) {
	tick := time.NewTicker(stall / 8)
	defer tick.Stop()
	for {
		select {
		case <-p.gone:
			return
		case <-tick.C:
		}
		p.mu.Lock()
		silent := time.Since(p.heard)
		owes := len(p.waiting) > 0
		p.mu.Unlock()
		if owes && silent > stall {
			p.stop(&lostError{text: fmt.Sprintf("the GPU gave no answer for %.3g s", stall.Seconds())})
			return
		}
	}
}

// fail marks the worker lost; the first reason stands.
func (p *process) fail(reason error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lost != nil {
		return
	}
	p.lost = reason
	for id, f := range p.waiting {
		delete(p.waiting, id)
		f.err = reason
		close(f.ready)
	}
	close(p.gone)
}

// stop loses the worker for a reason and kills it. It does not wait: a process
// that is stuck in the kernel driver goes only when the driver lets it.
func (p *process) stop(reason error) {
	p.fail(reason)
	p.stdin.Close()
	_ = p.cmd.Process.Kill()
}

// dismiss ends the worker politely: at the end of its input it exits.
func (p *process) dismiss() {
	p.fail(errDismissed)
	p.stdin.Close()
	time.AfterFunc(reapDelay, func() { _ = p.cmd.Process.Kill() })
}

// alive says whether the worker still works.
func (p *process) alive() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lost == nil
}
