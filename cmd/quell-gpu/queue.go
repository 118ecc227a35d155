//go:build cuda

package main

import (
	"gorgonia.org/cu"
)

// queue is a stream with its unfinished requests.
type queue struct {
	stream  cu.Stream
	last    cu.Event  // recorded after the newest request
	pending []pending // oldest first
}

// pending is a request whose reply is sent when the event end has occurred.
type pending struct {
	id    uint64
	start *cu.Event // set if the reply contains the time on the GPU
	end   cu.Event
}

func newQueue(priority int) (*queue, error) {
	s, err := cu.MakeStreamWithPriority(priority, cu.NonBlocking)
	if err != nil {
		return nil, err
	}
	last, err := cu.MakeEvent(cu.DisableTiming)
	if err != nil {
		return nil, err
	}
	return &queue{stream: s, last: last}, nil
}

// after makes what is queued next on q wait for what is queued now on o.
func (q *queue) after(o *queue) error { return q.stream.Wait(o.last, 0) }

// events keeps unused events: creating one takes microseconds, and every request
// needs one.
type events struct {
	free []cu.Event
}

func (e *events) take() (cu.Event, error) {
	if n := len(e.free); n > 0 {
		ev := e.free[n-1]
		e.free = e.free[:n-1]
		return ev, nil
	}
	return cu.MakeEvent(cu.DefaultEvent)
}

func (e *events) release(p pending) {
	e.free = append(e.free, p.end)
	if p.start != nil {
		e.free = append(e.free, *p.start)
	}
}
