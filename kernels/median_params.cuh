// The parameters of the median kernel.
#pragma once

#include "field.cuh"

// MedianParams mirrors struct medianParams of median.go.
struct MedianParams {
    Field field;
    int radius[3];
    int pad;
};
static_assert(sizeof(MedianParams) == 88);
