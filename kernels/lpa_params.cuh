// The parameters of the lpa kernels.
#pragma once

#include "field.cuh"

constexpr int kMaxScales = 32; // the most scales, and the longest

// LpaParams mirrors struct lpaParams of lpa.go.
struct LpaParams {
    Field field;
    unsigned long long *map; // index of the chosen scale, a byte for each direction; may be null
    double width;            // gamma sigma
    int count;               // scales
    int scales[kMaxScales];
    int pad;
};
static_assert(sizeof(LpaParams) == 224);
