package serve

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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
	mu   sync.Mutex
	file *os.File
	key  []byte
	now  func() time.Time
}

// openAudit opens the log of a folder, and its key, which is made once: the hashes of one node are the same for ever,
// and cannot be reversed without the key.
func openAudit(folder string, now func() time.Time) (*audit, error) {
	path := filepath.Join(folder, "key")
	key, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		key = make([]byte, 32)
		_, _ = rand.Read(key) // never fails
		err = atomic.WriteFile(path, key, 0o600)
	}
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(folder, "audit.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	return &audit{file: file, key: key, now: now}, nil
}

func (a *audit) close() error { return a.file.Close() }

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
		a.mu.Lock()
		_, err = a.file.Write(append(line, '\n'))
		a.mu.Unlock()
	}
	if err != nil {
		job.Log("the audit log cannot be written")
	}
}
