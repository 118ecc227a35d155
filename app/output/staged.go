package output

import (
	"context"
	"path/filepath"

	"quell/app/executor"
	"quell/app/files"
	"quell/io/atomic"
	"quell/io/format"
)

// staged is one file that a sink writes in a stage.
type staged struct {
	out     string
	stage   *atomic.Stage // nil before open
	written format.Writer
}

// open begins the file.
func (f *staged) open(o format.Options) (err error) {
	f.out = filepath.Clean(f.out)
	if f.stage, err = atomic.Begin(f.out); err != nil {
		return err
	}
	f.written = files.NewWriter(f.out, f.stage.Path(filepath.Base(f.out)), o)
	return nil
}

// Finish completes the file and gives it its name.
func (f *staged) Finish(ctx context.Context, _ *executor.Outcome) error {
	if _, err := f.written.Close(ctx); err != nil {
		return writeError(f.out, err)
	}
	return f.stage.Commit(ctx)
}

// Abort removes what was not committed.
func (f *staged) Abort() {
	if f.written != nil {
		f.written.Discard()
	}
	if f.stage != nil {
		f.stage.Close()
	}
	f.stage, f.written = nil, nil
}
