package dicom

import (
	"path"
	"slices"
	"strings"

	"quell/internal/message"
	"quell/io/dicom/assemble"
	"quell/io/dicom/instance"
	"quell/series"
)

// findMissing reports the files that an index lists and that are not among names: a
// missing slice at the end of a series leaves no gap, and neither does a missing
// series. An index without any of its files here belongs to another folder.
func findMissing(index *instance.Instance, names []string) []series.Finding {
	here := map[string]bool{}
	for _, name := range names {
		here[onMedium(name)] = true
		here[onMedium(strings.TrimSuffix(name, path.Ext(name)))] = true
	}
	// The paths of a folder copied from a medium have lost their first parts.
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
		Text: message.Text("The index %s lists %s, of which %d cannot be found here; look where the folder was copied from.",
			index.Name, message.Count(len(index.ReferencedFiles), "file", "files"), len(missing)),
		Files: missing[:min(len(missing), assemble.ListedFiles)]}}
}

// onMedium returns a path as it is spelled on media, which have upper case only. Copies
// from a CD may keep its version suffix.
func onMedium(name string) string {
	name = strings.TrimSuffix(strings.ToUpper(name), ";1")
	return strings.TrimSuffix(name, ".")
}
