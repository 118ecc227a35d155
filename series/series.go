// Package series describes the result of a reader: a Series is one volume with its
// sources and findings.
//
// The package imports volume and the standard library.
package series

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"io/fs"
	"strings"

	"quell/volume"
)

// Source names the origin of one slice of a volume.
type Source struct {
	FS       fs.FS      // the container: a folder or a zip
	Name     string     // the file's path inside FS, slash-separated
	Frame    int        // zero-based frame of a multi-frame file
	UID      string     // SOPInstanceUID; empty for NIfTI
	Position volume.Vec // centre of the slice's first voxel, LPS+ mm
	Slope    float64    // real = stored*Slope + Intercept
	Inter    float64
}

// Meta holds the attributes of a series that a person wants to know. Nothing in it is written to
// a log.
type Meta struct {
	Format         string          `json:"format"` // "DICOM", "NIfTI-1", "Analyze 7.5"
	Modality       string          `json:"modality,omitempty"`
	Description    string          `json:"description,omitempty"`
	Number         string          `json:"number,omitempty"`
	UID            string          `json:"uid,omitempty"` // SeriesInstanceUID
	Frame          string          `json:"-"`             // FrameOfReferenceUID; "" if the file states none
	Study          string          `json:"study,omitempty"`
	StudyDate      string          `json:"study_date,omitempty"`
	Patient        string          `json:"-"` // display only, maskable
	PatientID      string          `json:"-"`
	BirthDate      string          `json:"-"` // YYYYMMDD
	Sex            string          `json:"-"`
	Technique      string          `json:"-"` // tube voltage of CT, times of MR: "120 kV", "TR 500  TE 20 ms"
	Manufacturer   string          `json:"manufacturer,omitempty"`
	BodyPart       string          `json:"body_part,omitempty"`
	Kernel         string          `json:"kernel,omitempty"`
	Filtered       string          `json:"filtered,omitempty"`        // what filtered the images before they were stored, as they say
	TransferSyntax string          `json:"transfer_syntax,omitempty"` // its UID
	Encoding       volume.Encoding `json:"-"`
	Windows        []volume.Window `json:"windows,omitempty"` // the series' own windows, first is the default
}

// Identity identifies the patient and the series without naming them: two series of equal voxels that differ in either are
// not the same. It is "" if the file names neither.
func (m Meta) Identity() string {
	names := []string{m.Patient, m.PatientID, m.BirthDate, m.Sex, m.Study, m.UID}
	if strings.Join(names, "") == "" {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", names))
	return hex.EncodeToString(sum[:])
}

// Series is the result of a reader: a volume, the description in its file, the origin of
// each slice and what was noticed on the way.
type Series struct {
	Meta
	Volume   *volume.Volume
	Sources  []Source // one per slice for DICOM; one in all for NIfTI and Analyze
	Findings []Finding
	// Irregular is the largest distance in mm between the position of a slice and
	// the place that Volume's regular grid gives it; 0 if all slices lie on the
	// grid, within the rounding of their positions. If it is not 0, a finding of
	// kind Gap, Spacing or Shift says why, and a format that stores nothing but the
	// grid would put slices that far from the places at which they were measured.
	Irregular float64
	// Resampled says how the slices came to lie on the grid, if they were measured at
	// other places; nil if they are as measured.
	Resampled *Resampling
	// Infinite are voxels that are masked and that a format may hold as they were; nil for none.
	Infinite *Infinite
}

// Slices reads one volume some slices at a time, in the order of its last axis, with the voxels
// that reading it whole gives. Its memory does not grow with the volume. Its methods are called
// from one goroutine.
type Slices interface {
	// Geometry returns the grid of the whole volume.
	Geometry() volume.Geometry
	// Read reads the next slices into data, whole slices of voxels, and returns how many of these
	// have no value. Such a voxel holds the padding of its file, or NaN or infinity if the file
	// has none: reading the volume whole gives it the smallest of all other values then. mask, of
	// the length of data, becomes false for them and true elsewhere; nil is not wanted.
	Read(ctx context.Context, data []float32, mask []bool) (padding int, err error)
	// Series returns the series that the slices form, without voxels and mask: with the findings
	// about the slices that were read. After the last slice its error is the error of reading
	// the volume whole.
	Series() (*Series, error)
	// Close closes the files.
	Close()
}

// Thumbnail renders the middle slice of a series in its own window, or one that fits the
// slice, at most side pixels wide and high.
func (s *Series) Thumbnail(side int) *image.Gray {
	view := s.Volume.View(s.Volume.Acquired())
	slice := volume.New(volume.NewGeometry([3]int{view.Size[0], view.Size[1], 1}, [3]float64{view.Pixel[0], view.Pixel[1], 1}))
	slice.Data = view.Extract(slice.Data, s.Volume, view.Size[2]/2)
	slice.Mask = view.ExtractMask(nil, s.Volume, view.Size[2]/2)
	window := volume.AutoWindow(slice)
	if len(s.Windows) > 0 {
		window = s.Windows[0]
	}
	return slice.Shrink(side).Gray(window, false)
}

// Gradient is the diffusion weighting of one volume of a 4-D series.
type Gradient struct {
	B float64 `json:"b"` // s/mm2
	// Direction is the unit vector of the gradient in the patient, LPS+; zero for a volume that
	// has none, as the one of b-value 0, or if its direction the files do not give.
	Direction volume.Vec `json:"direction"`
}

// Gradients are the diffusion weightings of the volumes of a 4-D series.
type Gradients struct {
	Volumes []Gradient // in the order of Group.Places
	// BVal and BVec are the files in FSL's format that they were read from, which a copy of the
	// series on the same grid keeps byte for byte; nil if they come from elsewhere.
	BVal, BVec []byte
}

// Directed reports whether any volume has a direction.
func (g *Gradients) Directed() bool {
	for _, v := range g.Volumes {
		if (v.Direction != volume.Vec{}) {
			return true
		}
	}
	return false
}

// Weighted reports whether any volume has a b-value other than 0.
func (g *Gradients) Weighted() bool {
	for _, v := range g.Volumes {
		if v.B > 0 {
			return true
		}
	}
	return false
}
