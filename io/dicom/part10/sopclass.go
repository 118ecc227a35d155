package part10

import (
	"strings"

	"github.com/suyashkumar/dicom/pkg/uid"
)

// MediaDirectory is the SOP class of DICOMDIR files.
const MediaDirectory = "1.2.840.10008.1.3.10"

// SecondaryCapture is Secondary Capture Image Storage: the class for images
// whose scanner and acquisition are not known.
const SecondaryCapture = "1.2.840.10008.5.1.4.1.1.7"

// FunctionalGroups holds the SOP classes whose geometry is in functional groups
// even where they hold one frame.
var FunctionalGroups = map[string]bool{
	"1.2.840.10008.5.1.4.1.1.2.1":   true, // Enhanced CT
	"1.2.840.10008.5.1.4.1.1.2.2":   true, // Legacy Converted Enhanced CT
	"1.2.840.10008.5.1.4.1.1.4.1":   true, // Enhanced MR
	"1.2.840.10008.5.1.4.1.1.4.4":   true, // Legacy Converted Enhanced MR
	"1.2.840.10008.5.1.4.1.1.130":   true, // Enhanced PET
	"1.2.840.10008.5.1.4.1.1.128.1": true, // Legacy Converted Enhanced PET
}

// PrimaryAlone holds the SOP classes, beside those, whose images are PRIMARY even
// where they are derived.
var PrimaryAlone = map[string]bool{
	"1.2.840.10008.5.1.4.1.1.20":  true, // Nuclear Medicine
	"1.2.840.10008.5.1.4.1.1.128": true, // PET
}

// NotImages holds the SOP classes whose pixels are no measurement of a scanner.
var NotImages = map[string]bool{
	"1.2.840.10008.5.1.4.1.1.66.4":  true, // Segmentation
	"1.2.840.10008.5.1.4.1.1.481.2": true, // RT Dose
}

// NeedsPixels says whether an object of a SOP class is an image. Of classes that are not
// known, those of the standard are where they have a size; makers put what
// belongs to a series and is no image, such as raw data, beside its images, and give it
// their size.
func NeedsPixels(class string, sized bool) bool {
	if info, err := uid.Lookup(class); err == nil {
		return strings.Contains(info.Name, "Image Storage")
	}
	return sized && (class == "" || strings.HasPrefix(class, "1.2.840.10008."))
}

// ClassName returns the name of a SOP class or of another UID of the standard, or
// the UID where it has none.
func ClassName(u string) string {
	if info, err := uid.Lookup(u); err == nil {
		return info.Name
	}
	if u == "" {
		return "no SOP class"
	}
	return Shorten(u)
}
