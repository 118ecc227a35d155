//go:build cuda && kerneltest

package main

// The worker of the engine's tests also has the kernels of their two-pass filter.
import _ "quell/kernels/kerneltest"
