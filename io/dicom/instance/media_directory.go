package instance

import (
	"path"
	"strings"

	"quell/io/dicom/part10"
)

// referencedFiles returns the files that the records of a media directory (PS3.3 F.3)
// refer to, as paths from its folder; nil if it is damaged or lists none.
func referencedFiles(p *part10.File) []string {
	b, e, err := p.KeptElement(part10.TagDirectoryRecordSequence)
	if b == nil || err != nil {
		return nil
	}
	var out []string
	err = part10.EachItem(b, e, p.Syntax.Encoding, func(record part10.SequenceItem) error {
		for _, e := range record.Elements {
			if e.Tag == part10.TagReferencedFileID && e.Length != part10.UndefinedLength && e.Length > 0 {
				parts := strings.Split(strings.TrimRight(string(b[e.Value:e.End]), part10.ValuePadding), `\`)
				out = append(out, part10.Printable(path.Join(parts...)))
			}
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return out
}
