package assemble

import (
	"path"
	"slices"

	"quell/internal/message"
	"quell/io/dicom/instance"
	"quell/series"
)

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
