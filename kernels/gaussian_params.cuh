// The parameters of the gaussian kernel.
#pragma once

#include "field.cuh"

// GaussianParams mirrors struct gaussianParams of gaussian.go.
struct GaussianParams {
    Field field;
    int radius[3];
    float decay[3]; // as in BilateralParams
};
static_assert(sizeof(GaussianParams) == 96);
