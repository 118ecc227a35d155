package derive

import "quell/io/dicom/part10"

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
