// The one font of the charts, in place of the twelve, 4.4 MB, that gonum.org/v1/plot embeds in every program. The packages
// have the names of codeberg.org/go-fonts/liberation v0.5.0, which go.mod of Quell replaces by this folder.
module codeberg.org/go-fonts/liberation

go 1.26.0
