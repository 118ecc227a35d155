package derive

import (
	"quell/io/dicom/deid"
	"quell/io/dicom/instance"
	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
)

// DerivedTags returns the attributes that an export changes.
func DerivedTags() []part10.Tag {
	var out []part10.Tag
	for _, r := range derivedAttributes {
		out = append(out, r.tag)
	}
	return out
}

// RecipeCreator owns the private block of the recipe.
const RecipeCreator = recipeCreator

// Damaged opens a source file, changes its bytes behind its back and returns the error of
// step, one of the steps that an export takes, and the sequences that it could not
// extend.
func Damaged(name string, file []byte, damage func(p *part10.File, b []byte), step string) (unreadable []part10.Tag, err error) {
	d, in, err := instance.OpenSource(name, file)
	if err != nil {
		return nil, err
	}
	s := &image{Dataset: d, buffers: new(Buffers), Derived: &Derived{Compress: pixel.RLE}, slices: in.Slices, format: in.Slices[0].Format}
	damage(s.File, s.Bytes)
	switch step {
	case "groups":
		_, err = s.edits()
	case "file":
		s.pixels = make([]byte, len(in.Slices)*int(s.format.Bytes()))
		_, err = s.encode()
	case "identity":
		err = s.deidentify(deid.Pseudonyms{Secret: []byte("x")})
	case "explicit":
		err = s.makeExplicit()
	}
	return s.unreadable, err
}
