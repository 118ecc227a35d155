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

	"quell/series"
	"quell/volume"
)

// formEntries groups image files into series and these into volumes.
func formEntries(hs []*header) []Entry {
	series := map[string][]*header{}
	studies := map[string][]string{} // of each series, by UID
	var orphans []*header
	for _, h := range hs {
		if isOrphan(h) {
			orphans = append(orphans, h)
			continue
		}
		uid := h.meta.UID
		if uid == "" {
			uid = "folder " + path.Dir(h.name) // no UID: what lies together
		}
		key := uid + " " + h.study
		series[key] = append(series[key], h)
		if !slices.Contains(studies[uid], h.study) {
			studies[uid] = append(studies[uid], h.study)
		}
	}
	for uid, all := range studies {
		if hs := scattered(series, uid, all); hs != nil {
			for _, study := range all {
				delete(series, uid+" "+study)
			}
			series[uid] = hs
		}
	}
	var entries []Entry
	for _, key := range slices.Sorted(maps.Keys(series)) {
		formed := formSeries(series[key])
		switch first := series[key][0]; {
		case key == first.meta.UID:
			tellScattered(formed)
		case len(studies[first.meta.UID]) > 1:
			tellStudies(formed, first.study, studies[first.meta.UID])
		}
		entries = append(entries, formed...)
	}
	refuseBeside(entries, orphans)
	if len(entries) == 0 {
		entries = []Entry{damagedEntry(orphans, orphans[0].err)}
	}
	slices.SortStableFunc(entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(seriesNumber(a), seriesNumber(b)),
			cmp.Compare(a.UID, b.UID), cmp.Compare(b.Geometry.Voxels(), a.Geometry.Voxels()))
	})
	return entries
}

// scattered returns the slices of a series each of which says another study: some
// writers make a study for every file. It is nil where a study holds more than one,
// and of two, which may be of one patient at two times.
func scattered(series map[string][]*header, uid string, studies []string) []*header {
	if len(studies) < 3 {
		return nil
	}
	var out []*header
	for _, study := range studies {
		hs := series[uid+" "+study]
		for _, h := range hs[1:] {
			if copied := h.sopUID != "" && h.sopUID == hs[0].sopUID && h.name != hs[0].name; !copied {
				return nil
			}
		}
		out = append(out, hs...)
	}
	return out
}

// tellScattered reports a series that scattered found.
func tellScattered(entries []Entry) {
	for i := range entries {
		e := &entries[i]
		e.Findings = append(e.Findings, series.Finding{Severity: series.Warning, Kind: series.Study,
			Text: "Every slice says another study; they are taken for one series."})
	}
}

// tellStudies reports a series whose UID another study has as well.
func tellStudies(entries []Entry, study string, studies []string) {
	part := fmt.Sprintf("study %d of %d", slices.Index(slices.Sorted(slices.Values(studies)), study)+1, len(studies))
	for i := range entries {
		e := &entries[i]
		e.Part = strings.TrimSuffix(part+", "+e.Part, ", ")
		e.Findings = append(e.Findings, series.Finding{Severity: series.Warning, Kind: series.Study,
			Text: "Another study here has a series of the same UID; they are kept apart."})
	}
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

// damagedEntry stands for files of which one is broken.
func damagedEntry(hs []*header, err error) Entry {
	e := refusedEntry(hs, err)
	e.damaged = true
	return e
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

// formSeries makes the volumes of one series. Everything that is in none of
// them is named in the findings of all.
func formSeries(hs []*header) []Entry {
	slices.SortFunc(hs, byFile)
	if i := slices.IndexFunc(hs, func(h *header) bool { return h.err != nil }); i >= 0 {
		return []Entry{damagedEntry(hs, hs[i].err)}
	}
	var images, asides []*header
	for _, h := range hs {
		if h.aside != "" {
			asides = append(asides, h)
		} else {
			images = append(images, h)
		}
	}
	findings := tellAsides(asides)
	if len(images) == 0 {
		h := asides[0]
		e := refusedEntry(hs, fileError(h.name, "choose another series, or convert this one first", nil, "%s", h.aside))
		e.Findings = findings
		return []Entry{e}
	}
	images, copies, namesakes := dropCopies(images)
	findings = append(findings, tellCopies(copies, namesakes)...)
	groups := planes(images)
	if groups == nil {
		return []Entry{refusedEntry(hs, fileError(images[0].name, "choose another series", nil, "the %d images of its series lie in more than %d planes", len(images), maxPlanes))}
	}
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
func tellAsides(hs []*header) []series.Finding {
	byReason := map[string][]*header{}
	for _, h := range hs {
		byReason[h.aside] = append(byReason[h.aside], h)
	}
	var out []series.Finding
	for _, why := range slices.Sorted(maps.Keys(byReason)) {
		g := byReason[why]
		each := ""
		if len(g) > 1 {
			each = "each "
		}
		out = append(out, series.Finding{Severity: series.Refused, Kind: series.Excluded, Files: fileNames(g),
			Text: fmt.Sprintf("%s set aside, %sbecause %s.", count(len(g), "image is", "images are"), each, why)})
	}
	return out
}

// dropCopies keeps one file of each SOP Instance UID. Files that share one and are
// different images, as some writers make them, are kept as well: namesakes are those
// behind the first.
func dropCopies(hs []*header) (kept, copies, namesakes []*header) {
	type image struct {
		uid, series     string
		instance, frame int
		placed          bool
		position        volume.Vec
	}
	files := map[string]string{} // UID to the first file that has it
	holder := map[image]string{} // and the file that has just this image
	for _, h := range hs {
		i := image{h.sopUID, h.meta.Number, h.instance, h.frame, h.placed, h.position}
		name, seen := holder[i]
		switch first, known := files[h.sopUID]; {
		case h.sopUID == "":
		case seen && name != h.name:
			copies = append(copies, h)
			continue
		case !known:
			files[h.sopUID] = h.name
		case first != h.name:
			namesakes = append(namesakes, h)
		}
		holder[i] = h.name
		kept = append(kept, h)
	}
	return kept, copies, namesakes
}

// tellCopies reports what dropCopies found.
func tellCopies(copies, namesakes []*header) []series.Finding {
	var out []series.Finding
	if len(namesakes) > 0 {
		out = append(out, series.Finding{Severity: series.Warning, Kind: series.Identity,
			Text:  fmt.Sprintf("%s the SOP Instance UID of another image; all are used, but an archive keeps one of each.", count(len(onePerFile(namesakes)), "file has", "files have")),
			Files: fileNames(namesakes)})
	}
	if len(copies) > 0 {
		out = append(out, series.Finding{Severity: series.Refused, Kind: series.Duplicate,
			Text:  fmt.Sprintf("%s of others (same SOP Instance UID and position); one of each is used.", count(len(onePerFile(copies)), "file is a copy", "files are copies")),
			Files: fileNames(copies)})
	}
	return out
}

// formEntry makes an entry of a part whose positions are all different.
func formEntry(p part, findings []series.Finding) Entry {
	if p.slices[0].placed {
		var ordered []*header
		for _, s := range stacks(p.slices) {
			ordered = append(ordered, s...)
		}
		p.slices = ordered
	} else {
		slices.SortFunc(p.slices, byInstance)
	}
	middle := p.slices[len(p.slices)/2]
	e := Entry{Meta: middle.meta, Slices: len(p.slices), Bytes: fileBytes(p.slices), slices: p.slices, Findings: slices.Clone(findings)}
	if len(p.aside) > 0 {
		e.Findings = append(e.Findings, series.Finding{Severity: series.Refused, Kind: series.Duplicate,
			Text:  fmt.Sprintf("%s at a position that another already holds; the first by instance number is used.", count(len(p.aside), "slice lies", "slices lie")),
			Files: fileNames(p.aside)})
	}
	grid, more := formGrid(p.slices)
	e.Geometry, e.Findings = grid, append(e.Findings, more...)
	e.Irregular = irregularity(p.slices, grid, more)
	e.Findings = append(e.Findings, tellMixed(&p)...)
	e.Findings = append(e.Findings, tellMeaning(p.slices)...)
	if err := grid.Validate(); err != nil {
		e.damaged = true
		e.Err = fileError(p.slices[0].name, adviseCopy, err, "its geometry cannot be used (%s)", strings.TrimPrefix(err.Error(), "volume: "))
	}
	return e
}

// tellMixed reports slices of one volume that are not of one kind.
func tellMixed(p *part) []series.Finding {
	var out []series.Finding
	for i, s := range splitters {
		if !slices.Contains(lookDifferent, s.name) {
			continue
		}
		if groups := p.by(i); len(groups) > 1 {
			out = append(out, series.Finding{Severity: series.Warning, Kind: series.Mixed, Slicewise: true,
				Text: fmt.Sprintf("The slices differ in %s (%s). Filter slice by slice (2-D).", s.name, summary(distinct(slices.Sorted(maps.Keys(groups)))))})
		}
	}
	frames := map[string]bool{}
	for _, h := range p.slices {
		frames[h.frameUID] = true
	}
	if len(frames) > 1 && p.slices[0].placed {
		out = append(out, series.Finding{Severity: series.Warning, Kind: series.FrameOfReference,
			Text: fmt.Sprintf("The slices have %d frames of reference: their positions may not fit together, as where a patient moved between two scans.", len(frames))})
	}
	return out
}

// tellMeaning reports values that mean something else than what they are shown as.
func tellMeaning(hs []*header) []series.Finding {
	var out []series.Finding
	if slices.ContainsFunc(hs, func(h *header) bool { return h.tabled }) {
		out = append(out, series.Finding{Severity: series.Warning, Kind: series.ModalityLUT,
			Text: "The file translates its values by a table (Modality LUT), which is not applied: values are as stored."})
	}
	inverted := func(h *header) bool { return h.format.photometric == "MONOCHROME1" }
	upright := func(h *header) bool { return !inverted(h) }
	switch {
	case !slices.ContainsFunc(hs, inverted):
	case slices.ContainsFunc(hs, upright):
		out = append(out, series.Finding{Severity: series.Warning, Kind: series.Mixed, Slicewise: true,
			Text: "Low values are meant to be shown bright in some slices and dark in others (MONOCHROME1 and 2); values are kept as stored. Filter slice by slice (2-D)."})
	default:
		out = append(out, series.Finding{Severity: series.Note, Kind: series.Monochrome1,
			Text: "Low values are meant to be shown bright (MONOCHROME1); values are kept as stored."})
	}
	return out
}
