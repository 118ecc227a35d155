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
		Beside: beside,
		Places: slices.Concat(kept, i.h.Settings.Nodes), Hide: i.h.Settings.HideIdentity,
		Search: reader.SearchArchive, Preview: reader.PreviewArchive,
		Open: func(p pacs.Place, r pacs.Row, first image.Image) {
			i.h.ConfirmTask(func() { reader.OpenArchive(p, r, first) })
		},
	}, i.h.Window))
}
