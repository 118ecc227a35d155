package assemble

import (
	"math"
	"slices"

	"quell/internal/message"
	"quell/io/dicom/instance"
	"quell/series"
	"quell/volume"
)

// tiltAngle is the angle in degrees between stacking direction and slice normal above
// which a gantry tilt is reported.
const tiltAngle = 0.5

// formGrid returns the grid of slices that are ordered along their normal, and findings
// about it. Columns 0 and 1 of the affine are orientation times
// pixel spacing; column 2 is the mean step from one slice's position to the
// next, so that a tilted gantry gives a sheared grid and the first and last
// slice are exact whatever lies between.
func formGrid(images []*instance.Slice) (volume.Geometry, []series.Finding) {
	first, n := images[0], len(images)
	dims := [3]int{first.Format.Cols, first.Format.Rows, n}
	var findings []series.Finding
	report := func(s series.Severity, kind series.Kind, text message.Message) {
		findings = append(findings, series.Finding{Severity: s, Kind: kind, Text: text})
	}
	if first.NoPixelSpacing {
		report(series.Warning, series.Spacing, message.Text("The file gives no pixel spacing; a width of 1 mm is assumed."))
	}
	thickness := first.Thickness
	if thickness == 0 {
		thickness = 1
	}
	oriented := first.Row != volume.Vec{} // true for unplaced frames and rotated slices too
	if !first.Placed {
		findings = append(findings, findUnplaced(images, thickness, oriented))
	}
	if !oriented {
		return volume.NewGeometry(dims, [3]float64{first.Spacing[0], first.Spacing[1], thickness}), findings
	}

	var a volume.Affine
	a.SetColumn(0, first.Row.Scale(first.Spacing[0]))
	a.SetColumn(1, first.Column.Scale(first.Spacing[1]))
	a.SetColumn(2, first.Normal().Scale(thickness))
	a.SetColumn(3, first.Position)
	if !first.Placed {
		return volume.FromAffine(dims, a), findings
	}
	if n == 1 {
		report(series.Note, series.Spacing, message.Text("A single slice has no slice spacing; %g mm is taken from the header.", thickness))
		return volume.FromAffine(dims, a), findings
	}
	step := images[n-1].Position.Sub(first.Position).Scale(1 / float64(n-1))
	a.SetColumn(2, step)
	if first.SpacingFromThickness {
		report(series.Warning, series.Spacing, message.Text("The file does not state the slice spacing; the slice thickness, %g mm, is used.", thickness))
	}
	findings = append(findings, findTilt(images, step)...)
	findings = append(findings, findSpacing(images)...)
	return volume.FromAffine(dims, a), findings
}

// irregularity returns the largest distance in mm between the position of a
// slice and its place on the grid; 0 if no finding says that the slices are
// unevenly spaced or shifted.
func irregularity(images []*instance.Slice, grid volume.Geometry, findings []series.Finding) float64 {
	uneven := slices.ContainsFunc(findings, func(f series.Finding) bool {
		return f.Severity == series.Warning && f.Slicewise && slices.Contains([]series.Kind{series.Gap, series.Spacing, series.Shift}, f.Kind)
	})
	if !uneven {
		return 0
	}
	var worst float64
	for z, image := range images {
		worst = max(worst, grid.Affine.Apply(0, 0, float64(z)).Sub(image.Position).Norm())
	}
	return worst
}

// findUnplaced reports images without a position, which are stacked from the first one
// on if that one has a position.
func findUnplaced(images []*instance.Slice, thickness float64, onFirst bool) series.Finding {
	f := series.Finding{Severity: series.Warning, Kind: series.Position}
	if len(images) == 1 {
		f.Text = message.Text("The image has no usable position and orientation in space; it is placed at the origin.")
		return f
	}
	why, order, where := message.Text("have no usable position and orientation in space"), message.Text("in their order"), message.Text("from the origin on")
	switch {
	case images[0].Rotated:
		f.Kind, why = series.Orientation, message.Text("are rotated against each other, like the steps of a projection")
	case onFirst:
		why = message.Text("have no position of their own in space")
	}
	if images[len(images)-1].Name != images[0].Name {
		order = message.Text("in the order of their instance numbers")
	}
	if onFirst {
		where = message.Text("behind the first")
	}
	f.Slicewise = true
	f.Text = message.Text("The images %s; they are stacked %s, %g mm apart, %s. Filter slice by slice (2-D) unless they are known to be neighbours.", why, order, thickness, where)
	return f
}

// findTilt reports slices that are stacked at an angle to their normal, and slices
// that are shifted sideways from one line.
func findTilt(images []*instance.Slice, step volume.Vec) []series.Finding {
	normal := images[0].Normal()
	rise := step.Dot(normal)
	shift := step.Sub(normal.Scale(rise))
	var out []series.Finding
	if angle := math.Atan2(shift.Norm(), rise) * 180 / math.Pi; angle > tiltAngle {
		out = append(out, series.Finding{Severity: series.Warning, Kind: series.Tilt,
			Text: message.Text("Slices are stacked at %.1f degrees to their normal (gantry tilt); the acquired, sheared grid is filtered and exported as it is.", angle)})
	}
	// The distance of each slice from the line between the first and the last.
	first := images[0].Position
	var worst float64
	for _, image := range images {
		d := image.Position.Sub(first)
		on := step.Scale(d.Dot(normal) / rise)
		worst = max(worst, d.Sub(on).Norm())
	}
	if worst > 0.1 {
		out = append(out, series.Finding{Severity: series.Warning, Kind: series.Shift,
			Slicewise: true,
			Text:      message.Text("Slices are shifted sideways by up to %.2f mm from the line between the first and the last. Filter slice by slice (2-D).", worst)})
	}
	return out
}

// findSpacing reports gaps (steps of several times the usual one) and other uneven
// spacing.
func findSpacing(images []*instance.Slice) []series.Finding {
	steps := stepsOf(images)
	if even(steps) {
		return nil
	}
	lo, hi := slices.Min(steps), slices.Max(steps)
	if off := unevenness(steps); off <= roundedPosition {
		return []series.Finding{{Severity: series.Note, Kind: series.Spacing,
			Text: message.Text("Slice positions are rounded: they are up to %.2f mm off the even spacing of %.2f mm that the grid has.", off, mean(steps))}}
	}
	uneven := series.Finding{Severity: series.Warning, Kind: series.Spacing, Slicewise: true,
		Text: message.Text("Slice spacing is uneven, from %.2f to %.2f mm; the grid has the mean. Filter slice by slice (2-D).", lo, hi)}
	usual := median(steps)
	missing, run := 0, 0
	var gaps []message.Message
	var around []string
	for i, s := range steps {
		k := math.Round(s / usual)
		if k < 1 || math.Abs(s-k*usual) > k*spacingTolerance(usual) {
			return []series.Finding{uneven}
		}
		if k == 1 {
			run = 0
			continue
		}
		missing += int(k) - 1
		gaps = append(gaps, message.Text("%.1f mm after slice %d", s, i+1))
		around = append(around, images[i].Name, images[i+1].Name)
		// Adjacent gaps of one width are a scan that continued with wider steps.
		if run++; run > 3 && math.Abs(s-steps[i-1]) < spacingTolerance(usual) {
			return []series.Finding{uneven}
		}
	}
	text := message.Text("%s missing (%s, where %.2f mm is usual); the grid has the mean spacing. Filter slice by slice (2-D), or find the missing files.",
		message.Count(missing, "slice is", "slices are"), message.Some(", ", gaps...), usual)
	return []series.Finding{{Severity: series.Warning, Kind: series.Gap, Text: text, Files: around, Slicewise: true}}
}

// stepsOf returns the distances in mm along the normal from each slice to the next.
func stepsOf(images []*instance.Slice) []float64 {
	normal := images[0].Normal()
	steps := make([]float64, len(images)-1)
	for i := range steps {
		steps[i] = images[i+1].Position.Sub(images[i].Position).Dot(normal)
	}
	return steps
}

func median(steps []float64) float64 {
	sorted := slices.Sorted(slices.Values(steps))
	return sorted[(len(sorted)-1)/2]
}

func mean(steps []float64) float64 {
	var sum float64
	for _, s := range steps {
		sum += s
	}
	return sum / float64(len(steps))
}

// spacingTolerance is the largest difference in mm between steps of an even spacing.
func spacingTolerance(usual float64) float64 { return min(max(0.01, 0.02*usual), 0.1*usual) }

func even(steps []float64) bool {
	return slices.Max(steps)-slices.Min(steps) <= spacingTolerance(median(steps))
}

// roundedPosition is the largest distance in mm of a slice from an even grid that is due
// to rounded positions.
const roundedPosition = 0.1

// unevenness returns the largest distance in mm of a slice from its place in an even
// grid between the first and the last slice; infinity if that is more than 15 % of the
// spacing.
func unevenness(steps []float64) float64 {
	step := mean(steps)
	var at, worst float64
	for i, s := range steps {
		at += s
		worst = max(worst, math.Abs(at-float64(i+1)*step))
	}
	if worst > 0.15*step {
		return math.Inf(1)
	}
	return worst
}
