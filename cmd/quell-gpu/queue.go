//go:build cuda

package main

import (
	"gorgonia.org/cu"
)

// queue is a stream and the requests that it has not finished, oldest first.
type queue struct {
	stream  cu.Stream
	mark    cu.Event // recorded after the newest request
	waiting []pending
}

// pending is a request whose reply waits for end.
type pending struct {
	id    uint64
	start *cu.Event // where the time on the GPU is wanted
	end   cu.Event
}

func newQueue(priority int) (*queue, error) {
	s, err := cu.MakeStreamWithPriority(priority, cu.NonBlocking)
	if err != nil {
		return nil, err
	}
	mark, err := cu.MakeEvent(cu.DisableTiming)
	if err != nil {
		return nil, err
	}
	return &queue{stream: s, mark: mark}, nil
}

// after has what is queued next on q wait for what is queued now on o.
func (q *queue) after(o *queue) error { return q.stream.Wait(o.mark, 0) }

// events keeps finished events for reuse: making one costs microseconds, and
// every request needs one.
type events struct {
	spare []cu.Event
}

func (e *events) take() (cu.Event, error) {
	if n := len(e.spare); n > 0 {
		ev := e.spare[n-1]
		e.spare = e.spare[:n-1]
		return ev, nil
	}
	return cu.MakeEvent(cu.DefaultEvent)
}

func (e *events) give(p pending) {
	e.spare = append(e.spare, p.end)
	if p.start != nil {
		e.spare = append(e.spare, *p.start)
	}
}
