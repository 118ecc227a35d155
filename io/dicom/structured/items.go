package structured

import (
	"strings"

	"quell/io/dicom/object"
	"quell/io/dicom/part10"
)

// relation is how a content item relates to the one that it is in.
type relation string

const (
	contains   relation = "CONTAINS"
	observed   relation = "HAS OBS CONTEXT"
	modifies   relation = "HAS CONCEPT MOD"
	acquired   relation = "HAS ACQ CONTEXT"
	properties relation = "HAS PROPERTIES"
)

// plain writes what the texts of Quell have beyond ASCII.
var plain = strings.NewReplacer("×", "x", "σ", "sigma", "–", "-", "±", "+-", "→", "->")

// item begins a content item with the items in it.
func item(r relation, kind string, name part10.Code, in ...[]byte) (e object.Elements) {
	if r != "" { // of all but the top
		e.Text(part10.TagRelationshipType, string(r))
	}
	e.Text(part10.TagValueType, kind)
	if name != (part10.Code{}) {
		e.Code(part10.TagConceptNameCodeSequence, name)
	}
	if len(in) > 0 {
		e.Sequence(part10.TagContentSequence, in...)
	}
	return e
}

func code(r relation, name, value part10.Code, in ...[]byte) []byte {
	e := item(r, "CODE", name, in...)
	e.Code(part10.TagConceptCodeSequence, value)
	return e.Item()
}

func text(r relation, name part10.Code, value string) []byte {
	e := item(r, "TEXT", name)
	e.Text(part10.TagTextValue, part10.ASCII(plain.Replace(value)))
	return e.Item()
}

func uid(r relation, name part10.Code, value string) []byte {
	e := item(r, "UIDREF", name)
	e.Text(part10.TagUID, value)
	return e.Item()
}

// image refers to a whole image.
func image(of object.Reference) []byte {
	of.Frame = 0
	e := item(contains, "IMAGE", part10.Code{})
	e.Sequence(part10.TagReferencedSOPSequence, of.Elements().Item())
	return e.Item()
}

// container holds other items. template is the number of the one that describes it, "" for none.
func container(r relation, name part10.Code, template string, in ...[]byte) object.Elements {
	e := item(r, "CONTAINER", name, in...)
	e.Text(part10.TagContinuityOfContent, "SEPARATE")
	if template != "" {
		var used object.Elements
		used.Text(part10.TagMappingResource, "DCMR")
		used.Text(part10.TagTemplateIdentifier, template)
		e.Sequence(part10.TagContentTemplateSequence, used.Item())
	}
	return e
}
