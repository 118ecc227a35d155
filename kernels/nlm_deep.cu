// The non-local means kernel of the usual volumes, nlm_3d_f1, with more z steps of the
// search region in shared memory at once: fewer loads of tiles, and more memory of a
// block. quell bench --tune finds out where they are faster.
#define NLM_SHARED_LIMIT (80 << 10) // of 7 steps; compute capability 7.5 refuses them
#include "nlm.cuh"

extern "C" {

__global__ void __launch_bounds__(128, 2) nlm_3d_f1_steps5(const __grid_constant__ NlmParams p)
{
    nlmBlock<3, 1, 2, 4, 2, 4, 5, 3, true>(p);
}

__global__ void __launch_bounds__(128, 2) nlm_3d_f1_steps7(const __grid_constant__ NlmParams p)
{
    nlmBlock<3, 1, 2, 4, 2, 4, 7, 3, true>(p);
}

} // extern "C"
