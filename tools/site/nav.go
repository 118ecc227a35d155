package main

import (
	"github.com/yuin/goldmark/ast"
)

// group is a heading of the list beside every page, with the pages below it.
type group struct {
	Title string
	Pages []entry
}

// entry is one page of the list: its title there, and the document.
type entry struct {
	Title string
	path  string
}

// nav reads the list from the index: every heading of the second level is a group, and every link that begins an item of
// a list is a page.
func (s *docs) nav() (groups []group) {
	d := s.docs[index]
	groups = []group{{Pages: []entry{{"Quell", home}, {d.title, index}}}}
	d.each(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level == 2 {
				groups = append(groups, group{Title: d.plain(n)})
			}
		case *ast.Link:
			to, fragment, external := d.target(string(n.Destination))
			if external || fragment != "" || s.docs[to] == nil || !opensItem(n) || len(groups) == 1 {
				return
			}
			last := &groups[len(groups)-1]
			last.Pages = append(last.Pages, entry{d.plain(n), to})
		}
	})
	return groups
}

// opensItem says whether a link is the first thing in an item of a list.
func opensItem(n ast.Node) bool {
	block := n.Parent()
	return n.PreviousSibling() == nil && block.Parent() != nil && block.Parent().Kind() == ast.KindListItem && block.PreviousSibling() == nil
}
