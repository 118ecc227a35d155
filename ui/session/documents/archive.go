package documents

import (
	"context"
	"image"
	"os"

	"fyne.io/fyne/v2/lang"

	"quell/app/open"
	"quell/app/pacs"
	"quell/series"
	"quell/ui/session/desk"
)

// mostFound is how many series a search in an archive lists.
const mostFound = 500

// previewSide bounds the picture of a series that is not retrieved yet, in pixels.
const previewSide = 512

// SearchArchive looks for series and passes them to done. The context ends the search. It is no task.
func (rd *Reader) SearchArchive(ctx context.Context, place pacs.Place, ask pacs.Ask, done func(pacs.Found, error)) {
	var found pacs.Found
	rd.desk.Background(func() error {
		match, err := ask.Match()
		if err != nil {
			return err
		}
		archive, err := place.Open()
		if err != nil {
			return err
		}
		defer archive.Close()
		found, err = archive.Search(ctx, pacs.Query{Level: pacs.Series, Match: match, Most: mostFound})
		return err
	}, func(err error) { done(found, err) })
}

// PreviewArchive retrieves the middle slice of a series alone and passes its picture to done. The context ends
// it. It is no task, and nothing of it stays.
func (rd *Reader) PreviewArchive(ctx context.Context, place pacs.Place, row pacs.Row, done func(image.Image, error)) {
	var picture *image.Gray
	dir, err := rd.spoolFolder()
	if err != nil {
		done(nil, err)
		return
	}
	rd.desk.Background(func() error {
		defer os.RemoveAll(dir)
		archive, err := place.Open()
		if err != nil {
			return err
		}
		defer archive.Close()
		if err := archive.FetchMiddle(ctx, row, dir); err != nil {
			return err
		}
		catalog, err := open.Scan(ctx, dir)
		if err != nil {
			return err
		}
		defer closeCatalog(catalog)
		picture = catalog.Thumbnail(ctx, 0, previewSide)
		return nil
	}, func(err error) {
		if err != nil || picture == nil {
			done(nil, err)
			return
		}
		done(picture, nil)
	})
}

// OpenArchive retrieves a series and opens it. Until it is read, first is shown, if it is not nil. What was
// retrieved stays until the series is closed; nothing stays of what was cancelled or failed.
func (rd *Reader) OpenArchive(place pacs.Place, row pacs.Row, first image.Image) {
	dir, err := rd.spoolFolder()
	if err != nil {
		rd.desk.Failed(err)
		return
	}
	t := rd.desk.Tasks.Start(desk.Loading, lang.L("Retrieving"), lang.L("files"))
	rd.reads, rd.arriving = t, &Arriving{Path: dir, Name: row.Modality + " " + row.Description, Meta: series.Meta{Modality: row.Modality, Description: row.Description}, Slice: first}
	rd.find(t, rd.retrieve(t, place, row, dir), rd.load)
}

// retrieve returns what retrieves a series into a folder and scans that. Nothing stays after an error.
func (rd *Reader) retrieve(t *desk.Task, place pacs.Place, row pacs.Row, dir string) func() (*open.Catalog, error) {
	report := rd.desk.Tasks.Reporter(t)
	return func() (catalog *open.Catalog, err error) {
		defer func() {
			if err != nil {
				os.RemoveAll(dir)
			}
		}()
		archive, err := place.Open()
		if err != nil {
			return nil, err
		}
		defer archive.Close()
		if _, err := archive.Fetch(t.Ctx, row, dir, func(done, total int) { report(int64(done), int64(total)) }); err != nil {
			return nil, err
		}
		return rd.desk.Scan(t.Ctx, dir)
	}
}

// spoolFolder returns a new folder in the spool of this session, which is made when it is needed.
func (rd *Reader) spoolFolder() (dir string, err error) {
	if rd.documents.spool == nil {
		if rd.documents.spool, err = pacs.NewSpool(); err != nil {
			return "", err
		}
	}
	return rd.documents.spool.Folder()
}

// discard closes a catalog that was not opened, and removes what was retrieved for it.
func discard(c *open.Catalog) {
	closeCatalog(c)
	if c != nil {
		forget(c.Path)
	}
}

// forget removes a folder if it was retrieved from an archive.
func forget(path string) {
	if pacs.IsSpooled(path) {
		os.RemoveAll(path)
	}
}
