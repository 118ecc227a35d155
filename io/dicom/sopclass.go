package dicom

import (
	"strings"

	"github.com/suyashkumar/dicom/pkg/uid"
)

// mediaDirectory is the SOP class of DICOMDIR files.
const mediaDirectory = "1.2.840.10008.1.3.10"

// secondaryCapture is Secondary Capture Image Storage: the class for images
// whose scanner and acquisition are not known.
const secondaryCapture = "1.2.840.10008.5.1.4.1.1.7"

// functionalGroups holds the SOP classes whose geometry is in functional groups
// even where they hold one frame.
var functionalGroups = map[string]bool{
	"1.2.840.10008.5.1.4.1.1.2.1":   true, // Enhanced CT
	"1.2.840.10008.5.1.4.1.1.2.2":   true, // Legacy Converted Enhanced CT
	"1.2.840.10008.5.1.4.1.1.4.1":   true, // Enhanced MR
	"1.2.840.10008.5.1.4.1.1.4.4":   true, // Legacy Converted Enhanced MR
	"1.2.840.10008.5.1.4.1.1.130":   true, // Enhanced PET
	"1.2.840.10008.5.1.4.1.1.128.1": true, // Legacy Converted Enhanced PET
}

// primaryAlone holds the SOP classes, beside those, whose images are PRIMARY even
// where they are derived.
var primaryAlone = map[string]bool{
	"1.2.840.10008.5.1.4.1.1.20":  true, // Nuclear Medicine
	"1.2.840.10008.5.1.4.1.1.128": true, // PET
}

// notImages holds the SOP classes whose pixels are no measurement of a scanner.
var notImages = map[string]bool{
	"1.2.840.10008.5.1.4.1.1.66.4":  true, // Segmentation
	"1.2.840.10008.5.1.4.1.1.481.2": true, // RT Dose
}

// needsPixels says whether an object of a SOP class is an image. Of classes that are not
// known, those of the standard are where they have a size; makers put what
// belongs to a series and is no image, such as raw data, beside its images, and give it
// their size.
func needsPixels(class string, sized bool) bool {
	if info, err := uid.Lookup(class); err == nil {
		return strings.Contains(info.Name, "Image Storage")
	}
	return sized && (class == "" || strings.HasPrefix(class, "1.2.840.10008."))
}

// className returns the name of a SOP class or of another UID of the standard, or
// the UID where it has none.
func className(u string) string {
	if info, err := uid.Lookup(u); err == nil {
		return info.Name
	}
	if u == "" {
		return "no SOP class"
	}
	return brief(u)
}
