package part10

import (
	"strings"

	"github.com/suyashkumar/dicom/pkg/uid"
)

// MediaDirectory is the SOP class of DICOMDIR files.
const MediaDirectory = "1.2.840.10008.1.3.10"

// SecondaryCapture is Secondary Capture Image Storage: the class for images
// without known scanner and acquisition.
const SecondaryCapture = "1.2.840.10008.5.1.4.1.1.7"

// GrayscalePresentationState is Grayscale Softcopy Presentation State Storage: how images
// are shown, without pixels of its own.
const GrayscalePresentationState = "1.2.840.10008.5.1.4.1.1.11.1"

// ParametricMap is Parametric Map Storage: quantities of voxels, derived from images. EnhancedSR is Enhanced SR Storage.
const (
	ParametricMap = "1.2.840.10008.5.1.4.1.1.30"
	EnhancedSR    = "1.2.840.10008.5.1.4.1.1.88.22"
)

// Product is the manufacturer of objects that Quell makes.
const Product = "Quell"

// FunctionalGroups holds the SOP classes with their geometry in functional groups
// even if they hold one frame.
var FunctionalGroups = map[string]bool{
	"1.2.840.10008.5.1.4.1.1.2.1":   true, // Enhanced CT
	"1.2.840.10008.5.1.4.1.1.2.2":   true, // Legacy Converted Enhanced CT
	"1.2.840.10008.5.1.4.1.1.4.1":   true, // Enhanced MR
	"1.2.840.10008.5.1.4.1.1.4.4":   true, // Legacy Converted Enhanced MR
	"1.2.840.10008.5.1.4.1.1.130":   true, // Enhanced PET
	"1.2.840.10008.5.1.4.1.1.128.1": true, // Legacy Converted Enhanced PET
	ParametricMap:                   true,
}

// PrimaryAlone holds further SOP classes of images that are PRIMARY even if they
// are derived.
var PrimaryAlone = map[string]bool{
	"1.2.840.10008.5.1.4.1.1.20":  true, // Nuclear Medicine
	"1.2.840.10008.5.1.4.1.1.128": true, // PET
}

// NotImages holds the SOP classes of pixels that are not measured by a scanner.
var NotImages = map[string]bool{
	"1.2.840.10008.5.1.4.1.1.66.4":  true, // Segmentation
	"1.2.840.10008.5.1.4.1.1.481.2": true, // RT Dose
}

// NeedsPixels reports whether an object of a SOP class is an image. Objects of unknown
// standard classes are images if they have a size; objects of private classes, such as
// raw data, may have the size of the images of their series and are none.
func NeedsPixels(class string, sized bool) bool {
	if info, err := uid.Lookup(class); err == nil {
		return strings.Contains(info.Name, "Image Storage")
	}
	return sized && (class == "" || strings.HasPrefix(class, "1.2.840.10008."))
}

// ClassName returns the name of a SOP class or of another UID of the standard, or
// the UID if it has none.
func ClassName(u string) string {
	if info, err := uid.Lookup(u); err == nil {
		return info.Name
	}
	if u == "" {
		return "no SOP class"
	}
	return Shorten(u)
}
