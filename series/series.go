// Package series describes the result of a reader: a Series is one volume with its
// sources and findings.
//
// The package imports volume and the standard library.
package series

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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
