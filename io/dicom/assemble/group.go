package assemble

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"quell/io/dicom/instance"
	"quell/io/dicom/part10"
	"quell/series"
	"quell/volume"
)

// Entries groups image files into series and these into volumes.
func Entries(hs []*instance.Slice) []Entry {
	series := map[string][]*instance.Slice{}
	studies := map[string][]string{} // of each series, by UID
	var orphans []*instance.Slice
	for _, h := range hs {
		if IsOrphan(h) {
			orphans = append(orphans, h)
			continue
		}
		uid := h.Meta.UID
		if uid == "" {
			uid = "folder " + path.Dir(h.Name) // no UID: what lies together
		}
		key := uid + " " + h.StudyUID
		series[key] = append(series[key], h)
		if !slices.Contains(studies[uid], h.StudyUID) {
			studies[uid] = append(studies[uid], h.StudyUID)
		}
	}
	for uid, all := range studies {
		if hs := studyPerSlice(series, uid, all); hs != nil {
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
		case key == first.Meta.UID:
			reportStudyPerSlice(formed)
		case len(studies[first.Meta.UID]) > 1:
			reportStudies(formed, first.StudyUID, studies[first.Meta.UID])
		}
		entries = append(entries, formed...)
	}
	refuseBeside(entries, orphans)
	if len(entries) == 0 {
		entries = []Entry{damagedEntry(orphans, orphans[0].Err)}
	}
	slices.SortStableFunc(entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(seriesNumber(a), seriesNumber(b)),
			cmp.Compare(a.UID, b.UID), cmp.Compare(b.Geometry.Voxels(), a.Geometry.Voxels()))
	})
	return entries
}

// studyPerSlice returns the slices of a series each of which says another study: some
// writers make a study for every file. It is nil where a study holds more than one,
// and of two, which may be of one patient at two times.
func studyPerSlice(series map[string][]*instance.Slice, uid string, studies []string) []*instance.Slice {
	if len(studies) < 3 {
		return nil
	}
	var out []*instance.Slice
	for _, study := range studies {
		hs := series[uid+" "+study]
		for _, h := range hs[1:] {
			if copied := h.SOPUID != "" && h.SOPUID == hs[0].SOPUID && h.Name != hs[0].Name; !copied {
				return nil
			}
		}
		out = append(out, hs...)
	}
	return out
}

// reportStudyPerSlice reports a series that scattered found.
func reportStudyPerSlice(entries []Entry) {
	for i := range entries {
		e := &entries[i]
		e.Findings = append(e.Findings, series.Finding{Severity: series.Warning, Kind: series.Study,
			Text: "Every slice says another study; they are taken for one series."})
	}
}

// reportStudies reports a series whose UID another study has as well.
func reportStudies(entries []Entry, study string, studies []string) {
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
func refusedEntry(hs []*instance.Slice, err error) Entry {
	return Entry{Meta: hs[0].Meta, Slices: len(hs), Bytes: fileBytes(hs), Err: err}
}

// damagedEntry stands for files of which one is broken.
func damagedEntry(hs []*instance.Slice, err error) Entry {
	e := refusedEntry(hs, err)
	e.Damaged = true
	return e
}

// onePerFile returns the first slice of each file.
func onePerFile(hs []*instance.Slice) []*instance.Slice {
	seen := map[string]bool{}
	var out []*instance.Slice
	for _, h := range hs {
		if !seen[h.Name] {
			seen[h.Name] = true
			out = append(out, h)
		}
	}
	return out
}

// fileBytes returns the size of the files that slices lie in.
func fileBytes(hs []*instance.Slice) (n int64) {
	for _, h := range onePerFile(hs) {
		n += h.Size
	}
	return n
}

// formSeries makes the volumes of one series. Everything that is in none of
// them is named in the findings of all.
func formSeries(hs []*instance.Slice) []Entry {
	slices.SortFunc(hs, ByFile)
	if i := slices.IndexFunc(hs, func(h *instance.Slice) bool { return h.Err != nil }); i >= 0 {
		return []Entry{damagedEntry(hs, hs[i].Err)}
	}
	var images, asides []*instance.Slice
	for _, h := range hs {
		if h.Excluded != "" {
			asides = append(asides, h)
		} else {
			images = append(images, h)
		}
	}
	findings := reportExcluded(asides)
	if len(images) == 0 {
		h := asides[0]
		advice := "choose another series, or convert this one first"
		if h.Format.Samples > 1 {
			advice = "choose another series, or convert this one to grey scale first"
		}
		e := refusedEntry(hs, part10.FileError(h.Name, advice, nil, "%s", h.Excluded))
		e.Findings = findings
		return []Entry{e}
	}
	images, copies, namesakes := dropDuplicates(images)
	findings = append(findings, reportDuplicates(copies, namesakes)...)
	groups := planes(images)
	if groups == nil {
		return []Entry{refusedEntry(hs, part10.FileError(images[0].Name, "choose another series", nil, "the %d images of its series lie in more than %d planes", len(images), maxPlanes))}
	}
	if len(groups) == 1 {
		groups[0].label = ""
	}
	var parts []candidate
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
	reportRelated(entries)
	return entries
}

// ByFile orders slices as they lie in their files.
func ByFile(a, b *instance.Slice) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Frame, b.Frame))
}

// reportExcluded reports images that no volume can hold, by reason.
func reportExcluded(hs []*instance.Slice) []series.Finding {
	byReason := map[string][]*instance.Slice{}
	for _, h := range hs {
		byReason[h.Excluded] = append(byReason[h.Excluded], h)
	}
	var out []series.Finding
	for _, why := range slices.Sorted(maps.Keys(byReason)) {
		g := byReason[why]
		each := ""
		if len(g) > 1 {
			each = "each "
		}
		out = append(out, series.Finding{Severity: series.Refused, Kind: series.Excluded, Files: FileNames(g),
			Text: fmt.Sprintf("%s excluded, %sbecause %s.", part10.Count(len(g), "image is", "images are"), each, why)})
	}
	return out
}

// dropDuplicates keeps one file of each SOP Instance UID. Files that share one and are
// different images, as some writers make them, are kept as well: namesakes are those
// behind the first.
func dropDuplicates(hs []*instance.Slice) (kept, copies, namesakes []*instance.Slice) {
	type image struct {
		uid, series     string
		instance, frame int
		placed          bool
		position        volume.Vec
	}
	files := map[string]string{} // UID to the first file that has it
	holder := map[image]string{} // and the file that has just this image
	for _, h := range hs {
		i := image{h.SOPUID, h.Meta.Number, h.Number, h.Frame, h.Placed, h.Position}
		name, seen := holder[i]
		switch first, known := files[h.SOPUID]; {
		case h.SOPUID == "":
		case seen && name != h.Name:
			copies = append(copies, h)
			continue
		case !known:
			files[h.SOPUID] = h.Name
		case first != h.Name:
			namesakes = append(namesakes, h)
		}
		holder[i] = h.Name
		kept = append(kept, h)
	}
	return kept, copies, namesakes
}

// reportDuplicates reports what dropCopies found.
func reportDuplicates(copies, namesakes []*instance.Slice) []series.Finding {
	var out []series.Finding
	if len(namesakes) > 0 {
		out = append(out, series.Finding{Severity: series.Warning, Kind: series.Identity,
			Text:  fmt.Sprintf("%s the SOP Instance UID of another image; all are used, but an archive keeps one of each.", part10.Count(len(onePerFile(namesakes)), "file has", "files have")),
			Files: FileNames(namesakes)})
	}
	if len(copies) > 0 {
		out = append(out, series.Finding{Severity: series.Refused, Kind: series.Duplicate,
			Text:  fmt.Sprintf("%s of others (same SOP Instance UID and position); one of each is used.", part10.Count(len(onePerFile(copies)), "file is a copy", "files are copies")),
			Files: FileNames(copies)})
	}
	return out
}

// formEntry makes an entry of a part whose positions are all different.
func formEntry(p candidate, findings []series.Finding) Entry {
	if p.slices[0].Placed {
		var ordered []*instance.Slice
		for _, s := range positionsOf(p.slices) {
			ordered = append(ordered, s...)
		}
		p.slices = ordered
	} else {
		slices.SortFunc(p.slices, byInstance)
	}
	middle := p.slices[len(p.slices)/2]
	e := Entry{Meta: middle.Meta, Slices: len(p.slices), Bytes: fileBytes(p.slices), Stack: p.slices, Findings: slices.Clone(findings)}
	if len(p.excluded) > 0 {
		e.Findings = append(e.Findings, series.Finding{Severity: series.Refused, Kind: series.Duplicate,
			Text:  fmt.Sprintf("%s at a position that another already holds; the first by instance number is used.", part10.Count(len(p.excluded), "slice lies", "slices lie")),
			Files: FileNames(p.excluded)})
	}
	grid, more := formGrid(p.slices)
	e.Geometry, e.Findings = grid, append(e.Findings, more...)
	e.Irregular = irregularity(p.slices, grid, more)
	e.Findings = append(e.Findings, findMixed(&p)...)
	e.Findings = append(e.Findings, findValueMeaning(p.slices)...)
	if err := grid.Validate(); err != nil {
		e.Damaged = true
		e.Err = part10.FileError(p.slices[0].Name, part10.AdviseExport, err, "its geometry cannot be used (%s)", strings.TrimPrefix(err.Error(), "volume: "))
	}
	return e
}

// findMixed reports slices of one volume that are not of one kind.
func findMixed(p *candidate) []series.Finding {
	var out []series.Finding
	for i, s := range instance.Distinctions {
		if !slices.Contains(lookDifferent, s.Name) {
			continue
		}
		if groups := p.by(i); len(groups) > 1 {
			out = append(out, series.Finding{Severity: series.Warning, Kind: series.Mixed, Slicewise: true,
				Text: fmt.Sprintf("The slices differ in %s (%s). Filter slice by slice (2-D).", s.Name, part10.Summary(distinct(slices.Sorted(maps.Keys(groups)))))})
		}
	}
	frames := map[string]bool{}
	for _, h := range p.slices {
		frames[h.FrameOfReferenceUID] = true
	}
	if len(frames) > 1 && p.slices[0].Placed {
		out = append(out, series.Finding{Severity: series.Warning, Kind: series.FrameOfReference,
			Text: fmt.Sprintf("The slices have %d frames of reference: their positions may not fit together, as where a patient moved between two scans.", len(frames))})
	}
	return out
}

// findValueMeaning reports values that mean something else than what they are shown as.
func findValueMeaning(hs []*instance.Slice) []series.Finding {
	var out []series.Finding
	if slices.ContainsFunc(hs, func(h *instance.Slice) bool { return h.HasModalityLUT }) {
		out = append(out, series.Finding{Severity: series.Warning, Kind: series.ModalityLUT,
			Text: "The file translates its values by a table (Modality LUT), which is not applied: values are as stored."})
	}
	inverted := func(h *instance.Slice) bool { return h.Format.Photometric == "MONOCHROME1" }
	upright := func(h *instance.Slice) bool { return !inverted(h) }
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

// IsOrphan says whether a broken file does not tell its series.
func IsOrphan(h *instance.Slice) bool { return h.Err != nil && h.Meta.UID == "" }

// refuseBeside refuses the entries with files in the folder of an orphan that is of
// their class, or tells none: the slice that was lost may be theirs.
func refuseBeside(entries []Entry, orphans []*instance.Slice) {
	type place struct{ dir, sopClass string }
	lost := map[place]*instance.Slice{} // the first of each
	for _, o := range slices.Backward(orphans) {
		lost[place{path.Dir(o.Name), o.SOPClass}] = o
	}
	for i := range entries {
		e := &entries[i]
		for _, h := range e.Stack {
			dir := path.Dir(h.Name)
			if o := cmp.Or(lost[place{dir, h.SOPClass}], lost[place{dir, ""}]); o != nil && e.Err == nil {
				e.Err, e.Damaged = o.Err, true
			}
		}
	}
}

// ListedFiles is how many names a finding about many files carries.
const ListedFiles = 20

// FileNames lists the files of slices, each once and not too many.
func FileNames(hs []*instance.Slice) []string {
	var out []string
	for _, h := range onePerFile(hs) {
		if len(out) < ListedFiles {
			out = append(out, h.Name)
		}
	}
	return out
}
