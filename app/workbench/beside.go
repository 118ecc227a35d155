package workbench

import (
	"context"

	"quell/app/open"
	"quell/app/run"
	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// Beside is another series that stands beside an open one, such as a prior of the same patient, at the
// voxels of the open one.
type Beside struct {
	series.Meta
	Opened   SavedBeside       // what opens it again; without a path if nothing does
	Acquired volume.Geometry   // its own grid
	Volume   *volume.Volume    // on the grid of the open series, by position in the patient; see volume.OnGrid
	Share    float64           // of the voxels of the open series that lie within the other one, 0 to 1
	Differs  bool              // both state a patient ID, and not the same
	Apart    bool              // the two do not share a frame of reference
	Window   volume.Window     // that suits it; without a width if the window of the open series does
	Notes    []message.Message // differences that a reader has to know before comparing the two
}

// Bytes returns the memory that it takes.
func (b *Beside) Bytes() int64 {
	if b == nil {
		return 0
	}
	return 4*int64(len(b.Volume.Data)) + int64(len(b.Volume.Mask))
}

// Prior says whether the series is of an earlier day than another one.
func (b *Beside) Prior(open series.Meta) bool {
	return b.StudyDate != "" && b.StudyDate < open.StudyDate // YYYYMMDD
}

// CheckBeside returns why a series on the grid other cannot stand beside one on the grid g: none of its
// voxels lies within it. It looks at no voxels.
func CheckBeside(g, other volume.Geometry) error {
	n, err := g.Within(other)
	if err == nil && n == 0 {
		err = message.Errorf(message.GridDiffers, "no slice of the other series lies where the open one does in the patient, so that there is nothing to compare; choose a series of the same region")
	}
	return err
}

// BesideBytes returns the memory that a series beside one on the grid g takes while it is placed there,
// in bytes, besides its own voxels.
func BesideBytes(g volume.Geometry) int64 { return 5 * int64(g.Voxels()) }

// PlaceBeside returns a series at the voxels of an open one, by the positions in the patient. Slices that
// are spaced unevenly are put where they were measured first. The error is the context's, or that of
// CheckBeside.
func PlaceBeside(ctx context.Context, open, other *series.Series) (*Beside, error) {
	b := &Beside{Meta: other.Meta, Acquired: other.Volume.Geometry, Opened: SavedBeside{Voxels: run.HashOf(other.Volume)}}
	b.compare(open, other)
	if other.Irregular > 0 {
		if even, err := other.Resample(0); err == nil {
			other = even
		} else {
			b.Notes = append(b.Notes, message.Text("Slices of the other series lie up to %.1f mm from where they are shown.", other.Irregular))
		}
	}
	v, g := other.Volume, open.Volume.Geometry
	n, err := g.Within(v.Geometry)
	if err == nil {
		err = CheckBeside(g, v.Geometry)
	}
	if err != nil {
		return nil, err
	}
	b.Share = float64(n) / float64(g.Voxels())
	if b.Volume = v; g.SameGrid(v.Geometry, sameGrid) {
		return b, nil
	}
	if b.Volume, err = v.OnGrid(ctx, g); err != nil {
		return nil, err
	}
	return b, nil
}

const sameGrid = open.GridTolerance

// compare notes differences that a reader has to know before comparing the two series.
func (b *Beside) compare(open, other *series.Series) {
	note := func(format string, values ...any) { b.Notes = append(b.Notes, message.Text(format, values...)) }
	if b.Differs = open.PatientID != "" && other.PatientID != "" && open.PatientID != other.PatientID; b.Differs {
		note("The two series have different patient IDs.")
	}
	if b.Apart = open.Frame == "" || open.Frame != other.Frame; b.Apart {
		note("The series do not share a frame of reference: positions may differ.")
	}
	switch alike := open.Volume.Unit == other.Volume.Unit && open.Modality == other.Modality; {
	case alike && open.Volume.Unit != "":
	case alike:
		note("The values have no common scale: the difference shows scaling as well as change.")
	default:
		note("The values of the two series have different meanings: the difference shows no change.")
	}
	if open.Volume.Unit == "" || open.Volume.Unit != other.Volume.Unit {
		if b.Window = volume.AutoWindow(other.Volume); len(other.Windows) > 0 {
			b.Window = other.Windows[0]
		}
	}
	if open.Irregular > 0 {
		note("Slices of the open series lie up to %.1f mm from where they are shown.", open.Irregular)
	}
}
