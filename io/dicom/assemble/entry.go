package assemble

import (
	"maps"
	"path"
	"slices"

	"quell/internal/message"
	"quell/io/dicom/instance"
	"quell/io/dicom/part10"
	"quell/io/format"
	"quell/series"
)

// Entry is one volume of a catalog: a series, or the part of one that fits one
// regular grid. Its Volume is not set.
type Entry struct {
	format.Entry
	// Irregular is the largest distance in mm of a slice from its place on the grid,
	// as in series.Series.
	Irregular float64
	Stack     []*instance.Slice // in order along the slice normal
}

// refusedEntry returns the entry of slices that cannot form a volume.
func refusedEntry(images []*instance.Slice, err error) Entry {
	return Entry{Entry: format.Entry{Meta: images[0].Meta, Slices: len(images), Bytes: fileBytes(images), Err: err}}
}

// damagedEntry returns the entry of slices if one is in a broken file.
func damagedEntry(images []*instance.Slice, err error) Entry {
	e := refusedEntry(images, err)
	e.Damaged = true
	return e
}

// formEntry makes the entry of a candidate with positions that are all different, or the
// refused one of a candidate with volumes that cannot be told apart.
func formEntry(p candidate, findings []series.Finding) Entry {
	if multiple := multiplicity(p.slices); p.slices[0].Placed && multiple > 1 {
		e := refusedEntry(p.slices, part10.FileError(message.InputDamaged, p.slices[0].Name, message.Text("find the missing files, or copy the series again"), nil,
			"the %d images of its volume have %d positions with up to %d images each, and neither labels, instance numbers nor times say which image belongs to which volume", len(p.slices), len(positionsOf(p.slices)), multiple))
		e.Findings, e.Stack = slices.Clone(findings), p.slices
		return e
	}
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
	e := Entry{Entry: format.Entry{Meta: middle.Meta, Slices: len(p.slices), Bytes: fileBytes(p.slices), Findings: slices.Clone(findings)}, Stack: p.slices}
	if len(p.excluded) > 0 {
		e.LeftOut = append(e.LeftOut, series.LeftOut{Files: FileNames(p.excluded), Text: message.Text("%s at a position that is taken", message.Count(len(p.excluded), "slice", "slices"))})
		e.Findings = append(e.Findings, series.Finding{Severity: series.Refused, Kind: series.Duplicate,
			Text:  message.Text("%s at the position of another and excluded; the first by instance number is used.", message.Count(len(p.excluded), "slice lies", "slices lie")),
			Files: FileNames(p.excluded)})
	}
	grid, more := formGrid(p.slices)
	e.Geometry, e.Findings = grid, append(e.Findings, more...)
	e.Irregular = irregularity(p.slices, grid, more)
	if e.Filtered = middle.Filtered(); e.Filtered != "" {
		e.Findings = append(e.Findings, series.Finding{Severity: series.Note, Kind: series.Filtered, Text: message.Text("Filtered already: %s.", e.Filtered)})
	}
	e.Findings = append(e.Findings, findMixed(&p)...)
	e.Findings = append(e.Findings, findValueMeaning(p.slices)...)
	if err := grid.Validate(); err != nil {
		e.Damaged = true
		e.Err = part10.FileError(message.InputDamaged, p.slices[0].Name, part10.AdviseExport, err, "its geometry cannot be used (%s)", err)
	}
	return e
}

// looksDifferent are the attributes that change how an image looks. Slices that differ in
// them follow each other in a volume; a filter across them is advised against. The other
// attributes of parts are noted.
var looksDifferent = []string{"component", "kernel", "tube voltage"}

// findMixed reports slices of one volume that differ in more than their place.
func findMixed(p *candidate) []series.Finding {
	var out []series.Finding
	for i, d := range instance.Distinctions {
		looks := slices.Contains(looksDifferent, d.Name)
		if !looks && d.Name != "image type" && d.Name != "slice thickness" {
			continue
		}
		groups := p.by(i)
		if len(groups) < 2 {
			continue
		}
		values := message.Some(", ", message.Names(distinct(slices.Sorted(maps.Keys(groups))))...)
		f := series.Finding{Severity: series.Note, Kind: series.Mixed, Text: message.Text("The slices differ in %s (%s).", message.Word(d.Name), values)}
		if looks {
			f = series.Finding{Severity: series.Warning, Kind: series.Mixed, Slicewise: true,
				Text: message.Text("The slices differ in %s (%s). Filter slice by slice (2-D).", message.Word(d.Name), values)}
		}
		out = append(out, f)
	}
	frames := map[string]bool{}
	for _, image := range p.slices {
		frames[image.FrameOfReferenceUID] = true
	}
	if len(frames) > 1 && p.slices[0].Placed {
		out = append(out, series.Finding{Severity: series.Warning, Kind: series.FrameOfReference,
			Text: message.Text("The slices have %d frames of reference: their positions may not fit together, for example because the patient moved between two scans.", len(frames))})
	}
	return out
}

// findValueMeaning reports values that are not what they seem: stored values that need
// a lookup table, or that are meant to be shown inverted.
func findValueMeaning(images []*instance.Slice) []series.Finding {
	var out []series.Finding
	if slices.ContainsFunc(images, func(image *instance.Slice) bool { return image.HasModalityLUT }) {
		out = append(out, series.Finding{Severity: series.Warning, Kind: series.ModalityLUT,
			Text: message.Text("The file has a lookup table for its values (Modality LUT), which is not applied: values are as stored.")})
	}
	inverted := func(image *instance.Slice) bool { return image.Format.Photometric == "MONOCHROME1" }
	upright := func(image *instance.Slice) bool { return !inverted(image) }
	switch {
	case !slices.ContainsFunc(images, inverted):
	case slices.ContainsFunc(images, upright):
		out = append(out, series.Finding{Severity: series.Warning, Kind: series.Mixed, Slicewise: true,
			Text: message.Text("Low values are meant to be shown bright in some slices and dark in others (MONOCHROME1 and 2); values are kept as stored. Filter slice by slice (2-D).")})
	default:
		out = append(out, series.Finding{Severity: series.Note, Kind: series.Monochrome1,
			Text: message.Text("Low values are meant to be shown bright (MONOCHROME1); values are kept as stored.")})
	}
	return out
}

// WithoutDamaged forms the volumes of all slices except the slices of broken files, with a
// finding about these: if a slice is missing inside a volume, its gap is found like any other.
// It returns nil if no file is broken or nothing is left.
func WithoutDamaged(images []*instance.Slice) []Entry {
	var broken, sound []*instance.Slice
	for _, image := range images {
		if image.Err != nil {
			broken = append(broken, image)
		} else {
			sound = append(sound, image)
		}
	}
	if len(broken) == 0 || len(sound) == 0 {
		return nil
	}
	entries := Entries(sound)
	for i := range entries {
		e := &entries[i]
		var lost []*instance.Slice
		for _, b := range broken {
			if slices.ContainsFunc(e.Stack, func(s *instance.Slice) bool { return mayMiss(s, b) }) {
				lost = append(lost, b)
			}
		}
		if len(lost) > 0 {
			e.LeftOut = append(e.LeftOut, series.LeftOut{Files: FileNames(lost), Text: message.Text("%s", message.Count(len(onePerFile(lost)), "damaged file", "damaged files"))})
			e.Findings = append([]series.Finding{{Severity: series.Refused, Kind: series.Damaged, Files: FileNames(lost),
				Text: message.Text("%s damaged and left out; slices are missing.", message.Count(len(onePerFile(lost)), "file is", "files are"))}}, e.Findings...)
		}
	}
	return entries
}

// mayMiss says whether the volume of a sound slice may miss a broken one: it is of the same series,
// or its series is not known and it lies next to it.
func mayMiss(sound, broken *instance.Slice) bool {
	if !IsOrphan(broken) {
		return sound.Meta.UID == broken.Meta.UID
	}
	return path.Dir(sound.Name) == path.Dir(broken.Name) && (broken.SOPClass == "" || broken.SOPClass == sound.SOPClass)
}
