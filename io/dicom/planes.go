package dicom

import (
	"fmt"
	"math"
	"slices"

	"quell/volume"
)

// maxPlanes is more than a series has of them: each image is compared with each.
const maxPlanes = 1000

// planes groups images by what must be equal in one volume: being a localizer
// or not, size, pixel spacing and orientation. Images without a position lie
// together where they are of one kind. It returns nil where there are more than
// maxPlanes groups.
func planes(hs []*header) []part {
	var out []part
	for _, h := range hs {
		i := slices.IndexFunc(out, func(p part) bool { return samePlane(p.slices[0], h) })
		if i < 0 && len(out) == maxPlanes {
			return nil
		}
		if i < 0 {
			out = append(out, part{label: planeLabel(h), slices: []*header{h}})
			continue
		}
		out[i].slices = append(out[i].slices, h)
	}
	out = joinTurned(out)
	nameApart(out)
	return out
}

// fewDirections is how many slices of directions of their own are a localizer, to
// be listed one by one. More are the steps of a turn, as of a projection.
const fewDirections = 3

// joinTurned makes one part of slices that each have a direction of their own and
// are of one size: no grid has a place for them, and one list of them is enough.
func joinTurned(parts []part) []part {
	var single []*header
	for _, p := range parts {
		if h := p.slices[0]; len(p.slices) == 1 && h.placed && !h.localizer() && (single == nil || sameImage(single[0], h)) {
			single = append(single, h)
		}
	}
	if len(single) <= fewDirections {
		return parts
	}
	for _, h := range single {
		h.placed, h.turned = false, true
	}
	parts = slices.DeleteFunc(parts, func(p part) bool { return p.slices[0].turned })
	return append(parts, part{label: planeLabel(single[0]), slices: single})
}

// nameApart makes labels that several parts have different: by pixel spacing where
// that is what tells them apart, or else by number.
func nameApart(parts []part) {
	spacing := func(p part) string {
		h := p.slices[0]
		return fmt.Sprintf("pixels of %.3g x %.3g mm", h.spacing[0], h.spacing[1])
	}
	namesakes := map[string][]int{}
	for i, p := range parts {
		namesakes[p.label] = append(namesakes[p.label], i)
	}
	for _, same := range namesakes {
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

// sameDirection is how far apart the cosines of one orientation may be.
const sameDirection = 2e-3

func samePlane(a, b *header) bool {
	if a.placed != b.placed || a.turned != b.turned || !sameImage(a, b) {
		return false
	}
	if !a.placed {
		return a.sopClass == b.sopClass && slices.Equal(a.imageType, b.imageType)
	}
	return a.row.Sub(b.row).Norm() < sameDirection && a.col.Sub(b.col).Norm() < sameDirection
}

// sameImage says whether two images are of one size, and both localizers or not.
func sameImage(a, b *header) bool {
	if a.localizer() != b.localizer() || !a.format.sameLayout(&b.format) {
		return false
	}
	for i := range 2 {
		if math.Abs(a.spacing[i]-b.spacing[i]) > 1e-3*a.spacing[i] {
			return false
		}
	}
	return true
}

// planeLabel names an image's plane: "axial 512 x 512".
func planeLabel(h *header) string {
	size := fmt.Sprintf("%d x %d", h.format.cols, h.format.rows)
	switch {
	case h.turned:
		return "turned, " + size
	case !h.placed:
		return "without position, " + size
	case h.localizer():
		return "localizer " + orientation(h.normal()) + " " + size
	default:
		return orientation(h.normal()) + " " + size
	}
}

// orientation names the plane whose normal is n by its largest component.
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
