// Package filter is the table of the program's filters. Importing it registers
// all of them:
//
//	import _ "quell/denoise/filter"
//
// A new filter is a package below this one and a line in the table.
package filter

import (
	"quell/denoise"
	"quell/denoise/filter/bilateral"
	"quell/denoise/filter/bnlm"
	"quell/denoise/filter/gaussian"
	"quell/denoise/filter/lowrank"
	"quell/denoise/filter/lpa"
	"quell/denoise/filter/median"
	"quell/denoise/filter/nlm"
	"quell/denoise/filter/odct"
	"quell/denoise/filter/prinlm"
	"quell/denoise/filter/sadct"
	"quell/denoise/filter/slab"
)

func init() {
	denoise.Register(
		nlm.Filter,
		prinlm.Filter,
		bnlm.Filter,
		odct.Filter,
		bilateral.Filter,
		sadct.Filter,
		lpa.Filter,
		gaussian.Filter,
		median.Filter,
		slab.Filter,
		lowrank.Filter,
	)
}
