package assemble

import (
	"quell/series"

	"quell/internal/message"
)

// separateIsotropic makes volumes that a scanner computed from the directions of a diffusion
// series, the trace or the diffusion coefficient, images of another kind: they have a b-value
// and no direction, and a tensor cannot be fitted to them. A series without directions is left
// as it is.
func separateIsotropic(parts []candidate) {
	directed := map[string]bool{}
	for _, p := range parts {
		directed[p.kind] = directed[p.kind] || p.slices[0].Gradient.Stated()
	}
	for i, p := range parts {
		if p.slices[0].Gradient.Isotropic && directed[p.kind] {
			part := p.with(series.Coordinate{Axis: "isotropic weighting"}, false)
			part.slices, part.excluded = p.slices, p.excluded
			parts[i] = part
		}
	}
}

// giveGradients gives a 4-D series the diffusion weightings of its volumes if any of them has
// one, and its entries a finding if directions are missing.
func giveGradients(group *series.Group, entries []Entry, members []int) {
	g := &series.Gradients{}
	lost, isotropic := false, true
	for _, i := range members {
		first := entries[i].Stack[0]
		v := series.Gradient{B: first.Gradient.B}
		if v.B > 0 {
			v.Direction = first.Direction()
			lost = lost || first.Gradient.Stated() && v.Direction.Norm() == 0
			isotropic = isotropic && first.Gradient.Isotropic
		}
		g.Volumes = append(g.Volumes, v)
	}
	if !g.Weighted() {
		return
	}
	group.Gradients = g
	var text message.Message
	switch {
	case lost:
		text = message.Text("The gradient directions are stated in the frame of the scanner, and how the patient lies in it is not known: they are not used, and no .bvec is written. Take them from the protocol.")
		for k := range g.Volumes {
			g.Volumes[k].Direction = [3]float64{}
		}
	case !g.Directed() && !isotropic:
		text = message.Text("The files give b-values and no gradient directions: no .bvec is written. Take the directions from the protocol.")
	default:
		return
	}
	for _, i := range members {
		entries[i].Findings = append(entries[i].Findings, series.Finding{Severity: series.Warning, Kind: series.Diffusion, Text: text})
	}
}
