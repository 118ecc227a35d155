// Command program prints the version and the source of package version. With the tag "other" it
// computes something else.
package main

import (
	"fmt"

	"quell/internal/version"
)

var answer = 42

func main() { fmt.Printf("%s,%s,%d", version.String(), version.Source(), answer) }
