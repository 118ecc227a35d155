// The kernels by name, and those that compute no filter.
#include "fake.h"

#include <string.h>

typedef struct {
    const int16_t *from;
    float *to;
    int64_t count;
    float bias;
} WidenParams;

static void widen(const void *args)
{
    const WidenParams *p = args;
    for (int64_t i = 0; i < p->count; i++) p->to[i] = p->from[i] + p->bias;
}

// nothing replaces nlm_underflow, as nlm in double leaves no voxels to it, and nlm_pad, as
// nlm reads no padded copy.
static void nothing(const void *args) { (void)args; }

HostKernel findKernel(const char *name)
{
    // The kernels of nlm and lpa compute the same and share a function; the first
    // matching prefix counts.
    static const struct { const char *prefix; HostKernel kernel; } all[] = {
        {"nlm_formula_texture", nlmTexture}, {"nlm_shared_texture", nlmTexture}, {"bilateral_formula_texture", bilateralTexture},
        {"bilateral_constant_texture", bilateralTexture}, {"bilateral_shared_texture", bilateralTexture},
        {"nlm_pad", nothing}, {"nlm_underflow", nothing}, {"nlm_select_underflow", nothing}, {"nlm_select", nlmSelect}, {"nlm", nlm}, {"bnlm_blocks", nothing}, {"bnlm", bnlm},
        {"preselect_mean", preselectMean}, {"preselect_deviation", preselectDeviation}, {"bilateral", bilateral}, {"gaussian", gaussian},
        {"median", median}, {"lpa", lpa}, {"widen", widen},
        {"sadct_scales", sadctScales}, {"sadct_threshold", sadctThreshold}, {"sadct_wiener", sadctWiener}, {"sadct_gather", sadctGather}, {"sadct_deviations", sadctDeviations},
        {"twopass_mean", twopassMean}, {"twopass_guided", twopassGuided},
        {"odct", odct}, {"wiener", wiener}, {"prinlm_mean", prinlmMean}, {"prinlm_average", prinlmAverage}, {"slab_average", slabAverage},
        {"lowrank_clear", lowrankClear}, {"lowrank_patches", lowrankPatches}, {"lowrank_average", lowrankAverage}, {"lowrank_mark", lowrankMark}, {"lowrank_restore", lowrankRestore},
        {"stabilise_noise", stabiliseNoise}, {"restore_signal", restoreSignal},
        {"equalise", equalise}, {"divide_by_sigma", divideBySigma}, {"multiply_by_sigma", multiplyBySigma},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strncmp(name, all[i].prefix, strlen(all[i].prefix)) == 0) return all[i].kernel;
    return NULL;
}
