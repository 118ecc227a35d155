package dialogs

import (
	"context"
	"fmt"
	"image"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/widget"

	"quell/app"
)

// thumbnailSide is the size of a series' picture in the list.
const thumbnailSide = 64

// Choose lists the series found under one path. Exactly one of pick and drop is
// called: pick with the entry chosen, drop when the dialog is closed without.
// pictures is asked to paint the entries, in the order of the list, and calls
// show on the UI goroutine with each as it comes, until the context ends.
func Choose(c *app.Catalog, pick func(i int), drop func(), pictures func(ctx context.Context, order []int, show func(i int, m image.Image)), parent fyne.Window) dialog.Dialog {
	var d *dialog.CustomDialog
	chosen := -1
	order := byPromise(c.Entries)
	painted := map[int]image.Image{}
	list := widget.NewList(
		func() int { return len(c.Entries) },
		func() fyne.CanvasObject {
			title, detail := bold("Series"), widget.NewLabel("detail")
			title.Truncation, detail.Truncation = fyne.TextTruncateEllipsis, fyne.TextTruncateEllipsis
			detail.Importance = widget.LowImportance
			picture := canvas.NewImageFromImage(image.NewGray(image.Rect(0, 0, 1, 1)))
			picture.FillMode = canvas.ImageFillContain
			picture.ScaleMode = canvas.ImageScaleFastest
			picture.SetMinSize(fyne.NewSquareSize(thumbnailSide))
			return container.NewBorder(nil, nil, picture, nil, container.NewVBox(title, detail))
		},
		func(i widget.ListItemID, o fyne.CanvasObject) {
			row := o.(*fyne.Container) // the text, then the picture on its left
			text, picture := row.Objects[0].(*fyne.Container), row.Objects[1].(*canvas.Image)
			title, detail := describe(c.Entries[order[i]])
			text.Objects[0].(*widget.Label).SetText(title)
			text.Objects[1].(*widget.Label).SetText(detail)
			picture.Image = painted[order[i]]
			picture.Hidden = picture.Image == nil
			picture.Refresh()
		},
	)
	ctx, cancel := context.WithCancel(context.Background())
	pictures(ctx, order, func(i int, m image.Image) {
		painted[i] = m
		list.RefreshItem(slices.Index(order, i))
	})
	list.OnSelected = func(i widget.ListItemID) {
		if c.Entries[order[i]].Err != nil {
			list.Unselect(i)
			return
		}
		chosen = order[i]
		d.Hide()
	}
	head := wrapped(fmt.Sprintf("%d series were found. Which one is to be opened?", len(c.Entries)))
	d = dialog.NewCustom("Choose a series", "Cancel", container.NewBorder(head, nil, nil, nil, list), parent)
	d.SetOnClosed(func() {
		cancel()
		if chosen >= 0 {
			pick(chosen)
		} else {
			drop()
		}
	})
	size := parent.Canvas().Size()
	d.Resize(fyne.NewSize(min(size.Width*0.8, 760), min(size.Height*0.8, 560)))
	return d
}

// byPromise orders entries for a reader: the series with most slices first,
// localizers and screen shots behind them, what cannot be opened last.
func byPromise(entries []app.Entry) []int {
	order := make([]int, len(entries))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := entries[i], entries[j]
		if (a.Err == nil) != (b.Err == nil) {
			if a.Err == nil {
				return -1
			}
			return 1
		}
		return b.Slices - a.Slices
	})
	return order
}

// describe writes an entry in two lines.
func describe(e app.Entry) (title, detail string) {
	parts := []string{}
	for _, p := range []string{e.Number, e.Modality, e.Description, e.Part} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	if title = strings.Join(parts, "  "); title == "" {
		title = e.Format
	}
	if e.Err != nil {
		return title, "cannot be opened: " + e.Err.Error()
	}
	d := e.Geometry.Dims
	detail = fmt.Sprintf("%d × %d × %d, %.1f MB", d[0], d[1], d[2], float64(e.Bytes)/1e6)
	switch n := len(e.Findings); {
	case n == 1:
		detail += ", 1 finding"
	case n > 1:
		detail += fmt.Sprintf(", %d findings", n)
	}
	return title, detail
}
