package bnlm

import "quell/denoise"

// cases are the recipes of the conformance suite: every option in both
// dimensionalities with a small search region, values as large as a CT's, and
// volumes of several tiles.
func cases() []denoise.Case {
	all := denoise.InBothDims("search-radius=2", []denoise.Case{
		{Name: "plain", Set: "h=9"},
		{Name: "all blocks", Set: "h=9 preselect=false"},
		{Name: "ratios", Set: "h=9 mean-ratio=0.8 variance-ratio=0.2 zero=-20"},
		{Name: "block radius 0", Set: "h=9 preselect=false block-radius=0 block-step=1"},
		{Name: "block radius 2", Set: "h=9 block-radius=2 block-step=3 search-radius=1"},
		{Name: "block step 1", Set: "h=9 block-step=1 search-radius=1"},
		{Name: "weak", Set: "h=2 preselect=false"},
		{Name: "faint", Set: "h=0.35 preselect=false"},
		{Name: "fainter", Set: "h=0.01 preselect=false"},
		{Name: "strong", Set: "h=1000"},
		{Name: "search 0", Set: "search-radius=0"},
		{Name: "CT", Set: "h=150 preselect=false", CT: true},
		{Name: "CT weak", Set: "h=20", CT: true},
	})
	return append(all,
		denoise.Case{Name: "3-D large", Dims: 3, Set: "h=9 search-radius=2", Large: [3]int{150, 21, 20}},
		denoise.Case{Name: "2-D large", Dims: 2, Set: "h=9 search-radius=4 preselect=false", Large: [3]int{270, 75, 2}},
	)
}
