package serve

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"quell/app/job"
	"quell/internal/message"
	"quell/io/atomic"
)

// entry is an event of the audit log. Series is a UID, of which the log has a hash alone; of an error it has the
// kind.
type entry struct {
	Event     string
	Series    string
	Task      int
	Instances int
	Rule, To  string
	From      string // address
	Caller    string // AE title that the settings name
	Problem   string
	Err       error
}

// audit is the log of a node. It is safe for concurrent use.
type audit struct {
	folder string
	key    []byte
	now    func() time.Time
	most   int64 // bytes of a file
	kept   int   // files that are full

	mu   sync.Mutex
	file interface {
		io.WriteCloser
		Truncate(size int64) error
	}
	size int64
}

// openAudit opens the log of a folder, and its key, which is made once: the hashes of one node are the same for ever,
// and cannot be reversed without the key.
func openAudit(s Settings, now func() time.Time) (*audit, error) {
	path := filepath.Join(s.Folder, "key")
	key, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		key = make([]byte, 32)
		_, _ = rand.Read(key) // never fails
		err = atomic.WriteFile(path, key, 0o600)
	}
	if err != nil {
		return nil, err
	}
	a := &audit{folder: s.Folder, key: key, now: now, most: int64(s.AuditMB * 1e6), kept: s.AuditFiles}
	return a, a.open()
}

// open opens the file that is written.
func (a *audit) open() error {
	file, err := os.OpenFile(filepath.Join(a.folder, "audit.log"), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	a.file = file
	if a.size, err = wholeLines(file); err != nil {
		a.file = nil
		return errors.Join(err, file.Close())
	}
	return nil
}

// longestLine bounds a line of the log.
const longestLine = 4096

// wholeLines cuts what a crash left of a last line off a file, and returns its size.
func wholeLines(file *os.File) (int64, error) {
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	last := make([]byte, min(info.Size(), longestLine))
	begin := info.Size() - int64(len(last))
	if _, err := file.ReadAt(last, begin); err != nil {
		return 0, err
	}
	size := begin + int64(bytes.LastIndexByte(last, '\n')) + 1
	return size, file.Truncate(size)
}

func (a *audit) close() error {
	if a.file == nil {
		return nil
	}
	return a.file.Close()
}

// full returns the numbers of the files that are full, the oldest first.
func (a *audit) full() (numbers []int, err error) {
	entries, err := os.ReadDir(a.folder)
	for _, e := range entries {
		var n int
		if _, err := fmt.Sscanf(e.Name(), fullAudit, &n); err == nil && e.Name() == fmt.Sprintf(fullAudit, n) {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, err
}

// fullAudit is the name of a file that is full.
const fullAudit = "audit.%06d.log"

func (a *audit) numbered(n int) string { return filepath.Join(a.folder, fmt.Sprintf(fullAudit, n)) }

// rotate renames the file that is full, to the number after the highest, begins another, and removes those of the
// lowest numbers that are too many. A crash at any point loses no line.
func (a *audit) rotate() error {
	numbers, err := a.full()
	if err != nil {
		return err
	}
	next := 1
	if len(numbers) > 0 {
		next = numbers[len(numbers)-1] + 1
	}
	if err := a.file.Close(); err != nil { // Windows renames no open file
		return err
	}
	a.file = nil
	err = os.Rename(filepath.Join(a.folder, "audit.log"), a.numbered(next))
	if err := errors.Join(err, a.open()); err != nil {
		return err
	}
	numbers = append(numbers, next)
	for _, n := range numbers[:max(0, len(numbers)-a.kept)] {
		if err := os.Remove(a.numbered(n)); err != nil {
			return err
		}
	}
	return nil
}

// add writes a line, after a rotation if it has no room. A log that could not be rotated goes on in the file that is
// full.
func (a *audit) add(line []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var rotated error
	if a.size > 0 && a.size+int64(len(line)) > a.most {
		rotated = a.rotate()
	}
	if a.file == nil {
		if err := a.open(); err != nil {
			return errors.Join(rotated, err)
		}
	}
	if _, err := a.file.Write(line); err != nil { // the disk may be full in mid-line
		return errors.Join(rotated, err, a.file.Truncate(a.size))
	}
	a.size += int64(len(line))
	return rotated
}

// hash returns what stands for a UID.
func (a *audit) hash(uid string) string {
	if uid == "" {
		return ""
	}
	h := hmac.New(sha256.New, a.key)
	h.Write([]byte(uid))
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// write adds a line. If that fails the log of the program says so, and the node goes on.
func (a *audit) write(e entry) {
	if e.Err != nil && e.Problem == "" {
		e.Problem = string(message.KindOf(e.Err))
	}
	line, err := json.Marshal(struct {
		Time      string `json:"time"`
		Event     string `json:"event"`
		Series    string `json:"series,omitempty"`
		Task      int    `json:"task,omitempty"`
		Instances int    `json:"instances,omitempty"`
		Rule      string `json:"rule,omitempty"`
		To        string `json:"to,omitempty"`
		From      string `json:"from,omitempty"`
		Caller    string `json:"caller,omitempty"`
		Problem   string `json:"problem,omitempty"`
	}{a.now().UTC().Format(time.RFC3339), e.Event, a.hash(e.Series), e.Task, e.Instances, e.Rule, e.To, e.From, e.Caller, e.Problem})
	if err == nil {
		err = a.add(append(line, '\n'))
	}
	if err != nil {
		job.Log("the audit log cannot be written")
	}
}
