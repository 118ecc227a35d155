// Package viewing has the commands that list series, show them and convert them.
package viewing
