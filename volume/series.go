package volume

import "io/fs"

// Severity says how much a finding matters to who looks or filters.
type Severity int

// The severities, mildest first.
const (
	Note    Severity = iota // worth knowing; nothing is wrong
	Warning                 // the volume is usable with care (gap, tilt, uneven spacing)
	Refused                 // something was set aside and is not in the volume
)

// String returns "note", "warning" or "refused".
func (s Severity) String() string { return [...]string{"note", "warning", "refused"}[s] }

// MarshalText makes severities words in JSON.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Finding is one thing that was noticed about a series. Kind is a word that scripts
// may rely on:
//
//   - of the grid: spacing (uneven, rounded, assumed or not given), gap (slices are
//     missing), tilt (a sheared grid), shift (slices lie sideways of each other),
//     position and orientation (none that can be used), frame-of-reference (several),
//     units (converted to mm);
//   - of the values: padding, mixed (slices of several kinds), scaling, precision,
//     phase (it wraps), modality-lut and monochrome1 (not applied), noise (added);
//   - of what is not in the volume: volumes, localizer, size, position and orientation
//     (other volumes of the series, by what sets them apart), duplicate (copies, and
//     slices at a place that is taken), set-aside (images that no volume can hold),
//     identity (images share a UID), study (another one has a series of that UID);
//   - of files: missing, foreign (no DICOM), index, no-image, unreadable, damaged,
//     header (parts of it are not used).
type Finding struct {
	Severity Severity `json:"severity"`
	Kind     string   `json:"kind"`
	Text     string   `json:"text"`            // one sentence for a person
	Files    []string `json:"files,omitempty"` // the files concerned, as named in their container
	// Slicewise proposes to filter slice by slice (2-D): a slice's neighbours are
	// not where, or not what, the grid says.
	Slicewise bool `json:"slicewise,omitempty"`
}

// Source says where one slice of a volume came from.
type Source struct {
	FS       fs.FS   // the container: a folder or a zip
	Name     string  // the file's path inside FS, slash-separated
	Frame    int     // zero-based frame of a multi-frame file
	UID      string  // SOPInstanceUID; empty for NIfTI
	Position Vec     // centre of the slice's first voxel, LPS+ mm
	Slope    float64 // real = stored*Slope + Intercept
	Inter    float64
}

// Window is a grey-scale window in the volume's units.
type Window struct {
	Center float64 `json:"center"`
	Width  float64 `json:"width"` // > 0
	Name   string  `json:"name,omitempty"`
	// Exact selects LINEAR_EXACT (DICOM PS3.3 C.11.2.1.3.2), which fits values
	// that are not whole numbers; the default is DICOM's LINEAR.
	Exact bool `json:"exact,omitempty"`
}

// Meta is what a person wants to know of a series. Nothing in it is written to
// a log.
type Meta struct {
	Format         string   `json:"format"` // "DICOM", "NIfTI-1", "Analyze 7.5"
	Modality       string   `json:"modality,omitempty"`
	Description    string   `json:"description,omitempty"`
	Number         string   `json:"number,omitempty"`
	UID            string   `json:"uid,omitempty"` // SeriesInstanceUID
	Study          string   `json:"study,omitempty"`
	StudyDate      string   `json:"study_date,omitempty"`
	Patient        string   `json:"-"` // display only, maskable
	PatientID      string   `json:"-"`
	Manufacturer   string   `json:"manufacturer,omitempty"`
	BodyPart       string   `json:"body_part,omitempty"`
	Kernel         string   `json:"kernel,omitempty"`
	TransferSyntax string   `json:"transfer_syntax,omitempty"` // its UID
	Windows        []Window `json:"windows,omitempty"`         // the series' own windows, first is the default
}

// Series is what a reader found: a volume, what its file says of it, where each
// slice came from and what was noticed on the way.
type Series struct {
	Meta
	Volume   *Volume
	Sources  []Source // one per slice for DICOM; one in all for NIfTI and Analyze
	Findings []Finding
	// Header holds what a format's writer needs to write the series back in
	// kind (the NIfTI header, say); it is opaque to everybody else.
	Header any
}
