package dicomtest

import (
	"bytes"
	"strings"
	"testing"

	"quell/io/dicom/part10"
)

// ContentItem is an item of the content of a structured report.
type ContentItem struct {
	Relation, Kind, Name string // Name is the meaning of its concept
	// Value is a text, UID or number, the value of a code, or the instance UID of an image; Unit the code of a unit.
	Value, Unit string
	Qualifier   string // code of a number without a value
	Template    string
	In          []ContentItem
}

// All returns the items of that name in an item, at any depth.
func (c ContentItem) All(name string) (all []ContentItem) {
	for _, i := range c.In {
		if i.Name == name {
			all = append(all, i)
		}
		all = append(all, i.All(name)...)
	}
	return all
}

// Only returns the only item of that name in an item.
func (c ContentItem) Only(t *testing.T, name string) ContentItem {
	t.Helper()
	all := c.All(name)
	if len(all) != 1 {
		t.Fatalf("%d items %q in %q", len(all), name, c.Name)
	}
	return all[0]
}

// Content returns the tree of a structured report.
func Content(t *testing.T, file []byte) ContentItem {
	t.Helper()
	p, err := Tokens(file)
	if err != nil {
		t.Fatal(err)
	}
	return contentItem(t, file, p.Elements)
}

func contentItem(t *testing.T, file []byte, elements []part10.Element) (c ContentItem) {
	t.Helper()
	each := func(e part10.Element, do func(of []part10.Element)) {
		if err := part10.EachItem(file, e, part10.ExplicitLE, func(i part10.SequenceItem) error { do(i.Elements); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	text := func(of []part10.Element, tag part10.Tag) string {
		for _, e := range of {
			if e.Tag == tag {
				return string(bytes.TrimRight(file[e.Value:e.End], part10.ValuePadding))
			}
		}
		return ""
	}
	c.Relation, c.Kind = text(elements, part10.TagRelationshipType), text(elements, part10.TagValueType)
	c.Value = text(elements, part10.TagTextValue) + text(elements, part10.TagUID)
	for _, e := range elements {
		switch e.Tag {
		case part10.TagConceptNameCodeSequence:
			each(e, func(of []part10.Element) { c.Name = text(of, part10.TagCodeMeaning) })
		case part10.TagConceptCodeSequence:
			each(e, func(of []part10.Element) { c.Value = text(of, part10.TagCodeValue) })
		case part10.TagNumericValueQualifierCodeSequence:
			each(e, func(of []part10.Element) { c.Qualifier = text(of, part10.TagCodeValue) })
		case part10.TagReferencedSOPSequence:
			each(e, func(of []part10.Element) { c.Value = text(of, part10.TagReferencedSOPInstanceUID) })
		case part10.TagContentTemplateSequence:
			each(e, func(of []part10.Element) { c.Template = text(of, part10.TagTemplateIdentifier) })
		case part10.TagMeasuredValueSequence:
			each(e, func(of []part10.Element) {
				c.Value = strings.TrimSpace(text(of, part10.TagNumericValue))
				for _, u := range of {
					if u.Tag == part10.TagMeasurementUnitsCodeSequence {
						each(u, func(of []part10.Element) { c.Unit = text(of, part10.TagCodeValue) })
					}
				}
			})
		case part10.TagContentSequence:
			each(e, func(of []part10.Element) {
				c.In = append(c.In, contentItem(t, file, append([]part10.Element(nil), of...)))
			})
		}
	}
	return c
}
