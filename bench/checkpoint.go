package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"quell/io/atomic"
)

// checkpoint holds the rows of a run that has not ended, so that the same command
// continues after a cancel or a crash. A run that ends removes its rows.
type checkpoint struct {
	path    string // "" keeps nothing
	rows    map[string]stored
	written time.Time // when the file was last written
	pending bool      // rows were added since
}

// writeEvery is how often the file is written at most: it holds all rows.
const writeEvery = time.Second

// stored is a finished row in the checkpoint.
type stored struct {
	Result   RowResult `json:"result"`
	Pictures []Picture `json:"pictures,omitempty"`
}

// CheckpointPath returns the file in which unfinished runs are kept: quell/bench.json in
// the user's cache folder.
func CheckpointPath() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finished rows cannot be kept: %w", err)
	}
	return filepath.Join(dir, "quell", "bench.json"), nil
}

// openState reads the file. One that is missing or damaged holds no rows: they are
// measured again.
func openCheckpoint(path string) *checkpoint {
	s := &checkpoint{path: path}
	if path != "" {
		data, err := os.ReadFile(path)
		if err == nil && json.Unmarshal(data, &s.rows) != nil {
			s.rows = nil
		}
	}
	if s.rows == nil {
		s.rows = map[string]stored{}
	}
	return s
}

// get returns the result of a row.
func (s *checkpoint) get(key string) (RowResult, bool) {
	row, ok := s.rows[key]
	row.Result.Pictures = row.Pictures
	return row.Result, ok && row.Result.Figures != nil
}

// put adds a row, and writes the file if that is due.
func (s *checkpoint) put(key string, r RowResult) error {
	s.rows[key] = stored{Result: r, Pictures: r.Pictures}
	s.pending = true
	if time.Since(s.written) < writeEvery {
		return nil
	}
	return s.flush()
}

// flush writes what put has not written yet.
func (s *checkpoint) flush() error {
	if !s.pending {
		return nil
	}
	s.written, s.pending = time.Now(), false
	return s.write()
}

// remove removes rows, and the file once it is empty.
func (s *checkpoint) remove(keys []string) error {
	for _, key := range keys {
		delete(s.rows, key)
	}
	if len(s.rows) == 0 && s.path != "" {
		if err := os.Remove(s.path); err != nil && !os.IsNotExist(err) {
			return err
		}
		return nil
	}
	return s.write()
}

func (s *checkpoint) write() error {
	if s.path == "" {
		return nil
	}
	data, err := json.Marshal(s.rows)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o777); err != nil {
		return err
	}
	return atomic.WriteFile(s.path, data, 0o600)
}
