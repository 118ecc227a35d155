package workbench

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"quell/app/files"
	"quell/app/job"
	"quell/app/open"
	"quell/app/output"
	"quell/app/run"
	"quell/io/dicom"
	"quell/series"
)

// Exported identifies the files of an export, so that it can be seen later whether they stand.
type Exported struct {
	Output string         `json:"output"`
	Files  []ExportedFile `json:"files"`
}

// ExportedFile is a file of an export as it was written.
type ExportedFile struct {
	Path     string    `json:"path"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
}

// ExportedBy returns the files that an export has just written. It reads the folder.
func ExportedBy(r job.Written) (*Exported, error) {
	e := &Exported{Output: r.Output}
	err := outputFiles(r.Output, func(path string, info fs.FileInfo) {
		e.Files = append(e.Files, ExportedFile{path, info.Size(), info.ModTime()})
	})
	return e, err
}

// Stands reports whether every file is still the one that was written: by size and time, as
// another export has a later one. Files that were added do not count. It may block as long
// as the file system does, so it is not for the UI goroutine.
func (e *Exported) Stands() bool {
	for _, f := range e.Files {
		info, err := os.Stat(f.Path)
		if err != nil || !info.Mode().IsRegular() || info.Size() != f.Size || !sameTime(info.ModTime(), f.Modified) {
			return false
		}
	}
	return len(e.Files) > 0
}

// sameTime reports whether a file system that stores times in steps may say now for what it said when
// the file was written: shares and memory cards round a time once it leaves the cache.
func sameTime(now, written time.Time) bool {
	for _, step := range []time.Duration{1, 100, time.Microsecond, time.Millisecond, 10 * time.Millisecond, time.Second, 2 * time.Second} {
		if down := written.Truncate(step); now.Equal(down) || now.Equal(down.Add(step)) {
			return true
		}
	}
	return false
}

// outputFiles visits the files of an output: the .dcm files of a folder and of those in it,
// else a file or a pair.
func outputFiles(out string, visit func(path string, info fs.FileInfo)) error {
	if !files.IsFolder(out) {
		for _, path := range files.PartsOf(out) {
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			visit(path, info)
		}
		return nil
	}
	return filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) != ".dcm" {
			return err
		}
		info, err := d.Info()
		if err == nil {
			visit(path, info)
		}
		return err
	})
}

// Existing describes what stands at the path at which an output would be written.
type Existing struct {
	Path     string
	Quell    bool // Quell wrote it
	Files    int
	States   int // of Files, presentation states
	Bytes    int64
	Modified time.Time      // of the newest file
	Meta     series.Meta    // of DICOM, as far as it says
	Record   *output.Record // next to it; nil for none
	// Source says that it was made of the same series, Same that it also was in the same way.
	Source, Same bool
}

// Exporting is a run that is to be exported, for what would stand in its way. Create it with
// NewExporting; it may be used from any goroutine.
type Exporting struct {
	Run  *run.Run
	mine []*Exported
	hash func() string // of the source's voxels
}

// NewExporting describes a run; mine are its earlier exports.
func NewExporting(r *run.Run, mine []*Exported) *Exporting {
	return &Exporting{Run: r, mine: mine, hash: sync.OnceValue(func() string { return run.HashOf(r.Source.Volume) })}
}

// Existing describes what stands at out; false if nothing does. It hashes the source if a
// record may be of it, so it is not for the UI goroutine.
func (e *Exporting) Existing(out string) (there Existing, ok bool) {
	out = filepath.Clean(out)
	if out == "." || !files.Exists(out) {
		return there, false
	}
	there.Path = out
	first := ""
	_ = outputFiles(out, func(path string, info fs.FileInfo) { // what cannot be read is not described
		if first == "" {
			first = path
		}
		there.Files++
		if dicom.IsPresentation(filepath.Base(path)) {
			there.States++
		}
		there.Bytes += info.Size()
		if info.ModTime().After(there.Modified) {
			there.Modified = info.ModTime()
		}
	})
	if info, err := os.Stat(out); err == nil && there.Files == 0 {
		there.Modified = info.ModTime()
	}
	there.Quell, _ = files.WrittenByQuell(out)
	if !there.Quell {
		return there, true
	}
	if files.Identified(out) && first != "" {
		if c, err := open.ScanUnlogged(context.Background(), first); err == nil {
			there.Meta = c.Entries[0].Meta
			c.Close()
		}
	}
	if record := files.RecordPath(out); files.IsRecord(record) {
		if data, err := os.ReadFile(record); err == nil {
			var r output.Record
			if json.Unmarshal(data, &r) == nil {
				there.Record = &r
			}
		}
	}
	there.Source, there.Same = e.made(there.Record)
	if slices.ContainsFunc(e.mine, func(x *Exported) bool { return x.Output == out && x.Stands() }) {
		there.Source, there.Same = true, true
	}
	return there, true
}

// made reports whether a record is of the series of the run, by its patient, UIDs and voxels, and of the run itself.
func (e *Exporting) made(r *output.Record) (source, same bool) {
	if r == nil || r.Source.SHA256 == "" || r.Source.Dims != e.Run.Source.Volume.Dims {
		return false, false
	}
	own := output.RecordOf(e.Run, job.Options{})
	if own.Source.SHA256 = e.hash(); own.Source.SHA256 != r.Source.SHA256 || own.Source.Series != r.Source.Series {
		return false, false
	}
	work := func(r output.Record) []byte { // what the output depends on
		data, _ := json.Marshal(output.Record{Recipe: r.Recipe, Source: r.Source, Region: r.Region, Parts: r.Parts,
			Resampled: r.Resampled, NoiseMap: r.NoiseMap, Mask: r.Mask, Noise: r.Noise, Volumes: r.Volumes, Place: r.Place})
		return data
	}
	return true, bytes.Equal(work(*own), work(*r))
}

// ExistingFile describes what stands at the path at which a report, a picture or a table
// would be written.
func ExistingFile(path string) (there Existing, ok bool) {
	info, err := os.Stat(path)
	if err != nil || strings.TrimSpace(path) == "" {
		return there, false
	}
	return Existing{Path: path, Files: 1, Bytes: info.Size(), Modified: info.ModTime()}, true
}
