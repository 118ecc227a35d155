// The parameters of nlm with preselection, and its choice of neighbours.
#pragma once

#include "nlm_params.cuh"
#include "preselect.cuh"

// NlmSelectParams mirrors struct nlmSelectParams of nlm_select.go.
struct NlmSelectParams {
    NlmParams nlm;
    Selection select;
};
static_assert(sizeof(NlmSelectParams) == 568);

// Chosen is the choice of preselection.
struct Chosen {
    const Selection &select;

    __device__ bool operator()(int x, int y, int z, int jx, int jy, int jz) const { return select.alike(x, y, z, jx, jy, jz); }
};
