package assemble

import (
	"cmp"
	"math"
	"slices"

	"quell/internal/message"
	"quell/io/dicom/instance"
	"quell/series"
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

// acquiredFirst orders slices by acquisition, then file and frame.
func acquiredFirst(a, b *instance.Slice) int {
	return cmp.Or(instance.CompareAcquired(a, b), ByFile(a, b))
}

// byAcquisition orders the values of an axis by the first slices of their groups;
// groups that are acquired together, as echoes that are counted by themselves, by size.
func byAcquisition(a, b string, groups map[string][]*instance.Slice) int {
	first := func(key string) *instance.Slice { return slices.MinFunc(groups[key], acquiredFirst) }
	return cmp.Or(instance.CompareAcquired(first(a), first(b)), byNumber(a, b, groups))
}

// contrasts are the axes along which a 4-D series is several series of one protocol, each
// with an order of its own: each echo is a time series.
var contrasts = []string{"echo", "echo time"}

// sortByAcquisition brings the volumes of one series, which splitVolumes has divided axis
// by axis, into the order in which they were acquired, whatever the axes: shells of a
// diffusion protocol are interleaved, and b-value 0 is repeated between them. Images of
// different kinds and of different echoes stay apart.
func sortByAcquisition(parts []candidate) {
	block := map[string]int{}
	key := func(p *candidate) string {
		text := p.kind
		for _, c := range p.place {
			if slices.Contains(contrasts, c.Axis) {
				text += "\n" + c.String()
			}
		}
		return text
	}
	for i := range parts {
		if k := key(&parts[i]); block[k] == 0 {
			block[k] = len(block) + 1
		}
	}
	slices.SortStableFunc(parts, func(a, b candidate) int { return cmp.Compare(block[key(&a)], block[key(&b)]) })
	for from := 0; from < len(parts); {
		to := from + 1
		for to < len(parts) && key(&parts[to]) == key(&parts[from]) {
			to++
		}
		sortBlock(parts[from:to])
		from = to
	}
}

// sortBlock orders volumes by the slices that they have at one position. A scanner may count
// volume by volume or position by position: at one position the order is the order of the
// volumes in either case.
func sortBlock(parts []candidate) {
	if len(parts) < 2 {
		return
	}
	at := commonPosition(parts)
	type ordered struct {
		candidate
		at *instance.Slice
	}
	all := make([]ordered, len(parts))
	for i, p := range parts {
		normal := p.slices[0].Normal()
		off := func(s *instance.Slice) float64 { return math.Abs(s.Position.Dot(normal) - at) }
		all[i] = ordered{p, slices.MinFunc(p.slices, func(a, b *instance.Slice) int { return cmp.Compare(off(a), off(b)) })}
	}
	slices.SortStableFunc(all, func(a, b ordered) int { return instance.CompareAcquired(a.at, b.at) })
	for i := range all {
		parts[i] = all[i].candidate
	}
}

// commonPosition returns the position along the normal, in mm, at which most volumes have a
// slice: an aborted scan leaves a part of one.
func commonPosition(parts []candidate) float64 {
	normal, near := parts[0].slices[0].Normal(), samePosition(parts[0].slices[0])
	count := map[float64]int{}
	best, most := 0.0, 0
	for _, p := range parts {
		for _, s := range p.slices {
			at := math.Round(s.Position.Dot(normal)/near) * near
			if count[at]++; count[at] > most || count[at] == most && at < best {
				best, most = at, count[at]
			}
		}
	}
	return best
}
