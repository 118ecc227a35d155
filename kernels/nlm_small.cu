// The non-local means kernels of the usual recipes in blocks of two warps in place of
// four: twice as many blocks, which a small image needs to keep a device at work, and
// more loading of tiles. quell bench --tune finds out where they are faster.
#include "nlm.cuh"

extern "C" {

__global__ void __launch_bounds__(64, 6) nlm_2d_f1_small(const __grid_constant__ NlmParams p)
{
    nlmBlock<2, 1, 2, 4, 1, 2, 1, 1, true>(p);
}

__global__ void __launch_bounds__(64, 6) nlm_2d_f3_uniform_small(const __grid_constant__ NlmParams p)
{
    nlmBlock<2, 3, 2, 4, 1, 2, 1, 1, false>(p);
}

__global__ void __launch_bounds__(64, 4) nlm_3d_f1_small(const __grid_constant__ NlmParams p)
{
    nlmBlock<3, 1, 2, 4, 2, 2, 3, 3, true>(p);
}

} // extern "C"
