// Non-local means on the chip (the mathematics: nlm_any.cuh).
//
// The definition costs a whole patch for every pair of voxels. Two facts make it
// a few instructions:
//
//  1. For one offset o, all distances D(x) = sum_k a_k (v(x+k) - v(x+k+o))^2 are
//     one image of squared differences under a separable filter: a sum along y,
//     one along z, one along x.
//  2. Neighbouring results share almost all of these sums.
//
// So a thread owns a column of X x Y x Z voxels, lanes side by side along x, and
// goes through the search window offset by offset. For each it reads the
// shifted voxels from shared memory (its own stay in registers), squares the
// differences, sums along y and z in registers and along x by shuffles between
// lanes, and adds the weight to its sums: numerator, denominator and largest
// weight never leave the registers. Nothing is written until the end, no atomics,
// so that results are the same from run to run.
//
// The window is walked in bricks of 9 x 9 offsets (17 x 17 in two dimensions) and
// a few z steps, whose voxels fit in shared memory: any search radius. The
// outermost F voxels of a warp's row on each side only help their neighbours.
//
// Values are taken relative to one of the block's voxels before they are scaled,
// so that a large common offset costs no digits. With pre-scaled values the
// weight is 2^-D, one instruction.
#pragma once

#include "nlm_any.cuh"
#include "nlm_sums.cuh"

// Shape is how a kernel cuts the volume: for DIMS dimensions and patch radius F,
// a thread's X x Y x Z voxels, a block's WARPS side by side along y, and the z
// steps of the window that are on the chip at once. It mirrors nlmTile of nlm.go.
template <int DIMS, int F, int X, int Y, int Z, int WARPS, int STEPS>
struct Shape {
    static constexpr int kBrick = DIMS == 3 ? 9 : 17;         // offsets along x and y on the chip at once
    static constexpr int kUnroll = DIMS == 3 ? 1 : 2;         // offsets worked on together
    static constexpr int kTall = Y + 2 * F;                   // rows a thread reads
    static constexpr int kDeep = DIMS == 3 ? Z + 2 * F : 1;   // planes a thread reads
    static constexpr int kColumns = 32 * X + kBrick - 1;      // of the tile in shared memory
    static constexpr int kRows = WARPS * Y + 2 * F + kBrick - 1;
    static constexpr int kPlanes = kDeep + STEPS - 1;
    static constexpr int kWords = (kColumns + 31) / 32;       // of bits for a row
    static_assert(kPlanes * kRows * (kColumns + kWords) * 4 <= 64 << 10, "compute capability 7.5 has no more");

    // at is where column c of a row lies. With two voxels a lane the even
    // columns come first, so that lanes read neighbouring words.
    static __device__ int at(int c) { return X == 1 ? c : (c & 1) * (kColumns / 2) + (c >> 1); }
};

// Sums are what a thread gathers for each of its voxels.
template <int X, int Y, int Z>
struct Sums {
    float num[Z][X][Y]; // of w (v_j - v_i), scaled
    float den[Z][X][Y]; // of w
    float log[Z][X][Y]; // largest logarithm of w
};

// What must be watched in a brick of offsets.
enum Watch {
    kNothingToWatch, // every voxel within reach is in the volume and holds data
    kEdges,          // some are outside the volume
    kEverything,     // some are masked, or sigma or rician is on
};

// Walker goes through one brick of offsets.
template <int DIMS, int F, int X, int Y, int Z, int WARPS, int STEPS, bool GAUSSIAN>
struct Walker {
    using S = Shape<DIMS, F, X, Y, Z, WARPS, STEPS>;

    const NlmParams &p;
    const float *values;      // the tile: column 0 is x - F + the brick's first offset
    const unsigned *usable;   // a bit for each of its voxels
    int lane, warp;
    int x, y, z;              // the thread's first voxel, less F along x
    float reference;          // the scaled value that the tile's are relative to
    float (&own)[S::kDeep][X][S::kTall];
    Sums<X, Y, Z> &sums;

    // offset adds one offset's weights. tile is the thread's first shifted
    // voxel, for each voxel of a lane. edge holds kNever for the results whose
    // neighbour lies outside along x or y, bit z of inside says whether it lies
    // inside along z.
    template <Watch WATCH>
    __device__ void offset(const float *const (&tile)[X], const unsigned *bits, int column,
                           const float (&edge)[X][Y], unsigned inside)
    {
        float q[X][Y][S::kDeep];
        float d[S::kDeep][X][Y];
#pragma unroll
        for (int t = 0; t < S::kDeep; ++t) {
#pragma unroll
            for (int e = 0; e < X; ++e) {
                float squares[S::kTall];
#pragma unroll
                for (int r = 0; r < S::kTall; ++r) {
                    float v = tile[e][(t * S::kRows + r) * S::kColumns] - own[t][e][r];
                    if (r >= F && r < Y + F) d[t][e][r - F] = v;
                    squares[r] = GAUSSIAN ? __fmul_rn(v, v) : v * v; // fused where each is used once
                }
#pragma unroll
                for (int r = 0; r < Y; ++r) q[e][r][t] = windowSum<F, GAUSSIAN>(squares, r, p.ring);
            }
            int k = t - (S::kDeep - Z); // the result that this plane completes
            if (k < 0 || (WATCH != kNothingToWatch && !(inside >> k & 1))) continue;
            int middle = DIMS == 3 ? k + F : 0;
            float w[X][Y]; // distances, then logarithms, then weights
#pragma unroll
            for (int e = 0; e < X; ++e)
#pragma unroll
                for (int r = 0; r < Y; ++r)
                    w[e][r] = DIMS == 3 ? windowSum<F, GAUSSIAN>(q[e][r], k, p.ring) : q[e][r][t];
            rowSums<F, X, Y, GAUSSIAN>(w, p.ring);
#pragma unroll
            for (int e = 0; e < X; ++e) {
#pragma unroll
                for (int r = 0; r < Y; ++r) {
                    float log = WATCH == kEdges ? edge[e][r] - w[e][r] : -w[e][r];
                    if (WATCH == kEverything) {
                        int c = column + e;
                        unsigned word = bits[(middle * S::kRows + r + F) * S::kWords + (c >> 5)];
                        log = word >> (c & 31) & 1 ? fminf(p.cut + log, 0.f) : kNever;
                        // v_j^2 - v_i^2 = (v_j - v_i) (v_j - v_i + 2 v_i)
                        if (p.rician) d[middle][e][r] *= d[middle][e][r] + 2 * (own[middle][e][r + F] + reference);
                    }
                    sums.log[k][e][r] = fmaxf(sums.log[k][e][r], log);
                    w[e][r] = powerOfTwo(log);
                }
            }
#pragma unroll
            for (int e = 0; e < X; ++e) {
#pragma unroll
                for (int r = 0; r < Y; ++r) {
                    sums.num[k][e][r] += w[e][r] * d[middle][e][r];
                    sums.den[k][e][r] += w[e][r];
                }
            }
        }
    }

    // walk goes through the offsets first <= o < first + n.
    template <Watch WATCH>
    __device__ void walk(const int (&first)[3], const int (&n)[3])
    {
        const Field &f = p.field;
        for (int k = 0; k < n[2]; ++k) {
            int oz = first[2] + k;
            unsigned inside = 0;
#pragma unroll
            for (int i = 0; i < Z; ++i) inside |= unsigned(unsigned(z + i + oz) < unsigned(f.dims[2])) << i;
            if (inside == 0) continue;
            for (int j = 0; j < n[1]; ++j) {
                int oy = first[1] + j;
                float rowEdge[Y];
#pragma unroll
                for (int r = 0; r < Y; ++r) rowEdge[r] = unsigned(y + r + oy) < unsigned(f.dims[1]) ? 0 : kNever;
                int row = k * S::kRows + warp * Y + j;
                // The voxel itself is left out: two stretches in its row.
                const bool own = oz == 0 && oy == 0 && first[0] <= 0 && 0 < first[0] + n[0];
                for (int part = 0; part <= int(own); ++part) {
                    const int end = own && part == 0 ? -first[0] : n[0];
#pragma unroll S::kUnroll
                    for (int i = part == 0 ? 0 : 1 - first[0]; i < end; ++i) {
                        const float *tile[X];
                        float edge[X][Y];
#pragma unroll
                        for (int e = 0; e < X; ++e) {
                            tile[e] = values + row * S::kColumns + S::at(X * lane + e + i);
                            float beside = unsigned(x + e + first[0] + i) < unsigned(f.dims[0]) ? 0 : kNever;
#pragma unroll
                            for (int r = 0; r < Y; ++r) edge[e][r] = fminf(beside, rowEdge[r]);
                        }
                        offset<WATCH>(tile, usable + row * S::kWords, X * lane + i, edge, inside);
                    }
                }
            }
        }
    }
};

// loadTile fills the tile of a brick, planes x rows of it, with the values
// relative to reference and scaled; and where BITS is true, their bits. It says
// whether a masked voxel was among them.
template <class S, int WARPS, bool BITS>
__device__ inline bool loadTile(const NlmParams &p, float *values, unsigned *usable, int x, int y, int z,
                                int rows, int planes, float reference)
{
    const Field &f = p.field;
    const float scale = p.scale;
    const int lane = threadIdx.x;
    int column[S::kWords];
    bool masked = false;
#pragma unroll
    for (int i = 0; i < S::kWords; ++i) column[i] = mirror(x + lane + 32 * i, f.dims[0]);
    for (int plane = 0; plane < planes; ++plane) {
        const float *slice = f.slice(z + plane);
#pragma unroll 4
        for (int row = threadIdx.y; row < rows; row += WARPS) {
            const float *from = slice + f.rowOffset(y + row);
            float *to = values + (plane * S::kRows + row) * S::kColumns;
#pragma unroll
            for (int i = 0; i < S::kWords; ++i) {
                const int c = lane + 32 * i;
                if (c < S::kColumns) to[S::at(c)] = (__ldg(from + column[i]) - reference) * scale;
                if (BITS) {
                    bool use = f.inside(x + c, y + row, z + plane);
                    if (f.mask != nullptr && use && !__ldg(f.mask + (from - f.in) + column[i])) {
                        masked = true;
                        use = false;
                    }
                    unsigned bits = __ballot_sync(kAll, use);
                    if (lane == 0) usable[(plane * S::kRows + row) * S::kWords + i] = bits;
                }
            }
        }
    }
    return masked;
}

// finish turns a voxel's sums into its result. The warp calls it together, with
// wanted false in the lanes that have no voxel: where weights ran out of
// float32's range it gathers that voxel again in float64, all lanes on one. It
// is a call, not inline, as it is long and runs once a voxel.
__device__ __noinline__ void finish(const NlmParams &p, bool wanted, int x, int y, int z, float num, float den, float log)
{
    const Field &f = p.field;
    wanted &= x < f.max[0] && y < f.max[1] && z < f.max[2];
    const bool data = wanted && f.valid(x, y, z);
    const bool faint = data && !p.one && log < kFaint && log >= kNothing;
    float v = wanted ? __ldg(f.in + f.index(x, y, z)) : 0;
    float result = v;
    if (data && log <= kNever / 2) { // no neighbour
        result = fromMean(p, v, 0);
    } else if (data && (p.one || log >= kFaint)) {
        float centre = p.one ? 1 : powerOfTwo(log);
        double unit = p.rician ? double(p.inverse) * p.inverse : double(p.inverse);
        result = fromMean(p, v, double(num / (den + centre)) * unit);
    }
    for (unsigned left = __ballot_sync(kAll, faint); left != 0; left &= left - 1) {
        int lane = __ffs(left) - 1;
        float exact = exactVoxel(p, __shfl_sync(kAll, x, lane), __shfl_sync(kAll, y, lane), __shfl_sync(kAll, z, lane));
        if (int(threadIdx.x) == lane) result = exact;
    }
    if (wanted) *f.result(x, y, z) = result;
}

// nlmBlock filters a tile of (32 X - 2 F) x (WARPS Y) x Z voxels.
template <int DIMS, int F, int X, int Y, int Z, int WARPS, int STEPS, bool GAUSSIAN>
__device__ inline void nlmBlock(const NlmParams &p)
{
    using S = Shape<DIMS, F, X, Y, Z, WARPS, STEPS>;
    constexpr int kHalo = DIMS == 3 ? F : 0; // of the patch along z
    extern __shared__ float shared[];
    float *values = shared;
    unsigned *usable = reinterpret_cast<unsigned *>(shared + S::kPlanes * S::kRows * S::kColumns);

    const Field &f = p.field;
    const Tile tile = tileOf(f, 32 * X - 2 * F, WARPS * Y, Z);
    const int lane = threadIdx.x, warp = threadIdx.y;
    const int x = tile.x - F + X * lane, y = tile.y + warp * Y, z = tile.z;
    const float reference = __ldg(f.in + f.index(tile.x, tile.y, tile.z));

    float own[S::kDeep][X][S::kTall];
    int rowOffset[S::kTall];
#pragma unroll
    for (int r = 0; r < S::kTall; ++r) rowOffset[r] = f.rowOffset(y - F + r);
#pragma unroll
    for (int e = 0; e < X; ++e) {
        const int column = mirror(x + e, f.dims[0]);
#pragma unroll
        for (int t = 0; t < S::kDeep; ++t) {
            const float *slice = f.slice(z - kHalo + t) + column;
#pragma unroll
            for (int r = 0; r < S::kTall; ++r) own[t][e][r] = (__ldg(slice + rowOffset[r]) - reference) * p.scale;
        }
    }

    Sums<X, Y, Z> sums;
#pragma unroll
    for (int k = 0; k < Z; ++k)
#pragma unroll
        for (int e = 0; e < X; ++e)
#pragma unroll
            for (int r = 0; r < Y; ++r) {
                sums.num[k][e][r] = sums.den[k][e][r] = 0;
                sums.log[k][e][r] = kNever;
            }

    Walker<DIMS, F, X, Y, Z, WARPS, STEPS, GAUSSIAN> walker{
        p, values, usable, lane, warp, x, y, z, reference * p.scale, own, sums};
    const bool special = p.rician || p.cut > 0;
    int first[3];
    for (first[2] = -p.search[2]; first[2] <= p.search[2]; first[2] += STEPS) {
        for (first[1] = -p.search[1]; first[1] <= p.search[1]; first[1] += S::kBrick) {
            for (first[0] = -p.search[0]; first[0] <= p.search[0]; first[0] += S::kBrick) {
                const int n[3] = {min(S::kBrick, p.search[0] - first[0] + 1), min(S::kBrick, p.search[1] - first[1] + 1),
                                  min(STEPS, p.search[2] - first[2] + 1)};
                const int tx = tile.x - F + first[0], ty = tile.y - F + first[1], tz = z - kHalo + first[2];
                const int rows = WARPS * Y + 2 * F + n[1] - 1, planes = S::kDeep + n[2] - 1;
                __syncthreads(); // the last brick is done with
                if (special || f.mask != nullptr) {
                    bool masked = loadTile<S, WARPS, true>(p, values, usable, tx, ty, tz, rows, planes, reference);
                    if (__syncthreads_or(masked) || special) {
                        walker.template walk<kEverything>(first, n);
                        continue;
                    }
                } else {
                    loadTile<S, WARPS, false>(p, values, usable, tx, ty, tz, rows, planes, reference);
                    __syncthreads();
                }
                const bool whole = tx + F >= 0 && tx - F + 32 * X + n[0] - 1 <= f.dims[0] &&
                                   ty + F >= 0 && ty + F + WARPS * Y + n[1] - 1 <= f.dims[1] &&
                                   tz + kHalo >= 0 && tz + kHalo + Z + n[2] - 1 <= f.dims[2];
                if (whole) walker.template walk<kNothingToWatch>(first, n);
                else walker.template walk<kEdges>(first, n);
            }
        }
    }

#pragma unroll
    for (int e = 0; e < X; ++e) {
        int column = X * lane + e;
        bool wanted = column >= F && column < 32 * X - F;
#pragma unroll
        for (int k = 0; k < Z; ++k)
#pragma unroll
            for (int r = 0; r < Y; ++r)
                finish(p, wanted, x + e, y + r, z + k, sums.num[k][e][r], sums.den[k][e][r], sums.log[k][e][r]);
    }
}
