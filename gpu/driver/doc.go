// Package driver adds to gorgonia.org/cu what the worker needs of the CUDA
// driver and cu lacks: kernel launches with a packed argument buffer, more
// than 48 KB of dynamic shared memory, page-locked host memory, the driver's
// own words for an error and which errors spoil the process. Nothing else
// belongs here.
//
// Importing it, like importing cu, links libcuda and ends the process where
// there is no driver; so it takes the build tag cuda, and only cmd/quell-gpu
// may use it. All calls must come from the thread that holds the context.
package driver
