package dicom

import (
	"fmt"
	"math"
	"slices"

	"quell/volume"
)

// tiltAngle is the angle in degrees between stacking direction and slice
// normal from which slices count as shifted against each other.
const tiltAngle = 0.5

// formGrid gives the grid of slices that are ordered along their normal, and
// what is odd about it. Columns 0 and 1 of the affine are orientation times
// pixel spacing; column 2 is the mean step from one slice's position to the
// next, so that a tilted gantry gives a sheared grid and the first and last
// slice are exact whatever lies between.
func formGrid(hs []*header) (volume.Geometry, []volume.Finding) {
	h, n := hs[0], len(hs)
	dims := [3]int{h.format.cols, h.format.rows, n}
	var findings []volume.Finding
	tell := func(s volume.Severity, kind, format string, args ...any) {
		findings = append(findings, volume.Finding{Severity: s, Kind: kind, Text: fmt.Sprintf(format, args...)})
	}
	if h.noSpacing {
		tell(volume.Warning, "spacing", "The file gives no pixel spacing; 1 mm is assumed.")
	}
	thickness := h.thickness
	if thickness == 0 {
		thickness = 1
	}
	if !h.placed {
		if n > 1 {
			tell(volume.Warning, "position", "The frames have no position in space; they are stacked in their order, %g mm apart, at the origin. Filter frame by frame (2-D) unless they are known to be neighbours.", thickness)
		} else {
			tell(volume.Warning, "position", "The image has no position or orientation in space; it is put at the origin.")
		}
		return volume.NewGeometry(dims, [3]float64{h.spacing[0], h.spacing[1], thickness}), findings
	}

	var a volume.Affine
	a.SetColumn(0, h.row.Scale(h.spacing[0]))
	a.SetColumn(1, h.col.Scale(h.spacing[1]))
	a.SetColumn(2, h.normal().Scale(thickness))
	a.SetColumn(3, h.position)
	if n == 1 {
		tell(volume.Note, "spacing", "One slice has no slice spacing; %g mm is taken from the header.", thickness)
		return volume.FromAffine(dims, a), findings
	}
	step := hs[n-1].position.Sub(h.position).Scale(1 / float64(n-1))
	a.SetColumn(2, step)
	findings = append(findings, tellTilt(hs, step)...)
	findings = append(findings, tellSpacing(hs)...)
	return volume.FromAffine(dims, a), findings
}

// tellTilt reports slices that are stacked at an angle to their normal, and
// slices that do not lie on one line.
func tellTilt(hs []*header, step volume.Vec) []volume.Finding {
	normal := hs[0].normal()
	rise := step.Dot(normal)
	shift := step.Sub(normal.Scale(rise))
	var out []volume.Finding
	if angle := math.Atan2(shift.Norm(), rise) * 180 / math.Pi; angle > tiltAngle {
		out = append(out, volume.Finding{Severity: volume.Warning, Kind: "tilt",
			Text: fmt.Sprintf("Slices are stacked at %.1f degrees to their normal (gantry tilt); the acquired, sheared grid is filtered and exported as it is.", angle)})
	}
	// Where on the line from first to last each slice should be, by its height.
	first := hs[0].position
	var worst float64
	for _, h := range hs {
		d := h.position.Sub(first)
		on := step.Scale(d.Dot(normal) / rise)
		worst = max(worst, d.Sub(on).Norm())
	}
	if worst > 0.1 {
		out = append(out, volume.Finding{Severity: volume.Warning, Kind: "shift",
			Text: fmt.Sprintf("Slices are shifted sideways by up to %.2f mm from the line between the first and the last. Filter slice by slice (2-D).", worst)})
	}
	return out
}

// tellSpacing reports gaps (steps of several times the usual one) and spacing
// that is uneven in any other way.
func tellSpacing(hs []*header) []volume.Finding {
	normal := hs[0].normal()
	steps := make([]float64, len(hs)-1)
	for i := range steps {
		steps[i] = hs[i+1].position.Sub(hs[i].position).Dot(normal)
	}
	sorted := slices.Sorted(slices.Values(steps))
	usual := sorted[(len(sorted)-1)/2]
	tol := max(0.01, 0.02*usual)
	lo, hi := sorted[0], sorted[len(sorted)-1]
	if hi-lo <= tol {
		return nil
	}
	missing, gaps := 0, []string(nil)
	var around []string
	for i, s := range steps {
		k := math.Round(s / usual)
		if k < 1 || math.Abs(s-k*usual) > tol*k {
			return []volume.Finding{{Severity: volume.Warning, Kind: "spacing",
				Text: fmt.Sprintf("Slice spacing is uneven, from %.2f to %.2f mm; the grid has the mean. Filter slice by slice (2-D).", lo, hi)}}
		}
		if k > 1 {
			missing += int(k) - 1
			gaps = append(gaps, fmt.Sprintf("%.1f mm behind slice %d", s, i+1))
			around = append(around, hs[i].name, hs[i+1].name)
		}
	}
	text := fmt.Sprintf("%s missing (%s, where %.2f mm is usual); the grid has the mean spacing. Filter slice by slice (2-D), or find the missing files.",
		count(missing, "slice is", "slices are"), summary(gaps), usual)
	return []volume.Finding{{Severity: volume.Warning, Kind: "gap", Text: text, Files: around}}
}

// summary joins a few of many phrases.
func summary(s []string) string {
	const most = 3
	out := ""
	for i, x := range s[:min(len(s), most)] {
		if i > 0 {
			out += ", "
		}
		out += x
	}
	if len(s) > most {
		out += fmt.Sprintf(" and %d more", len(s)-most)
	}
	return out
}
