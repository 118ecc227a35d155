package palette

import "image/color"

// Picture has the colours on pictures, whose ground is black in every theme: light text and lines that differ from any
// grey.
var Picture = struct {
	Ground, Text, Dim color.NRGBA
	Plate             color.NRGBA // the translucent ground of texts
	Letters           color.NRGBA // of the directions
	Cross, Hair       color.NRGBA
	Lens              color.NRGBA // the ring of the magnifier
	Profile, Outline  color.NRGBA
	Edge, Divider     color.NRGBA // of an inset; between two pictures
	Mark, Selected    color.NRGBA
	Halo              color.NRGBA // keeps a line visible on bone
	Region, Rod       color.NRGBA // what physics measures
	Good, Busy        color.NRGBA // badges
	Caution           color.NRGBA
}{
	Ground: grey(0), Text: grey(0xe6), Dim: grey(0xa8), Plate: faded(grey(0), 0x90),
	Letters: rgb(0xf0d880), Cross: faded(rgb(0xf0d880), 0xb0), Hair: faded(rgb(0xf0d880), 0x80), Lens: rgb(0xf0d880),
	Profile: faded(rgb(0xffb347), 0x80), Outline: rgb(0x60d0f0), Edge: grey(0x70), Divider: faded(grey(0xf0), 0xd0),
	Mark: rgb(0x70e0f0), Selected: rgb(0xffe96a), Halo: faded(grey(0), 0xb0), Region: rgb(0x7cc87c), Rod: rgb(0xffb347),
	Good: rgb(0x8fbf8f), Busy: grey(0xc8), Caution: rgb(0xffb347),
}
