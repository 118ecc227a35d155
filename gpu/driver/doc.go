// Package driver makes the calls of the CUDA driver that the worker needs and
// gorgonia.org/cu lacks: kernel launches with a packed argument buffer, more than
// 48 KB of dynamic shared memory, page-locked host memory, texture objects, the
// driver's error texts, and the classification of sticky errors. It contains nothing
// else.
//
// Importing it links libcuda, as importing cu does, and cu ends the process if
// there is no driver. The package therefore needs the build tag cuda, and only
// cmd/quell-gpu may import it. All calls must be made on the thread on which the
// context is current.
package driver
