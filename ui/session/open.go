package session

import (
	"context"
	"fmt"

	"quell/app"
	"quell/denoise"
	"quell/series"
)

// Open scans a path and shows the series found there. Where there are several,
// the listener chooses.
func (s *Session) Open(path string) {
	t := s.start(Loading, "Reading", "files")
	var catalog *app.Catalog
	s.background(func() (err error) {
		catalog, err = s.deps.Scan(t.ctx, path)
		return err
	}, func(err error) {
		if s.task != t { // cancelled or replaced during the scan
			closeCatalog(catalog)
			return
		}
		if err != nil {
			s.finish(t, err)
			return
		}
		s.choose(t, catalog)
	})
}

// choose loads the only series of a catalog, or the one that the listener picks.
func (s *Session) choose(t *task, catalog *app.Catalog) {
	loadable := 0
	for _, entry := range catalog.Entries {
		if entry.Err == nil {
			loadable++
		}
	}
	if loadable < 2 {
		s.load(t, catalog, catalog.Default)
		return
	}
	pick := func(i int) {
		if s.task == t {
			s.load(t, catalog, i)
		} else {
			closeCatalog(catalog)
		}
	}
	drop := func() {
		closeCatalog(catalog)
		if s.task == t {
			s.Cancel()
		}
	}
	s.listener.Choose(catalog, pick, drop)
}

func (s *Session) load(t *task, catalog *app.Catalog, i int) {
	report := s.reporter(t)
	var loaded *series.Series
	s.background(func() (err error) {
		loaded, err = catalog.Load(t.ctx, i, func(done, total int) { report(int64(done), int64(total)) })
		return err
	}, func(err error) {
		if !s.finish(t, err) {
			closeCatalog(catalog)
			return
		}
		s.show(loaded, catalog, i)
		s.listener.Opened(catalog.Path)
	})
}

// closeCatalog releases the files of a catalog, which were only read; nil is
// allowed.
func closeCatalog(c *app.Catalog) {
	if c != nil {
		c.Close()
	}
}

// OpenWith shows the series that load returns, such as the bundled one.
func (s *Session) OpenWith(load func(ctx context.Context) (*series.Series, error)) {
	t := s.start(Loading, "Reading", "files")
	var loaded *series.Series
	s.background(func() (err error) {
		loaded, err = load(t.ctx)
		return err
	}, func(err error) {
		if s.finish(t, err) {
			s.show(loaded, nil, 0)
			s.listener.Opened("")
		}
	})
}

// show replaces the current series.
func (s *Session) show(series *series.Series, catalog *app.Catalog, entry int) {
	closeCatalog(s.catalog)
	s.catalog, s.entry, s.reference = catalog, entry, ""
	s.doc = app.NewDocument(series)
	s.tried, s.carried = map[string]bool{}, denoise.Recipe{}
	s.recipe = s.propose(s.recipe.Filter)
	s.doc.Edits().Push(app.Edit{Recipe: s.recipe})
	s.marking = marking{}
	s.resetVoxels()
	s.message = ""
	s.state.Open(series.Volume, s.OwnWindow())
	s.findFacts()
}

// resetVoxels cancels the work on the previous voxels and drops its results.
func (s *Session) resetVoxels() {
	s.endVoxels()
	s.voxels, s.endVoxels = context.WithCancel(context.Background())
	s.previewer.Cancel()
	s.previews, s.coarse, s.asked, s.failed = nil, nil, nil, nil
	s.held, s.ahead = false, ahead{}
	s.kept, s.picture, s.last, s.settled, s.results, s.base, s.retry = nil, nil, nil, nil, nil, nil, nil
	s.sliceNumbers = measured{}
	s.noise, s.steering, s.searched = noiseMap{}, steering{}, nil
	s.neighbourhoods = neighbourhoods{}
	s.slice.forget()
	s.volume.forget()
}

// findFacts finds the range and the noise of the whole volume, which automatic
// parameters and previews need.
func (s *Session) findFacts() {
	ctx, doc, v := s.voxels, s.doc, s.doc.Series().Volume
	var facts denoise.Facts
	s.background(func() (err error) {
		facts, err = denoise.FactsOf(ctx, v)
		return err
	}, func(err error) {
		if ctx.Err() != nil { // other voxels are shown
			return
		}
		if err != nil {
			s.listener.Failed(err)
			return
		}
		doc.SetFacts(v, facts)
		s.measureSlice() // where a run is shown that was restored
		s.viewChanged()
	})
}

// SetReference compares results with the series at a path. It does nothing while
// a task is in progress.
func (s *Session) SetReference(path string) {
	if s.doc == nil || s.Busy() {
		return
	}
	doc := s.doc
	t := s.start(Preparing, "Reading the reference", "files")
	report := s.reporter(t)
	var reference *series.Series
	s.background(func() error {
		in, err := app.Open(t.ctx, app.Input{Path: path}, app.Events{
			Progress: func(_ app.Step, done, total int64) { report(done, total) },
		})
		if err != nil {
			return err
		}
		closeCatalog(in.Catalog)
		reference = in.Series
		return nil
	}, func(err error) {
		if err == nil && s.task == t {
			err = doc.SetReference(reference)
		}
		if !s.finish(t, err) {
			return
		}
		s.reference = path
		s.message = "Results are compared with the reference."
		s.measureAgain()
	})
}

// ClearReference removes the reference, and noise that was added. It does
// nothing while a task is in progress.
func (s *Session) ClearReference() {
	if s.doc == nil || s.Busy() {
		return
	}
	if _, noisy := s.doc.Noise(); noisy {
		s.doc.RemoveNoise()
		s.reference = ""
		s.changedVoxels("The added noise is removed.")
		return
	}
	if err := s.doc.SetReference(nil); err != nil {
		s.listener.Failed(err)
		return
	}
	s.reference = ""
	s.measureAgain()
}

// AddNoise shows the series with noise added; the clean original becomes the
// reference. It does nothing while a task is in progress.
func (s *Session) AddNoise(n app.Noise) {
	if s.doc == nil || s.Busy() {
		return
	}
	doc, clean := s.doc, s.doc.Clean()
	t := s.start(Preparing, "Adding noise", "")
	var noisy *series.Series
	s.background(func() (err error) {
		noisy, err = app.AddNoise(t.ctx, clean, n)
		return err
	}, func(err error) {
		if !s.finish(t, err) {
			return
		}
		doc.SetNoisy(noisy, n)
		s.reference = ""
		s.changedVoxels(fmt.Sprintf("Added %s; the original is the reference.", n))
	})
}

// changedVoxels follows a change of the voxels on the same grid: the view stays
// as it is.
func (s *Session) changedVoxels(message string) {
	s.resetVoxels()
	s.message = message
	s.state.Replace(s.doc.Series().Volume)
	s.findFacts()
}
