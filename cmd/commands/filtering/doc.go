// Package filtering has the commands that filter one series, and find how to filter it.
package filtering
