// The choice of neighbours by mean and deviation, before nlm and bnlm compare patches
// (docs/FILTERS.md, preselect). The comparison is that of every engine: one of float32
// numbers, product by product.
#pragma once

#include "box.cuh"

// Selection holds what preselect.cu computed around every voxel; mean.data is null
// where all neighbours are used.
struct Selection {
    Box<const float> mean, deviation;
    float apart; // 1 - mu1
    float ratio; // sqrt(s1)

    __device__ bool alike(float mi, float di, float mj, float dj) const
    {
        return fabsf(__fsub_rn(mi, mj)) < __fmul_rn(apart, fmaxf(fabsf(mi), fabsf(mj))) &&
               fminf(di, dj) > __fmul_rn(ratio, fmaxf(di, dj));
    }

    // alike returns whether the surroundings of two voxels of the boxes are.
    __device__ bool alike(int x, int y, int z, int jx, int jy, int jz) const
    {
        return alike(__ldg(&mean.at(x, y, z)), __ldg(&deviation.at(x, y, z)), __ldg(&mean.at(jx, jy, jz)), __ldg(&deviation.at(jx, jy, jz)));
    }
};
static_assert(sizeof(Selection) == 72);
