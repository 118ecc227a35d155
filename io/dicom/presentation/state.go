package presentation

import (
	"context"
	"fmt"
	"time"

	"quell/internal/message"
	"quell/io/dicom/part10"
	"quell/series"
	"quell/volume"
)

// State is how the slices of a series are shown.
type State struct {
	Sources []series.Source // of the slices, each a DICOM image or a frame of one
	// View is how the slices are shown as they were acquired: its third axis is z, its picture
	// may be mirrored and turned.
	View     volume.View
	Area     [2][2]int     // (column, row) of View at the top left and the bottom right of the screen
	Window   volume.Window // in real values
	Inverted bool          // low values are bright
	Marks    []Mark
	Number   int       // of the instance in its series, from 1
	Version  string    // Quell's
	Now      time.Time // date of the object
}

// Mark is a line that is drawn over one slice, with a text next to it. Points are (column, row)
// of the slice as it is stored; the centre of a pixel has whole coordinates. What lies outside of
// the image is cut off.
type Mark struct {
	Slice   int // index into Sources
	Points  [][2]float64
	Closed  bool           // the last point is joined to the first
	Ellipse *[2][2]float64 // opposite corners of the rectangle around the ellipse that Points approximate; nil for no ellipse
	Text    string         // other characters become "?"
}

// maxPoints is the number of points that Graphic Data, two floats each, can hold in explicit VR.
const maxPoints = 0xFFFE / 8

// check returns an error for what no presentation state can hold.
func (s *State) check() error {
	if len(s.Sources) == 0 || len(s.Sources) != s.View.Size[2] || s.View.Axis[2] != 2 {
		return fmt.Errorf("dicom: a presentation state of %d images for %d slices along axis %d", len(s.Sources), s.View.Size[2], s.View.Axis[2])
	}
	for _, corner := range s.Area {
		for c, x := range corner {
			if x < 0 || x >= s.View.Size[c] {
				return fmt.Errorf("dicom: the area of a presentation state ends at %v of %v pixels", corner, s.View.Size)
			}
		}
	}
	if s.Area[0][0] > s.Area[1][0] || s.Area[0][1] > s.Area[1][1] {
		return fmt.Errorf("dicom: the area %v of a presentation state is empty", s.Area)
	}
	for _, m := range s.Marks {
		if m.Slice < 0 || m.Slice >= len(s.Sources) || len(m.Points) == 0 || len(m.Points) >= maxPoints {
			return fmt.Errorf("dicom: a mark of %d points on slice %d of %d", len(m.Points), m.Slice, len(s.Sources))
		}
	}
	for _, src := range s.Sources {
		if src.FS == nil || src.UID == "" {
			return part10.FileError(message.OutputUnsupported, src.Name, message.Text("export the series as DICOM first"), nil, "a presentation state refers to DICOM images by their instance UID, and it has none")
		}
		// It holds one Modality LUT, which takes the place of the ones of the images (PS3.4
		// N.2.1).
		if first := s.Sources[0]; src.Slope != first.Slope || src.Inter != first.Inter {
			return part10.FileError(message.OutputUnsupported, src.Name, message.Text("save a picture instead"), nil, "its rescale slope and intercept differ from those of other slices, and a presentation state has one for all")
		}
	}
	return nil
}

// Encode returns the object as a file in explicit little endian. It reads the headers of the
// referenced files. The same images, view, window, marks and number give the same instance UID. If the
// images are de-identified, so is the object: it has their pseudonyms and no date. The error is an
// *Error that names a file, or the context's.
func (s *State) Encode(ctx context.Context) ([]byte, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	images, err := s.readImages(ctx)
	if err != nil {
		return nil, err
	}
	m := modules{State: s, images: images}
	e := m.content()
	part10.SortEdits(e)
	uid := part10.HashUID([]byte("presentation state"), part10.Merge(nil, nil, nil, e))
	e = append(e, m.instance(uid)...)
	part10.SortEdits(e)
	return part10.Merge(part10.AppendFileMeta(nil, part10.GrayscalePresentationState, uid, part10.UIDExplicitLE, s.Version), nil, nil, e), nil
}

// stored returns the view of the slices as they are stored: columns to the right, rows down.
func (s *State) stored() volume.View {
	v := volume.View{Plane: s.View.Plane, Axis: [3]int{0, 1, 2}, Size: s.View.Size, Pixel: s.View.Pixel}
	if s.View.Axis[0] == 1 {
		v.Size[0], v.Size[1] = v.Size[1], v.Size[0]
		v.Pixel[0], v.Pixel[1] = v.Pixel[1], v.Pixel[0]
	}
	return v
}
