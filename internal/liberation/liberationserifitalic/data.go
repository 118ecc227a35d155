// Package liberationserifitalic stands for a font that charts do not use.
package liberationserifitalic

import "codeberg.org/go-fonts/liberation/liberationsansregular"

// TTF is Liberation Sans Regular.
var TTF = liberationsansregular.TTF
