// The parameters of the kernels of lowrank. Boxes are of joined series: the voxels of a place lie side by side along x, and after
// them the sigma of their noise, 0 for an excluded place; its rank in results.
#pragma once

#include "box.cuh"

// Starts mirrors struct Starts of package lowrank: patches of one colour along an axis, which do not overlap.
struct Starts {
    int first, stride, last, count;
};

// LowrankParams mirrors struct lowrankParams of lowrank.go.
struct LowrankParams {
    Box<const float> in;
    Box<float> out;
    float *weight;   // of the places of out
    double *scratch; // of the blocks, one after another; null if all fits into shared memory
    std::int64_t block; // doubles of it for each
    int volumes;
    int width[3]; // of a patch
    Starts starts[3];
    int size;  // rows of the largest Gram matrix
    int chunk; // rows of values that are in shared memory at a time
};
static_assert(sizeof(LowrankParams) == 160);

// LowrankLimitParams mirrors struct lowrankLimitParams of lowrank.go.
struct LowrankLimitParams {
    Box<const float> in, estimates, marks; // marks is null for mark
    Box<float> out;
    int dims[3]; // in places
    int volumes;
    double limit; // in sigmas
};
static_assert(sizeof(LowrankLimitParams) == 152);
