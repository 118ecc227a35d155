// Package liberationmonoregular stands for a font that charts do not use.
package liberationmonoregular

import "codeberg.org/go-fonts/liberation/liberationsansregular"

// TTF is Liberation Sans Regular.
var TTF = liberationsansregular.TTF
