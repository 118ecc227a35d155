package parametric

import (
	"fmt"
	"io"
	"math"
	"time"

	"quell/internal/message"
	"quell/io/dicom/object"
	"quell/io/dicom/part10"
	"quell/volume"
)

// Padding is the value of voxels that have none.
const Padding = -math.MaxFloat32

// Tags are the attributes of an image that Map.Header is read with.
var Tags = append([]part10.Tag{
	part10.TagSeriesInstanceUID, part10.TagSeriesNumber, part10.TagModality, part10.TagFrameOfReferenceUID, part10.TagPositionReferenceIndicator,
	part10.TagBurnedInAnnotation, part10.TagLossyImageCompression, part10.TagLossyImageCompressionRatio, part10.TagLossyImageCompressionMethod,
}, object.Shared...)

// Map is a parametric map of a volume: a frame for each of its slices, in their order.
type Map struct {
	Quantity Quantity
	// Unit is the unit of the volume: "HU", a unit of PET, or "" for the arbitrary one of MR.
	Unit string
	// Header holds Tags of an image of the derived series: the map belongs to its patient, study and frame of
	// reference.
	Header part10.Attributes
	// Result are the images that were made, and Source their originals: one for every slice. Source may
	// be empty.
	Result, Source object.Images
	// Grid has size, spacing and directions of the slices, and Positions the centre of the first voxel of each, LPS+ mm.
	Grid      volume.Geometry
	Positions []volume.Vec
	// Description is the derivation in words.
	Description string
	Window      volume.Window // to show it with
	Masked      bool          // some voxels have no value
	Number      int           // of the map in its series, from 1
	Sum         []byte        // hash of the values
	Version     string        // of Quell
	Now         time.Time     // date of the map
}

// check returns an error for what no map can hold.
func (m *Map) check() error {
	n := m.Grid.Dims[2]
	if len(m.Positions) != n || len(m.Result.Slices) != n || len(m.Source.Slices) != n && len(m.Source.Slices) != 0 {
		return fmt.Errorf("dicom: a parametric map of %d slices at %d places, of %d and %d images", n, len(m.Positions), len(m.Result.Slices), len(m.Source.Slices))
	}
	if max(m.Grid.Dims[0], m.Grid.Dims[1]) > math.MaxUint16 || m.bytes() >= part10.UndefinedLength {
		return message.Errorf(message.OutputUnsupported, "a parametric map of %d x %d x %d voxels is more than one DICOM file can contain", m.Grid.Dims[0], m.Grid.Dims[1], n)
	}
	return nil
}

// bytes is the length of the values.
func (m *Map) bytes() int64 { return 4 * int64(m.Grid.Voxels()) }

// UID returns the instance UID: the same result, quantity and values give the same.
func (m *Map) UID() string {
	return part10.HashUID([]byte("parametric map"), m.Header.Raw(part10.TagSeriesInstanceUID), []byte(m.Quantity.Label), fmt.Append(nil, m.Number), m.Sum)
}

// SeriesUID returns the UID of the series of the maps of this quantity.
func (m *Map) SeriesUID() string {
	return part10.HashUID([]byte("parametric maps"), m.Header.Raw(part10.TagSeriesInstanceUID), []byte(m.Quantity.Label))
}

// Write writes the file. frame returns the values of slice z, and which of them count, nil for all; they are used until
// its next call. The error is that of frame or of out, or says what no map can hold.
func (m *Map) Write(out io.Writer, frame func(z int) (values []float32, valid []bool, err error)) error {
	if err := m.check(); err != nil {
		return err
	}
	head := part10.AppendFileMeta(nil, part10.ParametricMap, m.UID(), part10.UIDExplicitLE, m.Version)
	head = append(head, m.elements().Item()...)
	head = part10.AppendElementHeader(head, object.Encoding, part10.TagFloatPixelData, "OF", uint32(m.bytes()))
	if _, err := out.Write(head); err != nil {
		return err
	}
	padded := make([]float32, m.Grid.SliceVoxels())
	for z := range m.Grid.Dims[2] {
		values, valid, err := frame(z)
		if err != nil {
			return err
		}
		if len(values) != len(padded) {
			return fmt.Errorf("dicom: a frame of %d values for %d voxels", len(values), len(padded))
		}
		if valid != nil {
			copy(padded, values)
			for i, v := range valid {
				if !v {
					padded[i] = Padding
				}
			}
			values = padded
		}
		b, _ := volume.LittleEndian(values)
		if _, err := out.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// Quantity is the quantity in a map.
type Quantity struct {
	Label   string // CS, of the content
	Caption string // of the series
	// Contrast is how its values follow from others, value 4 of Image Type (C.8.16.1.4).
	Contrast string
	// Derivation is how its values were made of images (CID 7203).
	Derivation part10.Code
	// Statistic is the statistic over voxels; the zero value for the values themselves.
	Statistic part10.Code
	OfResult  bool // it was made of the result too, not of the source alone
	Order     int  // of its series in the result, from 0
}

// The quantities that Quell maps.
var (
	// Sigma is the standard deviation of the noise.
	Sigma = Quantity{
		Label: "NOISE_SD", Caption: "Noise map (standard deviation) [Quell]", Contrast: "STD_DEVIATION", Order: 0,
		Derivation: NoiseMapping,
		Statistic:  part10.Code{Value: "386136009", Scheme: "SCT", Meaning: "Standard Deviation"},
	}
	// Removed is the residual of a filter: input less result.
	Removed = Quantity{Label: "REMOVED", Caption: "What was removed (input less result) [Quell]", Contrast: "SUBTRACTION", OfResult: true, Order: 1, Derivation: Subtraction}
)

var (
	// NoiseMapping is the derivation of a noise map, for which the standard has no code.
	NoiseMapping = part10.Code{Value: "NOISEMAP", Scheme: "99QUELL", Meaning: "Estimated standard deviation of the noise"}
	// Subtraction is the derivation of what was removed (CID 7203).
	Subtraction = part10.Code{Value: "113062", Scheme: "DCM", Meaning: "Pixel by pixel subtraction"}
)

// concepts of a quantity definition (PS3.3 C.7.6.16.2.11).
var (
	quantity   = part10.Code{Value: "246205007", Scheme: "SCT", Meaning: "Quantity"}
	derivation = part10.Code{Value: "121401", Scheme: "DCM", Meaning: "Derivation"}
	method     = part10.Code{Value: "370129005", Scheme: "SCT", Meaning: "Measurement Method"}
)

// measured returns what the voxels of an image are (CID 7180, if it has a code for them).
func measured(modality, unit string) part10.Code {
	switch {
	case unit == "HU":
		return part10.Code{Value: "112031", Scheme: "DCM", Meaning: "Attenuation Coefficient"}
	case modality == "MR":
		return part10.Code{Value: "110852", Scheme: "DCM", Meaning: "MR signal intensity"}
	}
	return part10.Code{Value: "VOXEL", Scheme: "99QUELL", Meaning: "Value of a voxel"}
}
