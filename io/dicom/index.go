package dicom

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"quell/series"
)

// The records of a media directory (PS3.3 F.3): each may name a file.
const (
	tagDirectoryRecordSequence tagID = 0x00041220
	tagReferencedFileID        tagID = 0x00041500
)

// listedIn returns the files that a media directory refers to, as paths from where
// it lies; nil where it is damaged or says nothing.
func listedIn(p *part10) []string {
	b, e, err := p.keptElement(tagDirectoryRecordSequence)
	if b == nil || err != nil {
		return nil
	}
	var out []string
	err = eachItem(b, e, p.syntax.encoding, func(record sequenceItem) error {
		for _, e := range record.elements {
			if e.tag == tagReferencedFileID && e.length != undefinedLength && e.length > 0 {
				parts := strings.Split(strings.TrimRight(string(b[e.value:e.end]), valuePadding), `\`)
				out = append(out, printable(path.Join(parts...)))
			}
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return out
}

// tellMissing reports the files that an index lists and that are not among names:
// no gap tells of a slice that is missing at the end of a series, or of a series
// that is missing altogether. An index of which nothing is here is of another place.
func tellMissing(index *header, names []string) []series.Finding {
	here := map[string]bool{}
	for _, name := range names {
		here[onMedium(name)] = true
		here[onMedium(strings.TrimSuffix(name, path.Ext(name)))] = true
	}
	// A folder that was copied from a medium has lost the first parts of the paths.
	found := func(name string) bool {
		for rest, ok := name, true; ok; _, rest, ok = strings.Cut(rest, "/") {
			if here[onMedium(path.Join(path.Dir(index.name), rest))] {
				return true
			}
		}
		return false
	}
	missing := slices.DeleteFunc(slices.Clone(index.listed), found)
	if len(missing) == 0 || len(missing) == len(index.listed) {
		return nil
	}
	slices.Sort(missing)
	return []series.Finding{{Severity: series.Warning, Kind: series.Missing,
		Text: fmt.Sprintf("The index %s lists %s, of which %d cannot be found here; look where the folder was copied from.",
			index.name, count(len(index.listed), "file", "files"), len(missing)),
		Files: missing[:min(len(missing), listedFiles)]}}
}

// onMedium returns a path as media spell it, who know one case only; copies from a
// CD may keep its version mark.
func onMedium(name string) string {
	name = strings.TrimSuffix(strings.ToUpper(name), ";1")
	return strings.TrimSuffix(name, ".")
}
