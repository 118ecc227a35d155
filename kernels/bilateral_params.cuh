// The parameters of the bilateral kernel.
#pragma once

#include "field.cuh"

// BilateralParams mirrors struct bilateralParams of bilateral.go.
struct BilateralParams {
    Field field;
    int radius[3];
    float decay[3]; // log2(e) / 2 over sigma_a^2, sigma in voxels
    float scale;    // factor of the values: the range weight is then 2^-(dv^2)
    float inverse;  // 1 / scale
};
static_assert(sizeof(BilateralParams) == 104);
