package dialogs

import (
	"context"
	"fmt"
	"image"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/widget"

	"quell/app"
	"quell/series"
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
			picture := canvas.NewImageFromImage(image.NewGray(image.Rect(0, 0, 1, 1)))
			picture.FillMode = canvas.ImageFillContain
			picture.ScaleMode = canvas.ImageScaleFastest
			picture.SetMinSize(fyne.NewSquareSize(thumbnailSide))
			return container.NewBorder(nil, nil, picture, nil, container.NewVBox(title, detail))
		},
		func(i widget.ListItemID, o fyne.CanvasObject) {
			row := o.(*fyne.Container) // the text, then the picture on its left
			text, picture := row.Objects[0].(*fyne.Container), row.Objects[1].(*canvas.Image)
			title, detail, importance := describe(c.Entries[order[i]])
			text.Objects[0].(*widget.Label).SetText(title)
			second := text.Objects[1].(*widget.Label)
			second.Importance = importance
			second.SetText(detail)
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
	head := container.NewVBox(wrapped(fmt.Sprintf("%d series were found, the longest first. Which one is to be opened?", len(c.Entries))))
	if text := beside(c.Findings); text != "" {
		warning := wrapped(text)
		warning.Importance = widget.WarningImportance
		head.Add(warning)
	}
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

// beside writes what a person should know of files that are in no series.
func beside(findings []series.Finding) string {
	var texts []string
	for _, f := range findings {
		if f.Severity > series.Note {
			texts = append(texts, f.Text)
		}
	}
	const most = 2
	if more := len(texts) - most; more > 0 {
		texts = append(texts[:most], fmt.Sprintf("There are %d more findings of this kind.", more))
	}
	return strings.Join(texts, " ")
}

// describe writes an entry in two lines, the second with the most important thing
// that is odd about it, and says how to show that line.
func describe(e app.Entry) (title, detail string, importance widget.Importance) {
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
		return title, "cannot be opened: " + e.Err.Error(), widget.DangerImportance
	}
	d := e.Geometry.Dims
	detail = fmt.Sprintf("%d × %d × %d, %s, %.1f MB", d[0], d[1], d[2], e.Geometry.Acquired(), float64(e.Bytes)/1e6)
	if day, err := time.Parse("20060102", e.StudyDate); err == nil {
		detail += ", study of " + day.Format(time.DateOnly)
	}
	if odd := oddest(e.Findings); odd != nil {
		return title, detail + ". " + odd.Text, widget.WarningImportance
	}
	return title, detail, widget.LowImportance
}

// oddest returns the first finding that advises for the choice of a series, nil
// where there is none: not a note, and not that the series has other parts, for
// they stand in the same list.
func oddest(findings []series.Finding) *series.Finding {
	for i, f := range findings {
		switch f.Kind {
		case "volumes", "localizer", "size":
			continue
		case "orientation", "position":
			if f.Severity == series.Refused {
				continue
			}
		}
		if f.Severity > series.Note {
			return &findings[i]
		}
	}
	return nil
}
