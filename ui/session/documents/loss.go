package documents

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/png"
	"slices"
	"strings"

	"fyne.io/fyne/v2/lang"

	"quell/app/open"
	"quell/app/pacs"
	"quell/app/workbench"
	"quell/series"
	"quell/ui/session/desk"
)

// Loss is work of one kind that would be lost, and of which series, by their index in List: once for the task, and once for
// each result. Of is empty for a task on none of them.
type Loss struct {
	Kind desk.Loss
	Of   []int
}

// VoxelsLoss returns the losses when the series that is shown gets other voxels.
func (ds *Documents) VoxelsLoss() []Loss { return ds.LossOf(slices.Index(ds.open, ds.shown())) }

// LossOf returns the losses when document i is closed.
func (ds *Documents) LossOf(i int) []Loss {
	if i < 0 || i >= len(ds.open) {
		return nil
	}
	return ds.lost(ds.taskLoss(i), i)
}

// Loss returns the losses when all series are closed now.
func (ds *Documents) Loss() []Loss {
	all := make([]int, len(ds.open))
	for i := range all {
		all[i] = i
	}
	return ds.lost(ds.TaskLoss(), all...)
}

// TaskLoss returns the losses when another task takes the place of the one in progress.
func (ds *Documents) TaskLoss() []Loss {
	for i := range ds.open {
		if loss := ds.taskLoss(i); loss != nil {
			return loss
		}
	}
	if kind := ds.desk.Tasks.Loss(); kind != desk.NoLoss {
		return []Loss{{Kind: kind}}
	}
	return nil
}

func (ds *Documents) taskLoss(i int) []Loss {
	if kind := ds.desk.Tasks.Loss(); kind != desk.NoLoss && ds.desk.Tasks.On(ds.open[i].Document) != nil {
		return []Loss{{kind, []int{i}}}
	}
	return nil
}

// lost adds to a loss the results of documents that were not exported, and those that were in vain.
func (ds *Documents) lost(all []Loss, of ...int) []Loss {
	never, gone := Loss{Kind: desk.LosesResult}, Loss{Kind: desk.LosesGone}
	for _, i := range of {
		for _, exports := range ds.open[i].exports() {
			switch {
			case len(exports) == 0:
				never.Of = append(never.Of, i)
			case !ds.results.Files.Stand(exports):
				gone.Of = append(gone.Of, i)
			}
		}
	}
	return slices.DeleteFunc(append(all, never, gone), func(l Loss) bool { return l.Kind >= desk.LosesResult && len(l.Of) == 0 })
}

// exports returns the exports of every result of a document.
func (d *document) exports() (all [][]*workbench.Exported) {
	for _, r := range d.Results {
		all = append(all, r.Exports)
	}
	if d.away != nil {
		for _, r := range d.away.Runs {
			if r.Kept() {
				all = append(all, r.Exports)
			}
		}
	}
	return all
}

// Exports returns the exports of the results of every open series.
func (ds *Documents) Exports() (all []*workbench.Exported) {
	for _, d := range ds.open {
		all = append(all, slices.Concat(d.exports()...)...)
	}
	return all
}

// describe reads again, in the background and one after the other, what is not kept of listed series: what their files say
// of them, and their pictures. One that cannot be read is known by its path until it is shown. The catalog is of the series
// before, or nil.
func (rd *Reader) describe(listed []*document, catalog *open.Catalog) {
	if len(listed) == 0 {
		closeCatalog(catalog)
		return
	}
	d, next := listed[0], func(c *open.Catalog) { rd.describe(listed[1:], c) }
	if d.away == nil || !slices.Contains(rd.documents.open, d) || pacs.IsReference(d.path) {
		next(catalog)
		return
	}
	w := *d.away
	found := described{name: w.Name, small: d.small, png: w.Picture}
	rd.desk.Aside(d.Voxels, 1, func(ctx context.Context) (err error) {
		if w.Path == "" {
			return found.bundled(ctx, rd)
		}
		if catalog == nil || catalog.Path != w.Path {
			closeCatalog(catalog)
			if catalog, err = rd.desk.Scan(ctx, w.Path); err != nil {
				return err
			}
		}
		return found.entry(ctx, catalog, w)
	}, func(err error) {
		if err == nil && d.away != nil {
			d.name, d.meta, d.small, d.png = found.name, found.meta, found.small, found.png
			d.away.Name, d.away.Picture = found.name, found.png
			rd.desk.Changed()
		}
		next(catalog)
	})
}

// described holds the texts by which a listed series is known.
type described struct {
	name  string
	meta  series.Meta
	small image.Image
	png   []byte
}

func (f *described) bundled(ctx context.Context, rd *Reader) error {
	s, err := rd.desk.Bundled(ctx)
	if err != nil {
		return err
	}
	f.meta = s.Meta
	return f.draw(s.Thumbnail(pictureSide))
}

func (f *described) entry(ctx context.Context, catalog *open.Catalog, w workbench.SavedSeries) error {
	c, i, err := entryOf(catalog, w)
	if err != nil {
		return err
	}
	if id := c.Entries[i].Identity(); w.Images != "" && id != w.Images {
		return fmt.Errorf(lang.L("%s contains another series than before"), w.Path)
	}
	f.name, f.meta = nameOf(c, i), c.Entries[i].Meta
	if f.small != nil {
		return nil
	}
	c.Thumbnails(ctx, []int{i}, pictureSide, func(_ int, m *image.Gray) { err = f.draw(m) })
	return err
}

func (f *described) draw(m *image.Gray) error {
	var data bytes.Buffer
	if err := png.Encode(&data, m); err != nil {
		return err
	}
	f.small, f.png = m, data.Bytes()
	return nil
}

// nameOf returns what a person knows entry i of a catalog by. The folder of a series that was retrieved says nothing.
func nameOf(catalog *open.Catalog, i int) string {
	if e := catalog.Entries[i]; e.Description == "" && pacs.IsSpooled(catalog.Path) {
		return strings.TrimSpace(e.Modality + " " + cmp.Or(e.Study, e.BodyPart))
	}
	return catalog.Name(i)
}

// entryOf returns the entry that a work was read from, and the catalog that it is in: the one of the whole files, if the
// user chose that.
func entryOf(catalog *open.Catalog, w workbench.SavedSeries) (*open.Catalog, int, error) {
	i := slices.IndexFunc(catalog.Entries, func(e open.Entry) bool { return w.Images != "" && e.Identity() == w.Images })
	if i < 0 { // of the same images in another folder, else by its number
		i = w.Entry
	}
	if i < 0 || i >= len(catalog.Entries) {
		return nil, 0, fmt.Errorf(lang.L("%s contains another series than before"), w.Path)
	}
	if rest, entry := catalog.Rest(i); rest != nil { // as the user chose when it was opened
		return rest, entry, nil
	}
	return catalog, i, nil
}
