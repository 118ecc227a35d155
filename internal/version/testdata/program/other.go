//go:build other

package main

func init() { answer++ }
