// Package command runs a command line: what every command has, and what reads all commands. These are help, manual
// pages, completion, pipes, references to a PACS, the gate for outputs, descriptions for 3D Slicer, and errors as
// sentences and as JSON. Commands are in the packages of cmd/commands; cmd/quell is the table of them.
package command
