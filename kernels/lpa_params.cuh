// The parameters of the lpa kernels.
#pragma once

#include "field.cuh"

constexpr int kMaxScales = 32; // the most scales, and the longest
constexpr int kLags = 4;       // samples of a line on which the noise is correlated

// LpaParams mirrors struct lpaParams of lpa.go.
struct LpaParams {
    Field field;
    unsigned long long *map; // index of the chosen scale, a byte for each direction; may be null
    double width;            // gamma sigma
    double rho[2][kLags];    // correlation of the noise 1, 2, ... samples apart along an axis, and along a diagonal: of lpa_*_correlated
    int count;               // scales
    int scales[kMaxScales];
    int pad;
};
static_assert(sizeof(LpaParams) == 288);
