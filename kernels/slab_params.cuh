// The parameters of the kernel of slab.
#pragma once

#include "box.cuh"

constexpr int kMostReach = 16;

// SlabParams mirrors struct slabParams of slab.go.
struct SlabParams {
    Box<const float> in, guide;
    Box<const float> more; // is added to the mean, times factor; null for none
    Box<const float> voxels;
    Box<const std::uint8_t> mask;
    Box<float> out;
    int dims[3];
    int axis;  // along which slices follow each other
    int reach; // in slices
    float inverse[kMostReach]; // 1 over the noise of the difference of the guide, by the distance in slices; 1 slice at 0
    float factor;
};
static_assert(sizeof(SlabParams) == 280);
