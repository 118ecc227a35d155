// Package journal keeps how far many pieces of work have come, so that a process that is killed loses none that has ended:
// the series of a batch, and the tasks of a node of the DICOM network.
//
// Each piece has an entry, a file of JSON that is replaced as a whole. A Hold counts the processes that ended at a piece, and
// fences one that was taken for dead.
package journal

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"quell/io/atomic"
)

// Journal is a folder of entries. Its methods may be called from several goroutines and processes.
type Journal[E any] struct {
	Folder string
	// Sound reports whether an entry can be one that was saved by that name.
	Sound func(name string, e *E) bool
	// Write replaces a file as a whole; nil for a file that all users may read.
	Write func(path string, data []byte) error
}

// Path is the file of an entry.
func (j Journal[E]) Path(name string) string { return filepath.Join(j.Folder, name+".json") }

// Save writes an entry.
func (j Journal[E]) Save(name string, e *E) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if j.Write != nil {
		return j.Write(j.Path(name), data)
	}
	return atomic.WriteFile(j.Path(name), data, 0o666)
}

// Load returns an entry; false if there is none that is sound.
func (j Journal[E]) Load(name string) (*E, bool) {
	e := new(E)
	data, err := os.ReadFile(j.Path(name))
	return e, err == nil && json.Unmarshal(data, e) == nil && j.Sound(name, e)
}

// Each calls visit with the entries that were written since the call before with the same stamps, by their names, or with all
// if stamps is nil. It names the files of those that are not sound. Without a folder the error is fs.ErrNotExist.
func (j Journal[E]) Each(stamps map[string]time.Time, visit func(e *E)) (damaged []string, err error) {
	files, err := os.ReadDir(j.Folder)
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), ".json")
		info, gone := f.Info()
		if !ok || gone != nil || stamps[name].Equal(info.ModTime()) {
			continue
		}
		e, ok := j.Load(name)
		if !ok {
			damaged = append(damaged, f.Name())
			continue
		}
		if stamps != nil {
			stamps[name] = info.ModTime()
		}
		visit(e)
	}
	return damaged, err
}

// Quarantine moves a file that is not sound to another folder of the same file system.
func (j Journal[E]) Quarantine(file, folder string) error {
	err := os.MkdirAll(folder, 0o700)
	return errors.Join(err, os.Rename(filepath.Join(j.Folder, file), filepath.Join(folder, file)))
}

// Remove forgets an entry, if there is one.
func (j Journal[E]) Remove(name string) error {
	if err := os.Remove(j.Path(name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
