package gpu

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"quell/gpu/shm"
	"quell/gpu/wire"
	"quell/internal/message"
	"quell/internal/version"
	"quell/kernels"
)

// process is one running worker: requests go out, replies come in. It is safe
// for concurrent use. Once it is lost, for whatever reason, it stays lost, and
// every pending and later request fails with that reason.
type process struct {
	hello wire.Hello
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   *wire.Writer
	tail  *outputTail // the end of its output that is not part of the protocol

	exited chan struct{} // closed when it is lost

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

// wait returns the reply, with its fault as the error.
func (f *future) wait(ctx context.Context) (wire.Reply, error) {
	select {
	case <-f.ready:
		return f.reply, f.err
	case <-ctx.Done():
		return wire.Reply{}, ctx.Err()
	}
}

// killDelay is the time a worker has to exit after a shutdown, and the time the
// pipes of a dead worker may stay open before they are closed: another process
// may have inherited them.
const killDelay = 2 * time.Second

// startProcess starts the worker at path with the shared segment and waits for
// its hello. The error is a sentence that says why it cannot work.
func startProcess(ctx context.Context, path string, env []string, segment *shm.Segment, stall time.Duration) (*process, error) {
	cmd := exec.Command(path, "-segment", segment.Arg())
	cmd.ExtraFiles = segment.Files()
	cmd.Env = append(os.Environ(), env...)
	cmd.WaitDelay = killDelay
	p := &process{
		cmd:     cmd,
		tail:    &outputTail{},
		exited:  make(chan struct{}),
		waiting: map[uint64]*future{},
	}
	cmd.Stderr = p.tail
	var err error
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, message.Errorf(message.EngineLost, "the GPU worker cannot be started: %w", err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, message.Errorf(message.EngineLost, "the GPU worker cannot be started: %w", err)
	}
	p.out = wire.NewWriter(p.stdin)
	if err := cmd.Start(); err != nil {
		return nil, message.Errorf(message.EngineLost, "the GPU worker cannot be started: %w", err)
	}
	hello := make(chan wire.Hello, 1)
	go p.listen(stdout, hello)
	select {
	case p.hello = <-hello:
	case <-p.exited:
		// The hello may have arrived together with the exit.
		select {
		case p.hello = <-hello:
		default:
			return nil, p.lost
		}
	case <-ctx.Done():
		p.stop(errHung)
		return nil, p.lost
	}
	if err := checkHello(p.hello, version.Source(), kernels.Digest()); err != nil {
		p.stop(err)
		return nil, err
	}
	go p.watch(stall)
	return p, nil
}

// listen delivers replies until the worker's output ends, then finds the reason
// of the exit.
func (p *process) listen(stdout io.Reader, hello chan<- wire.Hello) {
	err := wire.ReadReplies(stdout,
		func(h wire.Hello) { hello <- h },
		p.deliver,
		func(line string) { fmt.Fprintln(p.tail, line) })
	if err != nil {
		// The rest of the stream cannot be trusted.
		p.stop(message.Errorf(message.EngineLost, "the GPU worker's answers cannot be read: %w", err))
	}
	exit := p.cmd.Wait()
	p.fail(exitReason(exit, p.tail.String()))
}

// deliver completes the future of a reply.
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
			// The worker exits now; the other pending requests fail with the
			// same reason.
			f.err = &lostError{Message: r.Fault.AsMessage()}
			p.fail(f.err)
		}
	}
	close(f.ready)
}

// request sends requests together and returns a future for each. It does not
// wait for the worker: the futures of a worker that takes no requests fail when
// listen sees its exit, or at the latest when watch stops it.
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
		// Its input is closed, so it is exiting or useless. Killing it makes
		// the exit certain, and listen reports why it came about.
		_ = p.cmd.Process.Kill()
	}
	return futures, nil
}

// call sends one request and waits for its reply, however long that takes; watch
// stops a worker that never replies.
func (p *process) call(q wire.Request) (wire.Reply, error) {
	f, err := p.request(&q)
	if err != nil {
		return wire.Reply{}, err
	}
	return f[0].wait(context.Background())
}

// watch stops a worker that owes a reply and has been silent for longer than
// stall: a hung kernel or a stuck driver call does not recover.
func (p *process) watch(stall time.Duration) {
	tick := time.NewTicker(stall / 8)
	defer tick.Stop()
	for {
		select {
		case <-p.exited:
			return
		case now := <-tick.C:
			p.stopIfStalled(now, stall)
		}
	}
}

// stopIfStalled stops the worker if at time now it owes a reply and has been silent
// for longer than stall.
func (p *process) stopIfStalled(now time.Time, stall time.Duration) {
	p.mu.Lock()
	stalled := len(p.waiting) > 0 && now.Sub(p.heard) > stall
	p.mu.Unlock()
	if stalled {
		p.stop(&lostError{Message: message.New(message.EngineLost, "the GPU gave no answer for %.3g s", stall.Seconds())})
	}
}

// fail marks the worker lost and fails all pending requests. Only the first
// reason counts.
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
	close(p.exited)
}

// stop marks the worker lost and kills it. It does not wait for the exit: a
// process that is stuck in the kernel driver exits only when the driver
// returns.
func (p *process) stop(reason error) {
	p.fail(reason)
	p.stdin.Close()
	_ = p.cmd.Process.Kill()
}

// shutdown closes the worker's input, at which it exits, and kills it if it has
// not exited after killDelay.
func (p *process) shutdown() {
	p.fail(errShutdown)
	p.stdin.Close()
	time.AfterFunc(killDelay, func() { _ = p.cmd.Process.Kill() })
}

// alive reports whether the worker is not lost.
func (p *process) alive() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lost == nil
}
