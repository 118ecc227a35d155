package assemble

import (
	"fmt"
	"math"
	"slices"

	"quell/io/dicom/instance"
	"quell/volume"
)

// maxPlanes bounds the number of groups, since every image is compared with each.
const maxPlanes = 1000

// planes groups images by what must be equal in one volume: localizer or not, size,
// pixel spacing and orientation. Images without a position are grouped by SOP class
// and image type. It returns nil for more than maxPlanes groups.
func planes(images []*instance.Slice) []candidate {
	var out []candidate
	for _, image := range images {
		i := slices.IndexFunc(out, func(p candidate) bool { return samePlane(p.slices[0], image) })
		if i < 0 && len(out) == maxPlanes {
			return nil
		}
		if i < 0 {
			out = append(out, candidate{label: planeLabel(image), slices: []*instance.Slice{image}})
			continue
		}
		out[i].slices = append(out[i].slices, image)
	}
	out = groupRotated(out)
	disambiguateLabels(out)
	return out
}

// fewDirections is the largest number of slices with directions of their own that are
// listed one by one, as a localizer's are. More are the steps of a rotation.
const fewDirections = 3

// groupRotated joins slices of one size that each have a direction of their own, such as
// projections of a rotating camera, into one candidate: they fit no grid.
func groupRotated(parts []candidate) []candidate {
	var single []*instance.Slice
	for _, p := range parts {
		if image := p.slices[0]; len(p.slices) == 1 && image.Placed && !image.Localizer() && (single == nil || sameImage(single[0], image)) {
			single = append(single, image)
		}
	}
	if len(single) <= fewDirections {
		return parts
	}
	for _, image := range single {
		image.Placed, image.Rotated = false, true
	}
	parts = slices.DeleteFunc(parts, func(p candidate) bool { return p.slices[0].Rotated })
	return append(parts, candidate{label: planeLabel(single[0]), slices: single})
}

// disambiguateLabels makes equal labels different: by pixel spacing if that differs, else
// by number.
func disambiguateLabels(parts []candidate) {
	spacing := func(p candidate) string {
		image := p.slices[0]
		return fmt.Sprintf("pixels of %.3g x %.3g mm", image.Spacing[0], image.Spacing[1])
	}
	byLabel := map[string][]int{}
	for i, p := range parts {
		byLabel[p.label] = append(byLabel[p.label], i)
	}
	for _, same := range byLabel {
		spacings := map[string]bool{}
		for _, i := range same {
			spacings[spacing(parts[i])] = true
		}
		for n, i := range same {
			switch {
			case len(same) == 1:
			case len(spacings) == len(same):
				parts[i].label += ", " + spacing(parts[i])
			default:
				parts[i].label += fmt.Sprintf(", group %d", n+1)
			}
		}
	}
}

// sameDirection is the largest difference between direction cosines of one orientation.
const sameDirection = 2e-3

func samePlane(a, b *instance.Slice) bool {
	if a.Placed != b.Placed || a.Rotated != b.Rotated || !sameImage(a, b) {
		return false
	}
	if !a.Placed {
		return a.SOPClass == b.SOPClass && slices.Equal(a.ImageType, b.ImageType)
	}
	return a.Row.Sub(b.Row).Norm() < sameDirection && a.Column.Sub(b.Column).Norm() < sameDirection
}

// sameImage reports whether two images have the same size and are both localizers or
// both not.
func sameImage(a, b *instance.Slice) bool {
	if a.Localizer() != b.Localizer() || !a.Format.SameLayout(&b.Format) {
		return false
	}
	for i := range 2 {
		if math.Abs(a.Spacing[i]-b.Spacing[i]) > 1e-3*a.Spacing[i] {
			return false
		}
	}
	return true
}

// planeLabel names an image's plane: "axial 512 x 512".
func planeLabel(image *instance.Slice) string {
	size := fmt.Sprintf("%d x %d", image.Format.Cols, image.Format.Rows)
	switch {
	case image.Rotated:
		return "rotated, " + size
	case !image.Placed:
		return "without position, " + size
	case image.Localizer():
		return "localizer " + orientation(image.Normal()) + " " + size
	default:
		return orientation(image.Normal()) + " " + size
	}
}

// orientation names the plane with normal n by its largest component.
func orientation(n volume.Vec) string {
	x, y, z := math.Abs(n[0]), math.Abs(n[1]), math.Abs(n[2])
	name := "axial"
	switch {
	case x >= y && x >= z:
		name = "sagittal"
	case y >= z:
		name = "coronal"
	}
	if max(x, y, z) < math.Cos(math.Pi/180) {
		return "oblique " + name
	}
	return name
}
