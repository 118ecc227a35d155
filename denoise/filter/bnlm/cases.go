package bnlm

import "quell/denoise"

// cases are the recipes of the conformance suite: every option in both
// dimensionalities with a small search region, values as large as a CT's, and
// volumes of several tiles.
func cases() []denoise.Case {
	all := denoise.InBothDims("search-radius=2", []denoise.Case{
		{Name: "plain", Set: "h=9"},
		{Name: "half of the candidates", Set: "h=9 candidates=half"},
		{Name: "all candidates", Set: "h=9 candidates=all"},
		{Name: "selected", Set: "h=9 preselect=true"},
		{Name: "ratios", Set: "h=9 preselect=true candidates=all mean-ratio=0.8 variance-ratio=0.2 zero=-20"},
		{Name: "block radius 0", Set: "h=9 block-radius=0 block-step=1"},
		{Name: "block radius 2", Set: "h=9 preselect=true block-radius=2 block-step=3 search-radius=1"},
		{Name: "moments of blocks", Set: "h=9 preselect=true moments=patch block-radius=2 block-step=2 search-radius=1"},
		{Name: "block step 1", Set: "h=9 preselect=true block-step=1 search-radius=1"},
		{Name: "weak", Set: "h=2"},
		{Name: "faint", Set: "h=0.35"},
		{Name: "fainter", Set: "h=0.01"},
		{Name: "strong", Set: "h=1000 preselect=true"},
		{Name: "search 0", Set: "search-radius=0"},
		{Name: "CT", Set: "h=150", CT: true},
		{Name: "CT weak", Set: "h=20 preselect=true", CT: true},
	})
	return append(all,
		denoise.Case{Name: "3-D large", Dims: 3, Set: "h=9 preselect=true search-radius=2", Large: [3]int{150, 21, 20}},
		denoise.Case{Name: "2-D large", Dims: 2, Set: "h=9 search-radius=4", Large: [3]int{270, 75, 2}},
	)
}
