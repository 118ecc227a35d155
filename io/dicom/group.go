package dicom

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"quell/volume"
)

// formEntries groups image files into series and these into volumes.
func formEntries(hs []*header) []Entry {
	series := map[string][]*header{}
	var orphans []*header
	for _, h := range hs {
		if isOrphan(h) {
			orphans = append(orphans, h)
			continue
		}
		key := h.meta.UID
		if key == "" {
			key = "folder " + path.Dir(h.name) // no UID: what lies together
		}
		series[key] = append(series[key], h)
	}
	var entries []Entry
	for _, key := range slices.Sorted(maps.Keys(series)) {
		entries = append(entries, formSeries(series[key])...)
	}
	for _, h := range orphans {
		refuseBeside(entries, h)
	}
	if len(entries) == 0 {
		entries = []Entry{damagedEntry(orphans, orphans[0].err)}
	}
	slices.SortStableFunc(entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(seriesNumber(a), seriesNumber(b)),
			cmp.Compare(a.UID, b.UID), cmp.Compare(b.Geometry.Voxels(), a.Geometry.Voxels()))
	})
	return entries
}

func seriesNumber(e Entry) int {
	n, err := strconv.Atoi(e.Number)
	if err != nil {
		return math.MaxInt
	}
	return n
}

// refusedEntry stands for files that cannot be a volume.
func refusedEntry(hs []*header, err error) Entry {
	return Entry{Meta: hs[0].meta, Slices: len(hs), Bytes: fileBytes(hs), Err: err}
}

// onePerFile returns the first slice of each file.
func onePerFile(hs []*header) []*header {
	seen := map[string]bool{}
	var out []*header
	for _, h := range hs {
		if !seen[h.name] {
			seen[h.name] = true
			out = append(out, h)
		}
	}
	return out
}

// fileBytes returns the size of the files that slices lie in.
func fileBytes(hs []*header) (n int64) {
	for _, h := range onePerFile(hs) {
		n += h.size
	}
	return n
}

func damagedEntry(hs []*header, err error) Entry {
	e := refusedEntry(hs, err)
	e.damaged = true
	return e
}

// formSeries makes the volumes of one series. Everything that is in none of
// them is named in the findings of all.
func formSeries(hs []*header) []Entry {
	slices.SortFunc(hs, byFile)
	var broken *Error
	var images, asides []*header
	for _, h := range hs {
		switch {
		case h.err != nil && broken == nil:
			broken = h.err
		case h.err != nil:
		case h.aside != "":
			asides = append(asides, h)
		default:
			images = append(images, h)
		}
	}
	if broken != nil {
		return []Entry{damagedEntry(hs, broken)}
	}
	findings := tellAsides(asides)
	if len(images) == 0 {
		h := asides[0]
		e := refusedEntry(hs, fileError(h.name, "choose another series, or convert this one first", nil, "%s", h.aside))
		e.Findings = findings
		return []Entry{e}
	}
	images, copies := dropCopies(images)
	if len(copies) > 0 {
		findings = append(findings, volume.Finding{Severity: volume.Refused, Kind: "duplicate",
			Text:  fmt.Sprintf("%s of others (same SOP Instance UID); one of each is used.", count(len(onePerFile(copies)), "file is a copy", "files are copies")),
			Files: fileNames(copies)})
	}
	groups := planes(images)
	if len(groups) == 1 {
		groups[0].label = ""
	}
	var parts []part
	for _, p := range groups {
		parts = append(parts, splitVolumes(p)...)
	}
	entries := make([]Entry, len(parts))
	for i, p := range parts {
		entries[i] = formEntry(p, findings)
		if len(parts) > 1 {
			entries[i].Part = p.label
		}
	}
	tellSiblings(entries)
	return entries
}

// byFile orders slices as they lie in their files.
func byFile(a, b *header) int {
	return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.frame, b.frame))
}

// tellAsides reports images that no volume can hold, by reason.
func tellAsides(hs []*header) []volume.Finding {
	byReason := map[string][]*header{}
	for _, h := range hs {
		byReason[h.aside] = append(byReason[h.aside], h)
	}
	var out []volume.Finding
	for _, why := range slices.Sorted(maps.Keys(byReason)) {
		g := byReason[why]
		out = append(out, volume.Finding{Severity: volume.Refused, Kind: "set-aside",
			Text: fmt.Sprintf("%s set aside: %s.", count(len(g), "image is", "images are"), why), Files: fileNames(g)})
	}
	return out
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// dropCopies keeps one file of each SOP Instance UID.
func dropCopies(hs []*header) (kept, copies []*header) {
	holder := map[string]string{} // UID to the file that has it
	for _, h := range hs {
		name, seen := holder[h.sopUID]
		if h.sopUID != "" && seen && name != h.name {
			copies = append(copies, h)
			continue
		}
		holder[h.sopUID] = h.name
		kept = append(kept, h)
	}
	return kept, copies
}

// planes groups images by what must be equal in one volume: being a localizer
// or not, size, pixel spacing and orientation. An image without a position is a
// group of its own.
func planes(hs []*header) []part {
	var out []part
	for _, h := range hs {
		i := slices.IndexFunc(out, func(p part) bool { return samePlane(p.slices[0], h) })
		if i < 0 {
			out = append(out, part{label: planeLabel(h), slices: []*header{h}})
			continue
		}
		out[i].slices = append(out[i].slices, h)
	}
	return out
}

// sameDirection is how far apart the cosines of one orientation may be.
const sameDirection = 2e-3

func samePlane(a, b *header) bool {
	if !a.placed && !b.placed && a.name == b.name {
		return true // frames of one file that say nothing of space
	}
	if !a.placed || !b.placed || a.localizer() != b.localizer() || !a.format.sameLayout(&b.format) {
		return false
	}
	for i := range 2 {
		if math.Abs(a.spacing[i]-b.spacing[i]) > 1e-3*a.spacing[i] {
			return false
		}
	}
	return a.row.Sub(b.row).Norm() < sameDirection && a.col.Sub(b.col).Norm() < sameDirection
}

// planeLabel names an image's plane: "axial 512 x 512".
func planeLabel(h *header) string {
	size := fmt.Sprintf("%d x %d", h.format.cols, h.format.rows)
	switch {
	case !h.placed:
		return path.Base(h.name) + " " + size
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

// formEntry makes an entry of a part whose positions are all different.
func formEntry(p part, findings []volume.Finding) Entry {
	if p.slices[0].placed {
		var ordered []*header
		for _, s := range stacks(p.slices) {
			ordered = append(ordered, s...)
		}
		p.slices = ordered
	}
	middle := p.slices[len(p.slices)/2]
	e := Entry{Meta: middle.meta, Slices: len(p.slices), Bytes: fileBytes(p.slices), slices: p.slices, Findings: slices.Clone(findings)}
	if len(p.aside) > 0 {
		e.Findings = append(e.Findings, volume.Finding{Severity: volume.Refused, Kind: "duplicate",
			Text:  fmt.Sprintf("%s at a position that another already holds; the first by instance number is used.", count(len(p.aside), "slice lies", "slices lie")),
			Files: fileNames(p.aside)})
	}
	grid, more := formGrid(p.slices)
	e.Geometry, e.Findings = grid, append(e.Findings, more...)
	if p.slices[0].format.photometric == "MONOCHROME1" {
		e.Findings = append(e.Findings, volume.Finding{Severity: volume.Note, Kind: "monochrome1",
			Text: "Low values are meant to be shown bright (MONOCHROME1); values are kept as stored."})
	}
	if err := grid.Validate(); err != nil {
		e.damaged = true
		e.Err = fileError(p.slices[0].name, adviseCopy, err, "its geometry cannot be used (%s)", strings.TrimPrefix(err.Error(), "volume: "))
	}
	return e
}

// tellSiblings tells every volume of a series of the others.
func tellSiblings(entries []Entry) {
	for i := range entries {
		byKind := map[string][]*Entry{}
		for j := range entries {
			if j != i {
				k := siblingKind(&entries[i], &entries[j])
				byKind[k] = append(byKind[k], &entries[j])
			}
		}
		for _, k := range slices.Sorted(maps.Keys(byKind)) {
			entries[i].Findings = append(entries[i].Findings, siblingFinding(k, byKind[k]))
		}
	}
}

func siblingKind(e, other *Entry) string {
	a, b := e.slices[0], other.slices[0]
	switch {
	case !b.placed:
		return "position"
	case b.localizer() != a.localizer():
		return "localizer"
	case !samePlane(a, b) && a.placed && a.format.sameLayout(&b.format) && a.row.Sub(b.row).Norm()+a.col.Sub(b.col).Norm() >= sameDirection:
		return "orientation"
	case !samePlane(a, b):
		return "size"
	default:
		return "volumes"
	}
}

func siblingFinding(kind string, others []*Entry) volume.Finding {
	f := volume.Finding{Severity: volume.Refused, Kind: kind}
	n := 0
	var labels []string
	for _, o := range others {
		n += o.Slices
		if len(labels) < 4 {
			labels = append(labels, o.Part)
		}
		if len(f.Files) == listedFiles {
			continue
		}
		for _, name := range fileNames(o.slices) {
			if len(f.Files) < listedFiles && !slices.Contains(f.Files, name) {
				f.Files = append(f.Files, name)
			}
		}
	}
	if more := len(others) - len(labels); more > 0 {
		labels = append(labels, fmt.Sprintf("and %d more", more))
	}
	images := count(n, "image", "images")
	what := strings.Join(labels, "; ")
	const advice = "they are listed beside it, to be filtered by themselves"
	switch kind {
	case "position":
		f.Text = fmt.Sprintf("%s without a position in space cannot be in this volume (%s); %s.", images, what, advice)
	case "localizer":
		f.Text = fmt.Sprintf("%s of another kind (localizer or not) cannot be in this volume (%s); %s.", images, what, advice)
	case "orientation":
		f.Text = fmt.Sprintf("%s of another orientation cannot be in this volume (%s); %s.", images, what, advice)
	case "size":
		f.Text = fmt.Sprintf("%s of another size or pixel spacing cannot be in this volume (%s); %s.", images, what, advice)
	default:
		f.Severity = volume.Warning
		f.Text = fmt.Sprintf("The series holds %d volumes of this grid; this is one, the others are: %s; each is filtered by itself.", len(others)+1, what)
	}
	return f
}
