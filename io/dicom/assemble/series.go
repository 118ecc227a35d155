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
	"sync"

	"quell/internal/message"
	"quell/io/dicom/instance"
	"quell/io/dicom/part10"
	"quell/series"
	"quell/volume"
)

// Entries groups image files into series and these into volumes.
func Entries(images []*instance.Slice) []Entry {
	series := map[string][]*instance.Slice{}
	studies := map[string][]string{} // of each series, by UID
	var orphans []*instance.Slice
	for _, image := range images {
		if IsOrphan(image) {
			orphans = append(orphans, image)
			continue
		}
		uid := image.Meta.UID
		if uid == "" {
			uid = "folder " + path.Dir(image.Name) // without a UID, the files of one folder
		}
		key := uid + " " + image.StudyUID
		series[key] = append(series[key], image)
		if !slices.Contains(studies[uid], image.StudyUID) {
			studies[uid] = append(studies[uid], image.StudyUID)
		}
	}
	for uid, all := range studies {
		if joined := studyPerSlice(series, uid, all); joined != nil {
			for _, study := range all {
				delete(series, uid+" "+study)
			}
			series[uid] = joined
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

// studyPerSlice returns all slices of a series if every slice has a Study Instance UID
// of its own, as some writers give to every file. It returns nil if a study holds
// several of the slices, and for two studies, which may be one patient at two times.
func studyPerSlice(series map[string][]*instance.Slice, uid string, studies []string) []*instance.Slice {
	if len(studies) < 3 {
		return nil
	}
	var out []*instance.Slice
	for _, study := range studies {
		images := series[uid+" "+study]
		for _, image := range images[1:] {
			if copied := image.SOPUID != "" && image.SOPUID == images[0].SOPUID && image.Name != images[0].Name; !copied {
				return nil
			}
		}
		out = append(out, images...)
	}
	return out
}

// reportStudyPerSlice adds a finding to the entries of a series that studyPerSlice found.
func reportStudyPerSlice(entries []Entry) {
	for i := range entries {
		e := &entries[i]
		e.Findings = append(e.Findings, series.Finding{Severity: series.Warning, Kind: series.Study,
			Text: message.Text("Every slice has another Study Instance UID; they are read as one series.")})
	}
}

// reportStudies labels the entries of a series with a UID that exists in several
// studies, and adds a finding.
func reportStudies(entries []Entry, study string, studies []string) {
	part := fmt.Sprintf("study %d of %d", slices.Index(slices.Sorted(slices.Values(studies)), study)+1, len(studies))
	for i := range entries {
		e := &entries[i]
		e.Part = strings.TrimSuffix(part+", "+e.Part, ", ")
		e.Findings = append(e.Findings, series.Finding{Severity: series.Warning, Kind: series.Study,
			Text: message.Text("Another study has a series with the same UID; they are listed separately.")})
	}
}

func seriesNumber(e Entry) int {
	n, err := strconv.Atoi(e.Number)
	if err != nil {
		return math.MaxInt
	}
	return n
}

// onePerFile returns the first slice of each file.
func onePerFile(images []*instance.Slice) []*instance.Slice {
	seen := map[string]bool{}
	var out []*instance.Slice
	for _, image := range images {
		if !seen[image.Name] {
			seen[image.Name] = true
			out = append(out, image)
		}
	}
	return out
}

// fileBytes returns the total size of the files of slices.
func fileBytes(images []*instance.Slice) (n int64) {
	for _, image := range onePerFile(images) {
		n += image.Size
	}
	return n
}

// formSeries forms the volumes of one series. Images that are in none of them are
// named in the findings of all.
func formSeries(all []*instance.Slice) []Entry {
	slices.SortFunc(all, ByFile)
	if i := slices.IndexFunc(all, func(image *instance.Slice) bool { return image.Err != nil }); i >= 0 {
		return []Entry{damagedEntry(all, all[i].Err)}
	}
	var images, excluded []*instance.Slice
	for _, image := range all {
		if !image.Excluded.IsZero() {
			excluded = append(excluded, image)
		} else {
			images = append(images, image)
		}
	}
	findings := reportExcluded(excluded)
	if len(images) == 0 {
		first := excluded[0]
		advice := message.Text("choose another series, or convert this one first")
		if first.Format.Samples > 1 {
			advice = message.Text("choose another series, or convert this one to grey scale first")
		}
		e := refusedEntry(all, part10.FileError(first.Excluded.Kind(), first.Name, advice, nil, "%s", first.Excluded))
		e.Findings = findings
		return []Entry{e}
	}
	images, copies, sharedUID := dropDuplicates(images)
	findings = append(findings, reportDuplicates(copies, sharedUID)...)
	groups := planes(images)
	if groups == nil {
		return []Entry{refusedEntry(all, part10.FileError(message.InputTooLarge, images[0].Name, message.Text("choose another series"), nil, "the %d images of its series lie in more than %d planes", len(images), maxPlanes))}
	}
	if len(groups) == 1 {
		groups[0].label = ""
	}
	var parts []candidate
	for _, p := range groups {
		p.plane = p.label
		all := p.slices
		p.count = sync.OnceValue(func() count { return countVolumes(all) })
		parts = append(parts, splitVolumes(p)...)
	}
	placeOnAxes(parts)
	separateIsotropic(parts)
	sortByAcquisition(parts)
	entries := make([]Entry, len(parts))
	for i, p := range parts {
		entries[i] = formEntry(p, findings)
		if len(parts) > 1 {
			entries[i].Part = p.label
		}
	}
	formGroups(entries, parts)
	reportRelated(entries)
	return entries
}

// ByFile orders slices by file name, then frame.
func ByFile(a, b *instance.Slice) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Frame, b.Frame))
}

// reportExcluded reports images that no volume can hold, one finding per reason.
func reportExcluded(images []*instance.Slice) []series.Finding {
	byReason := map[string][]*instance.Slice{}
	for _, image := range images {
		byReason[image.Excluded.String()] = append(byReason[image.Excluded.String()], image)
	}
	var out []series.Finding
	for _, why := range slices.Sorted(maps.Keys(byReason)) {
		g := byReason[why]
		var each message.Message
		if len(g) > 1 {
			each = message.Text("%s ", message.Text("each"))
		}
		out = append(out, series.Finding{Severity: series.Refused, Kind: series.Excluded, Files: FileNames(g),
			Text: message.Text("%s excluded, %sbecause %s.", message.Count(len(g), "image is", "images are"), each, g[0].Excluded)})
	}
	return out
}

// dropDuplicates removes copies: files with the SOP Instance UID, number and place of
// another. Files that share a UID but are different images, as some writers make them,
// are kept; sharedUID lists them without the first of each UID.
func dropDuplicates(images []*instance.Slice) (kept, copies, sharedUID []*instance.Slice) {
	type identity struct {
		uid, series     string
		instance, frame int
		placed          bool
		position        volume.Vec
	}
	files := map[string]string{}    // UID to the first file with it
	holder := map[identity]string{} // identity to the file that holds it
	for _, image := range images {
		id := identity{image.SOPUID, image.Meta.Number, image.Number, image.Frame, image.Placed, image.Position}
		name, seen := holder[id]
		switch first, known := files[image.SOPUID]; {
		case image.SOPUID == "":
		case seen && name != image.Name:
			copies = append(copies, image)
			continue
		case !known:
			files[image.SOPUID] = image.Name
		case first != image.Name:
			sharedUID = append(sharedUID, image)
		}
		holder[id] = image.Name
		kept = append(kept, image)
	}
	return kept, copies, sharedUID
}

// reportDuplicates reports what dropDuplicates found.
func reportDuplicates(copies, sharedUID []*instance.Slice) []series.Finding {
	var out []series.Finding
	if len(sharedUID) > 0 {
		out = append(out, series.Finding{Severity: series.Warning, Kind: series.Identity,
			Text:  message.Text("%s the SOP Instance UID of another image; all are used, but an archive keeps one of each.", message.Count(len(onePerFile(sharedUID)), "file has", "files have")),
			Files: FileNames(sharedUID)})
	}
	if len(copies) > 0 {
		out = append(out, series.Finding{Severity: series.Refused, Kind: series.Duplicate,
			Text:  message.Text("%s SOP Instance UID, instance number and position of another; one of each is used.", message.Count(len(onePerFile(copies)), "file has the", "files have the")),
			Files: FileNames(copies)})
	}
	return out
}

// IsOrphan reports whether a slice is of a broken file of an unknown series.
func IsOrphan(image *instance.Slice) bool { return image.Err != nil && image.Meta.UID == "" }

// refuseBeside marks entries as damaged if an orphan in one of their folders has their
// SOP class or an unknown one: the unreadable slice may be one of theirs.
func refuseBeside(entries []Entry, orphans []*instance.Slice) {
	type place struct{ dir, sopClass string }
	lost := map[place]*instance.Slice{} // the first of each
	for _, o := range slices.Backward(orphans) {
		lost[place{path.Dir(o.Name), o.SOPClass}] = o
	}
	for i := range entries {
		e := &entries[i]
		for _, image := range e.Stack {
			dir := path.Dir(image.Name)
			if o := cmp.Or(lost[place{dir, image.SOPClass}], lost[place{dir, ""}]); o != nil && e.Err == nil {
				e.Err, e.Damaged = o.Err, true
			}
		}
	}
}

// ListedFiles is the largest number of files that a finding names.
const ListedFiles = 20

// FileNames returns the files of slices, each once, at most ListedFiles of them.
func FileNames(images []*instance.Slice) []string {
	var out []string
	for _, image := range onePerFile(images) {
		if len(out) < ListedFiles {
			out = append(out, image.Name)
		}
	}
	return out
}
