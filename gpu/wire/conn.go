package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// maxLine is the size limit of one message. Messages have a few kilobytes; the
// limit keeps an endless line from filling the memory.
const maxLine = 1 << 20

// Writer sends messages, one a line. It is safe for concurrent use.
type Writer struct {
	mu  sync.Mutex
	w   io.Writer
	buf bytes.Buffer
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Send writes messages in one write, so that they arrive together.
func (w *Writer) Send(messages ...any) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf.Reset()
	for _, m := range messages {
		// Encode ends each message with a newline.
		if err := json.NewEncoder(&w.buf).Encode(m); err != nil {
			return fmt.Errorf("wire: %w", err)
		}
	}
	_, err := w.w.Write(w.buf.Bytes())
	return err
}

// SendHello writes the worker's first line.
func (w *Writer) SendHello(h Hello) error {
	line, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("wire: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err = fmt.Fprintf(w.w, "%s%s\n", Magic, line)
	return err
}

// lines returns a scanner with the line limit maxLine.
func lines(r io.Reader) *bufio.Scanner {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 64<<10), maxLine)
	return s
}

// ReadRequests calls handle for every request until r ends. It is the worker's
// loop. A line that is not a request is an error, since only the parent writes to
// r.
func ReadRequests(r io.Reader, handle func(Request)) error {
	s := lines(r)
	for s.Scan() {
		var q Request
		if err := json.Unmarshal(s.Bytes(), &q); err != nil {
			return fmt.Errorf("wire: %w", err)
		}
		handle(q)
	}
	return s.Err()
}

// ReadReplies is the parent's loop. Until r ends it calls hello once, then reply
// for every reply, and diagnostic for every line that is neither.
func ReadReplies(r io.Reader, hello func(Hello), reply func(Reply), diagnostic func(string)) error {
	s := lines(r)
	started := false
	for s.Scan() {
		line := s.Bytes()
		if !started {
			var h Hello
			if rest, ok := bytes.CutPrefix(line, []byte(Magic)); ok && json.Unmarshal(rest, &h) == nil {
				started = true
				hello(h)
				continue
			}
		} else if len(line) > 0 && line[0] == '{' {
			var p Reply
			if json.Unmarshal(line, &p) == nil && p.ID != 0 {
				reply(p)
				continue
			}
		}
		diagnostic(string(line))
	}
	return s.Err()
}
