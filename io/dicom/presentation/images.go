package presentation

import (
	"cmp"
	"context"
	"slices"

	"quell/internal/message"
	"quell/io/dicom/object"
	"quell/io/dicom/part10"
	"quell/series"
)

// image is a referenced file.
type image struct {
	class, uid string
	total      int   // of its frames
	slices     []int // of the state: its frames, or its only image
}

// images are the images of a state, with the header that it shares with them.
type images struct {
	files  []*image
	of     []*image // by slice
	header part10.Attributes
}

// read are the attributes that are read of the first file, and of every file.
var (
	readOfFirst = append([]part10.Tag{part10.TagSeriesInstanceUID, part10.TagSeriesNumber, part10.TagRescaleType, part10.TagModality}, object.Shared...)
	readOfAll   = []part10.Tag{part10.TagSOPClassUID, part10.TagSOPInstanceUID, part10.TagRows, part10.TagColumns, part10.TagNumberOfFrames}
)

// readImages reads the headers of the referenced files.
func (s *State) readImages(ctx context.Context) (images, error) {
	in := images{of: make([]*image, len(s.Sources))}
	known := map[string]*image{}
	for z, src := range s.Sources {
		if m := known[src.Name]; m != nil {
			m.slices = append(m.slices, z)
			in.of[z] = m
			continue
		}
		if err := ctx.Err(); err != nil {
			return images{}, err
		}
		a, p, err := part10.ReadHeader(src.FS, src.Name, func(t part10.Tag) bool {
			return slices.Contains(readOfAll, t) || z == 0 && slices.Contains(readOfFirst, t)
		})
		if err == nil {
			err = s.checkImage(src, a, p)
			p.Release()
		}
		if err == nil && z == 0 {
			in.header = a
			if len(in.raw(part10.TagStudyInstanceUID)) == 0 || len(in.raw(part10.TagSeriesInstanceUID)) == 0 {
				err = part10.FileError(message.OutputUnsupported, src.Name, message.Text("export the series as DICOM first"), nil, "it names no study or no series, to which a presentation state belongs")
			}
		}
		if err != nil {
			return images{}, err
		}
		m := &image{class: a.Text(part10.TagSOPClassUID), uid: src.UID, total: 1, slices: []int{z}}
		if n, ok := a.Integer(part10.TagNumberOfFrames); ok && n > 1 {
			m.total = n
		}
		known[src.Name], in.of[z] = m, m
		in.files = append(in.files, m)
	}
	for _, m := range in.files {
		if m.total < len(m.slices) {
			return images{}, mosaic(s.Sources[m.slices[0]].Name)
		}
	}
	return in, nil
}

// checkImage returns an error if a file is not the image that a slice was read from, or if it has
// values that no rescale slope gives.
func (s *State) checkImage(src series.Source, a part10.Attributes, p *part10.File) error {
	stored := s.stored()
	columns, _ := a.Integer(part10.TagColumns)
	rows, _ := a.Integer(part10.TagRows)
	switch {
	case a.Text(part10.TagSOPInstanceUID) != src.UID || a.Text(part10.TagSOPClassUID) == "":
		return part10.FileError(message.InputChanged, src.Name, message.Text("open the series again"), nil, "the file is not the one that was loaded")
	case columns != stored.Size[0] || rows != stored.Size[1]:
		return mosaic(src.Name)
	case p.Has(part10.TagModalityLUTSequence):
		return part10.FileError(message.OutputUnsupported, src.Name, message.Text("save a picture instead"), nil, "its values are given by a lookup table (Modality LUT), which a presentation state of Quell does not have")
	}
	return nil
}

func mosaic(name string) error {
	return part10.FileError(message.OutputUnsupported, name, message.Text("save a picture instead"), nil, "its slices are tiles of one image (mosaic), which a presentation state cannot refer to")
}

// reference refers to some slices of a file: to their frames, unless they are the whole file.
func (m *image) reference(s *State, at ...int) []byte {
	var b []byte
	b = part10.AppendElement(b, enc, part10.TagReferencedSOPClassUID, "UI", []byte(m.class))
	b = part10.AppendElement(b, enc, part10.TagReferencedSOPInstanceUID, "UI", []byte(m.uid))
	if len(at) == m.total {
		return b
	}
	var frames []int
	for _, z := range at {
		frames = append(frames, s.Sources[z].Frame+1)
	}
	return part10.AppendElement(b, enc, part10.TagReferencedFrameNumber, "IS", integers(frames...))
}

// raw returns a text of the header with the bytes of its character set.
func (in *images) raw(t part10.Tag) []byte { return in.header.Raw(t) }

// rescaleType is the unit of the values of the images.
func (in *images) rescaleType() string {
	fallback := "US" // unspecified
	if in.header.Text(part10.TagModality) == "CT" {
		fallback = "HU"
	}
	return cmp.Or(in.header.Text(part10.TagRescaleType), fallback)
}
