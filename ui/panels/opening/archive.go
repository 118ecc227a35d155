package opening

import (
	"image"
	"slices"

	"quell/app/pacs"
	"quell/ui/dialogs"
)

// askArchive asks for a series of a PACS and opens it.
func (i *Invite) askArchive() {
	kept, err := pacs.Places()
	if err != nil {
		i.h.Fail(err)
	}
	reader := i.h.Session.Reader
	var beside func(pacs.Place, pacs.Row)
	if i.h.Idle() && !i.h.Session.Documents.Example() {
		beside = reader.OpenArchiveBeside
	}
	i.h.ShowDialog(dialogs.Archive(dialogs.ArchiveRequest{
		Beside: beside, Edit: func() { i.askPlaces(i.askArchive) },
		Places: slices.Concat(kept, i.h.Settings.Nodes), Hide: i.h.Settings.HideIdentity,
		Search: reader.SearchArchive, Preview: reader.PreviewArchive,
		Open: func(p pacs.Place, r pacs.Row, first image.Image) {
			i.h.ConfirmTask(func() { reader.OpenArchive(p, r, first) })
		},
	}, i.h.Window))
}

// askPlaces shows the places of a PACS, which can be changed there, and calls then when the dialog is closed.
func (i *Invite) askPlaces(then func()) {
	kept, err := pacs.Places()
	if err != nil {
		i.h.Fail(err)
		return
	}
	after := func(err error) ([]pacs.Place, error) {
		if err != nil {
			return nil, err
		}
		return pacs.Places()
	}
	d := dialogs.Places(dialogs.PlacesRequest{
		Places: kept, Echo: i.h.Session.Exports.Echo,
		Save:   func(former string, p pacs.Place) ([]pacs.Place, error) { return after(pacs.ReplacePlace(former, p)) },
		Remove: func(name string) ([]pacs.Place, error) { return after(pacs.RemovePlace(name)) },
	}, i.h.Window)
	i.h.ShowDialog(d)
	d.SetOnClosed(then)
}
