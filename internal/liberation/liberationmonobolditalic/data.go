// Package liberationmonobolditalic stands for a font that charts do not use.
package liberationmonobolditalic

import "codeberg.org/go-fonts/liberation/liberationsansregular"

// TTF is Liberation Sans Regular.
var TTF = liberationsansregular.TTF
