package session

import (
	"context"
	"fmt"

	"quell/app"
	"quell/denoise"
	"quell/series"
)

// Open looks at a path and shows the series there. Where there are several the
// listener chooses.
func (s *Session) Open(path string) {
	e, ctx := s.start(Loading, "Reading", "files")
	s.deps.Go(func() {
		catalog, err := app.Scan(ctx, path)
		s.deps.Do(func() {
			if s.errand != e { // cancelled meanwhile
				closeCatalog(catalog)
				return
			}
			if err != nil {
				s.end(e, err)
				return
			}
			s.scanned(ctx, e, catalog)
		})
	})
}

func (s *Session) scanned(ctx context.Context, e *errand, catalog *app.Catalog) {
	loadable := 0
	for _, entry := range catalog.Entries {
		if entry.Err == nil {
			loadable++
		}
	}
	if loadable < 2 {
		s.load(ctx, e, catalog, catalog.Default)
		return
	}
	pick := func(i int) {
		if s.errand == e {
			s.load(ctx, e, catalog, i)
		} else {
			closeCatalog(catalog)
		}
	}
	drop := func() {
		closeCatalog(catalog)
		if s.errand == e {
			s.Cancel()
		}
	}
	s.tell.Choose(catalog, pick, drop)
}

func (s *Session) load(ctx context.Context, e *errand, catalog *app.Catalog, i int) {
	report := &reporter{s: s, e: e}
	s.deps.Go(func() {
		series, err := catalog.Load(ctx, i, func(done, total int) { report.report(int64(done), int64(total)) })
		s.deps.Do(func() {
			if !s.end(e, err) {
				closeCatalog(catalog)
				return
			}
			s.show(series, catalog)
			s.tell.Opened(catalog.Path)
		})
	})
}

func closeCatalog(c *app.Catalog) {
	if c != nil {
		c.Close() // it was only read from; there is nothing to lose
	}
}

// OpenWith shows the series that load brings: the bundled one.
func (s *Session) OpenWith(load func(ctx context.Context) (*series.Series, error)) {
	e, ctx := s.start(Loading, "Reading", "files")
	s.deps.Go(func() {
		series, err := load(ctx)
		s.deps.Do(func() {
			if s.end(e, err) {
				s.show(series, nil)
				s.tell.Opened("")
			}
		})
	})
}

// show puts a series in the place of the one before.
func (s *Session) show(series *series.Series, catalog *app.Catalog) {
	closeCatalog(s.catalog)
	s.catalog = catalog
	s.doc = app.NewDocument(series)
	if r, err := app.ProposeRecipe(series, s.deps.Remembered(), s.recipe.Filter); err == nil {
		s.recipe = r
	}
	s.doc.Recipes().Push(s.recipe)
	s.replaced()
	s.message = ""
	s.state.Open(series.Volume, s.OwnWindow())
	s.findFacts()
}

// replaced forgets what belonged to the voxels before.
func (s *Session) replaced() {
	s.previewer.Cancel()
	s.previews, s.asked, s.failed = nil, nil, nil
	s.picture = nil
	s.sliceNumbers, s.volumeNumbers = measured{}, measured{}
}

// findFacts reads the whole volume for its range and noise, which automatic
// parameters and previews need.
func (s *Session) findFacts() {
	doc, v := s.doc, s.doc.Series().Volume
	s.deps.Go(func() {
		facts := denoise.FactsOf(v)
		s.deps.Do(func() {
			doc.SetFacts(v, facts)
			if s.doc == doc {
				s.viewChanged()
			}
		})
	})
}

// SetReference compares results with the series at a path from now on.
func (s *Session) SetReference(path string) {
	if s.doc == nil {
		return
	}
	doc := s.doc
	e, ctx := s.start(Preparing, "Reading the reference", "files")
	report := &reporter{s: s, e: e}
	s.deps.Go(func() {
		series, catalog, err := app.Open(ctx, path, -1, func(done, total int) { report.report(int64(done), int64(total)) })
		closeCatalog(catalog)
		s.deps.Do(func() {
			if err == nil && s.errand == e {
				err = doc.SetReference(series)
			}
			if !s.end(e, err) || s.doc != doc {
				return
			}
			s.message = "Results are compared with the reference."
			s.measureAgain()
		})
	})
}

// ClearReference compares with nothing but the original again, and removes
// noise that was added.
func (s *Session) ClearReference() {
	if s.doc == nil {
		return
	}
	if _, noisy := s.doc.Noise(); noisy {
		s.doc.RemoveNoise()
		s.changedVoxels("The added noise is removed.")
		return
	}
	if err := s.doc.SetReference(nil); err != nil {
		s.tell.Failed(err)
		return
	}
	s.measureAgain()
}

// AddNoise shows the series with noise added; the clean original becomes the
// reference.
func (s *Session) AddNoise(n app.Noise) {
	if s.doc == nil {
		return
	}
	doc := s.doc
	clean := doc.Clean()
	e, ctx := s.start(Preparing, "Adding noise", "voxels")
	s.deps.Go(func() {
		noisy, err := app.AddNoise(ctx, clean, n)
		s.deps.Do(func() {
			if !s.end(e, err) || s.doc != doc {
				return
			}
			doc.SetNoisy(noisy, n)
			s.changedVoxels(fmt.Sprintf("Added %s; the original is the reference.", n))
		})
	})
}

// changedVoxels follows an exchange of the voxels on the same grid: the view
// stays where it is.
func (s *Session) changedVoxels(message string) {
	s.replaced()
	s.message = message
	s.state.Replace(s.doc.Series().Volume)
	s.findFacts()
}
