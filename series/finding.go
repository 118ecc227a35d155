package series

import "quell/internal/message"

// Severity says how much a finding matters to a person who views or filters
// the series.
type Severity int

// The severities, mildest first.
const (
	Note    Severity = iota // worth knowing; nothing is wrong
	Warning                 // the volume is usable with care (gap, tilt, uneven spacing)
	Refused                 // something was excluded and is not in the volume
)

// String returns "note", "warning" or "refused".
func (s Severity) String() string { return [...]string{"note", "warning", "refused"}[s] }

// MarshalText writes a severity as its word in JSON.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Kind is the type of a finding, as a word that scripts may rely on.
type Kind string

// Kinds of findings about the grid.
const (
	Spacing          Kind = "spacing"            // uneven, rounded, assumed or missing
	Gap              Kind = "gap"                // slices are missing
	Tilt             Kind = "tilt"               // the grid is sheared (gantry tilt)
	Shift            Kind = "shift"              // slices are shifted within their plane
	Position         Kind = "position"           // no usable position, or volumes that differ in it
	Orientation      Kind = "orientation"        // no usable orientation, or volumes that differ in it
	FrameOfReference Kind = "frame-of-reference" // slices have several frames of reference
	Units            Kind = "units"              // lengths or times were converted
)

// Kinds of findings about the voxel values.
const (
	Padding     Kind = "padding"      // padding values were masked, or could not be
	Mixed       Kind = "mixed"        // slices of several kinds
	Scaling     Kind = "scaling"      // slope and intercept are missing, odd or differ
	Precision   Kind = "precision"    // values lose digits or leave the range of float32
	Phase       Kind = "phase"        // phase values wrap around
	ModalityLUT Kind = "modality-lut" // a modality lookup table is not applied
	Monochrome1 Kind = "monochrome1"  // low values are meant to be bright
	Noise       Kind = "noise"        // noise was added
	Filtered    Kind = "filtered"     // a reconstruction or another program took noise before
	Diffusion   Kind = "diffusion"    // gradients of a diffusion series are missing or not used
)

// Kinds of findings about images that are not in the volume.
const (
	Volumes    Kind = "volumes"    // the series holds other volumes
	Moved      Kind = "moved"      // volumes of a 4-D series moved against the first
	Incomplete Kind = "incomplete" // a volume lacks slices of its 4-D series
	Localizer  Kind = "localizer"  // localizers were separated
	Size       Kind = "size"       // images of another size were separated
	Duplicate  Kind = "duplicate"  // copies, or slices at a position that is taken
	Excluded   Kind = "excluded"   // images that fit no volume
	Identity   Kind = "identity"   // several images share a SOP Instance UID
	Study      Kind = "study"      // another study has a series of the same UID
)

// Kinds of findings about files.
const (
	Missing    Kind = "missing"    // a file that is referred to is not there
	Foreign    Kind = "foreign"    // files of another format
	Index      Kind = "index"      // a DICOMDIR or another index
	NoImage    Kind = "no-image"   // DICOM objects without an image
	Unreadable Kind = "unreadable" // a file or folder cannot be read
	Damaged    Kind = "damaged"    // a file is truncated or corrupt
	Header     Kind = "header"     // parts of a header are not used
)

// Finding is one observation about a series that a person should know of.
type Finding struct {
	Severity Severity        `json:"severity"`
	Kind     Kind            `json:"kind"`
	Text     message.Message `json:"text"`            // one sentence for a person
	Files    []string        `json:"files,omitempty"` // the files concerned, as named in their container
	// Slicewise recommends slice-by-slice (2-D) filtering: the neighbours of a
	// slice are not at the places, or not what, the grid says.
	Slicewise bool `json:"slicewise,omitempty"`
}
