package dicom

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"quell/io/dicom/assemble"
	"quell/io/dicom/instance"
	"quell/io/dicom/part10"
	"quell/series"
)

// tellMissing reports the files that an index lists and that are not among names:
// no gap tells of a slice that is missing at the end of a series, or of a series
// that is missing altogether. An index of which nothing is here is of another place.
func tellMissing(index *instance.Slice, names []string) []series.Finding {
	here := map[string]bool{}
	for _, name := range names {
		here[onMedium(name)] = true
		here[onMedium(strings.TrimSuffix(name, path.Ext(name)))] = true
	}
	// A folder that was copied from a medium has lost the first parts of the paths.
	found := func(name string) bool {
		for rest, ok := name, true; ok; _, rest, ok = strings.Cut(rest, "/") {
			if here[onMedium(path.Join(path.Dir(index.Name), rest))] {
				return true
			}
		}
		return false
	}
	missing := slices.DeleteFunc(slices.Clone(index.ReferencedFiles), found)
	if len(missing) == 0 || len(missing) == len(index.ReferencedFiles) {
		return nil
	}
	slices.Sort(missing)
	return []series.Finding{{Severity: series.Warning, Kind: series.Missing,
		Text: fmt.Sprintf("The index %s lists %s, of which %d cannot be found here; look where the folder was copied from.",
			index.Name, part10.Count(len(index.ReferencedFiles), "file", "files"), len(missing)),
		Files: missing[:min(len(missing), assemble.ListedFiles)]}}
}

// onMedium returns a path as media spell it, who know one case only; copies from a
// CD may keep its version mark.
func onMedium(name string) string {
	name = strings.TrimSuffix(strings.ToUpper(name), ";1")
	return strings.TrimSuffix(name, ".")
}
