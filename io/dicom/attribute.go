package dicom

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"quell/io/dicom/part10"
)

// KnownAttribute reports whether the standard has an attribute of that keyword.
func KnownAttribute(keyword string) bool {
	_, known := part10.TagByKeyword(keyword)
	return known
}

// Attribute returns the values of a standard attribute, by its keyword, in the file of the
// first slice of entry i, outside of sequences; none if the file does not have it. The
// error is an *Error that names the file, or the context's.
func (c *Catalog) Attribute(ctx context.Context, i int, keyword string) ([]string, error) {
	t, known := part10.TagByKeyword(keyword)
	if !known || i < 0 || i >= len(c.Entries) {
		return nil, fmt.Errorf("dicom: attribute %q of entry %d of %d", keyword, i, len(c.Entries))
	}
	if len(c.Entries[i].Stack) == 0 {
		return nil, c.Entries[i].Err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	name := c.Entries[i].Stack[0].Name
	a, p, err := part10.ReadHeader(c.fsys, name, func(other part10.Tag) bool { return other == t })
	if err != nil {
		return nil, err
	}
	defer p.Release()
	return values(a, t), nil
}

// values returns the values of an attribute as texts.
func values(a part10.Attributes, t part10.Tag) (out []string) {
	e, ok := a.Find(t)
	if !ok {
		return nil
	}
	switch v := e.Value.GetValue().(type) {
	case []int:
		for _, n := range v {
			out = append(out, strconv.Itoa(n))
		}
	case []float64:
		for _, x := range v {
			out = append(out, strconv.FormatFloat(x, 'g', -1, 64))
		}
	case []string:
		return a.DisplayTexts(t)
	}
	return out
}

// Identity identifies the images of entry i by their patient and series, their instance UIDs (files without one by
// their names), frames and size, so that a copy of them has the same one, and one for another patient has not. It is ""
// if the entry cannot be loaded.
func (c *Catalog) Identity(i int) string {
	e := c.Entries[i]
	if len(e.Stack) == 0 {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s %d %q\n", e.Meta.Identity(), e.Bytes, e.Part)
	for _, s := range e.Stack { // along the slice normal, whatever the files are called
		fmt.Fprintf(h, "%q %d\n", cmp.Or(s.SOPUID, s.Name), s.Frame)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// FilesOf returns the names of the files of entry i, each once.
func (c *Catalog) FilesOf(i int) (names []string) {
	known := map[string]bool{}
	for _, s := range c.Entries[i].Stack {
		if !known[s.Name] {
			known[s.Name] = true
			names = append(names, s.Name)
		}
	}
	return names
}
