package dicomweb

import "quell/io/attributes"

// The results of a search are the same for every protocol.
type (
	// Dataset is a set of attributes.
	Dataset = attributes.Dataset
	// Element is the value of an attribute.
	Element = attributes.Element
	// Value is one of the values of an element.
	Value = attributes.Value
	// Tag is the tag of an attribute.
	Tag = attributes.Tag
)
