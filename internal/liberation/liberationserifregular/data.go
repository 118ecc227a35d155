// Package liberationserifregular stands for a font that charts do not use.
package liberationserifregular

import "codeberg.org/go-fonts/liberation/liberationsansregular"

// TTF is Liberation Sans Regular.
var TTF = liberationsansregular.TTF
