// Package laboratory has the commands that make data with known truth, repeat experiments, and describe the program.
package laboratory
