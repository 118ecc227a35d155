package nlm

import "quell/denoise"

// cases are the recipes of the conformance suite: every option in both
// dimensionalities with a small search region, values as large as a CT's, and
// volumes of several tiles.
func cases() []denoise.Case {
	all := denoise.InBothDims("search-radius=2", []denoise.Case{
		{Name: "plain", Set: "h=9"},
		{Name: "uniform", Set: "h=9 patch-weights=uniform"},
		{Name: "patch sigma", Set: "h=9 patch-sigma=0.5 patch-radius=2"},
		{Name: "uniform 5", Set: "h=9 patch-weights=uniform patch-radius=2"},
		{Name: "patch radius 0", Set: "h=9 patch-radius=0"},
		{Name: "centre one", Set: "h=9 centre=one"},
		{Name: "sigma", Set: "h=9 sigma=8"},
		{Name: "sigma auto", Set: "h=9 rician=true", Biased: true},
		{Name: "correlated", Set: "h=9 sigma=8 correlation=60,20,-10,-20,40,10"},
		{Name: "correlated auto", Set: "h=9 sigma=8 correlation=auto"},
		{Name: "correlated one", Set: "h=9 sigma=12 correlation=95 centre=one patch-radius=2"},
		{Name: "correlated rician", Set: "h=9 sigma=8 rician=true correlation=70,-40", Biased: true},
		{Name: "correlated weak", Set: "h=1 sigma=4 correlation=100,-100,50,0,100,-100"},
		{Name: "correlated faint", Set: "h=0.02 sigma=2 correlation=50,30,0,0,50"},
		{Name: "correlated any", Set: "h=9 sigma=8 correlation=60,20 patch-radius=0"},
		{Name: "rician", Set: "h=9 rician=true sigma=8", Biased: true},
		{Name: "rician one", Set: "h=9 rician=true sigma=30 centre=one", Biased: true},
		{Name: "weak", Set: "h=1.5 centre=max"},
		{Name: "weak one", Set: "h=1.5 centre=one"},
		{Name: "weak rician", Set: "h=2 rician=true sigma=1", Biased: true},
		{Name: "faint", Set: "h=0.35"},
		{Name: "fainter", Set: "h=0.01 rician=true", Biased: true},
		{Name: "strong", Set: "h=1000"},
		{Name: "search 0", Set: "search-radius=0"},
		{Name: "rician alone", Set: "search-radius=0 rician=true sigma=8", Biased: true},
		{Name: "search 1", Set: "h=9 search-radius=1"},
		{Name: "lk", Set: "weighting=lk"},
		{Name: "lk 1", Set: "weighting=lk k=1"},
		{Name: "lk 3", Set: "weighting=lk k=3"},
		{Name: "lk 4 one", Set: "weighting=lk k=4 centre=one"},
		{Name: "lk rician", Set: "weighting=lk rician=true sigma=8", Biased: true},
		{Name: "lk search 0", Set: "weighting=lk search-radius=0"},
		{Name: "preselect", Set: "h=9 preselect=true"},
		{Name: "preselect ratios", Set: "h=9 preselect=true mean-ratio=0.8 variance-ratio=0.2 zero=-20 patch-weights=uniform patch-radius=2"},
		{Name: "preselect by patches", Set: "h=9 preselect=true moments=patch zero=-20 patch-weights=uniform patch-radius=2"},
		{Name: "preselect by voxels", Set: "h=9 preselect=true moments=patch patch-radius=0 mean-ratio=0.7"},
		{Name: "preselect of negative means", Set: "h=9 preselect=true zero=150 mean-ratio=0.5 centre=one"},
		{Name: "preselect rician", Set: "h=9 preselect=true rician=true sigma=8 patch-radius=0", Biased: true},
		{Name: "preselect faint", Set: "h=0.35 preselect=true mean-ratio=0.7 variance-ratio=0.1"},
		{Name: "preselect correlated", Set: "h=9 preselect=true sigma=8 correlation=60,20,0,0,0,0,30,-10"},
		{Name: "CT preselect", Set: "h=150 preselect=true search-radius=3", CT: true},
		{Name: "automatic h", Set: "patch-radius=0 search-radius=1"},
		{Name: "CT automatic h", Set: "search-radius=3", CT: true},
		{Name: "CT weak", Set: "h=20 search-radius=3", CT: true},
		{Name: "CT uniform", Set: "h=150 patch-weights=uniform search-radius=3", CT: true},
		{Name: "CT one", Set: "h=200 centre=one search-radius=3", CT: true},
	})
	return append(all,
		denoise.Case{Name: "3-D large", Dims: 3, Set: "h=9", Large: [3]int{33, 40, 37}},
		denoise.Case{Name: "3-D large preselect", Dims: 3, Set: "h=9 preselect=true", Large: [3]int{230, 20, 19}},
		denoise.Case{Name: "3-D wide", Dims: 3, Set: "h=9", Large: [3]int{210, 9, 5}},
		denoise.Case{Name: "2-D large", Dims: 2, Set: "h=9 search-radius=6 patch-radius=3", Large: [3]int{150, 140, 2}},
	)
}
