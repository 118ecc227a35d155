// What the host passes to each kernel, by value. The Go files named here lay out
// the same structs; a test compares the sizes.
#pragma once

#include "field.cuh"

// NlmParams mirrors struct nlmParams of nlm.go.
struct NlmParams {
    Field field;
    int search[3];
    int patch[3];
    float scale;   // values times scale: distances come out in units of h^2 / log2(e)
    float inverse; // 1 / scale
    float cut;     // 2 sigma^2 in those units
    float bias;    // 2 sigma^2 in the volume's units: what rician takes off
    int lk;        // 0: Gaussian weights; 1..4: lk weights of that norm
    int rician;    // average squares
    int one;       // centre weight one, not max
    float norm;    // product of the middle taps; scale holds it already unless lk
    float ring[9]; // taps relative to the middle one, by distance
    int pad;
};
static_assert(sizeof(NlmParams) == 168);

// BilateralParams mirrors struct bilateralParams of window.go.
struct BilateralParams {
    Field field;
    int radius[3];
    float decay[3]; // log2(e) / 2 over sigma_a^2, sigma in voxels
    float scale;    // values times scale: range weight 2^-(dv^2)
    float inverse;  // 1 / scale
};
static_assert(sizeof(BilateralParams) == 104);

// GaussianParams mirrors struct gaussianParams of window.go.
struct GaussianParams {
    Field field;
    int radius[3];
    float decay[3]; // as in BilateralParams
};
static_assert(sizeof(GaussianParams) == 96);

// MedianParams mirrors struct medianParams of window.go.
struct MedianParams {
    Field field;
    int radius[3];
    int pad;
};
static_assert(sizeof(MedianParams) == 88);

constexpr int kMaxScales = 32; // also the longest scale

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

// WidenParams mirrors struct widenParams of window.go.
struct WidenParams {
    const std::int16_t *from;
    float *to;
    long long count;
    float bias;
    int pad;
};
static_assert(sizeof(WidenParams) == 32);
