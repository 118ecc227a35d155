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
// In three dimensions it goes through several offsets that follow each other along
// z together: plane t + 1 of one is plane t of the next, so that a shifted voxel
// is read once for all of them.
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
// a thread's X x Y x Z voxels, a block's WARPS side by side along y, the z steps
// of the window that are on the chip at once and those worked on TOGETHER. It
// mirrors nlmTile of nlm.go.
template <int DIMS, int F, int X, int Y, int Z, int WARPS, int STEPS, int TOGETHER>
struct Shape {
    static constexpr int kBrick = DIMS == 3 ? 9 : 17;         // offsets along x and y on the chip at once
    static constexpr int kUnroll = DIMS == 3 ? 1 : 2;         // offsets along x worked on together
    static constexpr int kTall = Y + 2 * F;                   // rows a thread reads
    static constexpr int kDeep = DIMS == 3 ? Z + 2 * F : 1;   // planes a thread reads for an offset
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

// addWhere adds a weight w of logarithm log to a voxel's sums, where inside is
// true. The compiler would choose between the old and the new sums afterwards, an
// instruction for each.
__device__ inline void addWhere(bool inside, float &num, float &den, float &most, float w, float d, float log)
{
    asm("{\n\t"
        ".reg .pred p;\n\t"
        "setp.ne.s32 p, %6, 0;\n\t"
        "@p fma.rn.f32 %0, %3, %4, %0;\n\t"
        "@p add.f32 %1, %1, %3;\n\t"
        "@p max.f32 %2, %2, %5;\n\t"
        "}"
        : "+f"(num), "+f"(den), "+f"(most)
        : "f"(w), "f"(d), "f"(log), "r"(int(inside)));
}

// What must be watched at an offset.
enum Watch {
    kSides,      // some neighbours may lie outside the volume along x
    kEdges,      // along any axis
    kEverything, // and some may be masked, or sigma or rician is on
};

// Walker goes through one brick of offsets.
template <int DIMS, int F, int X, int Y, int Z, int WARPS, int STEPS, int TOGETHER, bool GAUSSIAN>
struct Walker {
    using S = Shape<DIMS, F, X, Y, Z, WARPS, STEPS, TOGETHER>;

    const NlmParams &p;
    const float *values;      // the tile: column 0 is x - F + the brick's first offset
    const unsigned *usable;   // a bit for each of its voxels
    int lane, warp;
    int x, y, z;              // the thread's first voxel, less F along x
    float reference;          // the scaled value that the tile's are relative to
    float (&own)[S::kDeep][X][S::kTall];
    Sums<X, Y, Z> &sums;

    // offsets adds the weights of N offsets that follow each other along z. tile
    // is the thread's first shifted voxel, for each voxel of a lane. beside says
    // whether the neighbour of such a voxel lies inside along x; edge holds
    // kNever for the results whose neighbour lies outside along x or y, bit z of
    // inside says whether it lies inside along z.
    template <Watch WATCH, int N>
    __device__ void offsets(const float *const (&tile)[X], const unsigned *bits, int column, const bool (&beside)[X],
                            const float (&edge)[X][Y], unsigned inside)
    {
        constexpr int kBefore = S::kDeep - Z; // planes before the one that completes the first result
        float q[N][X][Y][S::kDeep];           // sums along y
        float d[N][S::kDeep][X][Y];
#pragma unroll
        for (int t = 0; t < S::kDeep + N - 1; ++t) {
            float shifted[X][S::kTall];
#pragma unroll
            for (int e = 0; e < X; ++e)
#pragma unroll
                for (int r = 0; r < S::kTall; ++r) shifted[e][r] = tile[e][(t * S::kRows + r) * S::kColumns];
            // It is plane t - n of the n-th offset.
#pragma unroll
            for (int n = 0; n < N; ++n) {
                const int plane = t - n;
                if (plane < 0 || plane >= S::kDeep) continue;
#pragma unroll
                for (int e = 0; e < X; ++e) {
                    float v[S::kTall], s[Y];
#pragma unroll
                    for (int r = 0; r < S::kTall; ++r) {
                        v[r] = shifted[e][r] - own[plane][e][r];
                        if (r >= F && r < Y + F) d[n][plane][e][r - F] = v[r];
                    }
                    squareSums<F, GAUSSIAN>(v, s, p.ring);
#pragma unroll
                    for (int r = 0; r < Y; ++r) q[n][e][r][plane] = s[r];
                }
            }
            // The offsets that have all planes of a result, the (t - n - kBefore)-th.
            const int from = t < S::kDeep ? 0 : t - S::kDeep + 1, to = min(t - kBefore, N - 1) + 1;
            if (to <= from || (WATCH != kSides && !(inside >> (t - kBefore) & 1))) continue;
            float w[X][N * Y]; // distances
#pragma unroll
            for (int n = 0; n < N; ++n)
#pragma unroll
                for (int e = 0; e < X; ++e)
#pragma unroll
                    for (int r = 0; r < Y; ++r)
                        if (from <= n && n < to) w[e][n * Y + r] = DIMS == 3 ? windowSum<F, GAUSSIAN>(q[n][e][r], t - n - kBefore, p.ring) : q[n][e][r][0];
            rowSums<F, X, N * Y, GAUSSIAN>(w, from * Y, to * Y, p.ring);
#pragma unroll
            for (int n = 0; n < N; ++n) {
                if (n < from || n >= to) continue;
                const int k = t - n - kBefore, middle = DIMS == 3 ? k + F : 0;
#pragma unroll
                for (int e = 0; e < X; ++e) {
#pragma unroll
                    for (int r = 0; r < Y; ++r) {
                        float log = -w[e][n * Y + r], v = d[n][middle][e][r];
                        if (WATCH == kEdges) log += edge[e][r];
                        if (WATCH == kEverything) {
                            int c = column + e;
                            unsigned word = bits[(middle * S::kRows + r + F) * S::kWords + (c >> 5)];
                            log = word >> (c & 31) & 1 ? fminf(p.cut + log, 0.f) : kNever;
                            // v_j^2 - v_i^2 = (v_j - v_i) (v_j - v_i + 2 v_i)
                            if (p.rician) v *= v + 2 * (own[middle][e][r + F] + reference);
                        }
                        addWhere(WATCH != kSides || beside[e], sums.num[k][e][r], sums.den[k][e][r], sums.log[k][e][r],
                                 powerOfTwo(log), v, log);
                    }
                }
            }
        }
    }

    // walk goes through the offsets first <= o < first + n. Where the neighbours
    // of all the thread's voxels are inside along y and z, as they mostly are,
    // several offsets go together; elsewhere they go one by one.
    template <bool EVERYTHING>
    __device__ void walk(const int (&first)[3], const int (&n)[3])
    {
        const Field &f = p.field;
        if (y >= f.max[1]) return; // none of the warp's rows is wanted
        const int lastRow = min(y + Y, f.dims[1]) - 1, lastPlane = min(z + Z, f.dims[2]) - 1;
        for (int k = 0; k < n[2]; k += TOGETHER) {
            const int oz = first[2] + k, group = min(TOGETHER, n[2] - k);
            for (int j = 0; j < n[1]; ++j) {
                const int oy = first[1] + j;
                if (lastRow + oy < 0 || y + oy >= f.dims[1]) continue;
                const bool whole = !EVERYTHING && group == TOGETHER && y + oy >= 0 && lastRow + oy < f.dims[1] &&
                                   z + oz >= 0 && lastPlane + oz + TOGETHER <= f.dims[2];
                // The voxel itself is left out: two stretches in its row.
                const bool own = oy == 0 && oz <= 0 && 0 < oz + group && first[0] <= 0 && 0 < first[0] + n[0];
                const int row = k * S::kRows + warp * Y + j;
                if (whole) {
                    for (int part = 0; part <= int(own); ++part) {
                        const int end = own && part == 0 ? -first[0] : n[0];
#pragma unroll S::kUnroll
                        for (int i = part == 0 ? 0 : 1 - first[0]; i < end; ++i) {
                            const float *tile[X];
                            float edge[X][Y];
                            bool beside[X];
#pragma unroll
                            for (int e = 0; e < X; ++e) {
                                tile[e] = values + row * S::kColumns + S::at(X * lane + e + i);
                                beside[e] = unsigned(x + e + first[0] + i) < unsigned(f.dims[0]);
                            }
                            offsets<kSides, TOGETHER>(tile, nullptr, 0, beside, edge, ~0u);
                        }
                    }
                    if (TOGETHER == 1 || !own) continue;
                }
                const int from = whole ? -first[0] : 0, to = whole ? from + 1 : n[0];
                for (int g = 0; g < group; ++g) oneByOne<EVERYTHING>(first[0], oy, oz + g, from, to, row + g * S::kRows);
            }
        }
    }

    // oneByOne goes through the offsets (ox + i, oy, oz), from <= i < to, and leaves
    // the voxel itself out. row is where the tile's row begins.
    template <bool EVERYTHING>
    __device__ void oneByOne(int ox, int oy, int oz, int from, int to, int row)
    {
        const Field &f = p.field;
        unsigned inside = 0;
#pragma unroll
        for (int k = 0; k < Z; ++k) inside |= unsigned(unsigned(z + k + oz) < unsigned(f.dims[2])) << k;
        if (inside == 0) return;
        float rowEdge[Y];
#pragma unroll
        for (int r = 0; r < Y; ++r) rowEdge[r] = unsigned(y + r + oy) < unsigned(f.dims[1]) ? 0 : kNever;
        for (int i = from; i < to; ++i) {
            if (ox + i == 0 && oy == 0 && oz == 0) continue;
            const float *tile[X];
            float edge[X][Y];
            bool beside[X];
#pragma unroll
            for (int e = 0; e < X; ++e) {
                tile[e] = values + row * S::kColumns + S::at(X * lane + e + i);
                beside[e] = unsigned(x + e + ox + i) < unsigned(f.dims[0]);
#pragma unroll
                for (int r = 0; r < Y; ++r) edge[e][r] = beside[e] ? rowEdge[r] : kNever;
            }
            offsets<EVERYTHING ? kEverything : kEdges, 1>(tile, usable + row * S::kWords, X * lane + i, beside, edge, inside);
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
    for (int i = 0; i < S::kWords; ++i) column[i] = mirror(x + lane + 32 * i, f.dims[0]) * f.columnStep();
    int row = threadIdx.y, plane = 0;
#pragma unroll 8
    for (int line = threadIdx.y; line < planes * rows; line += WARPS) {
        const float *from = f.row(y + row, z + plane);
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
        row += WARPS;
        if (row >= rows) row -= rows, ++plane;
    }
    return masked;
}

// finish turns a voxel's sums into its result, or leaves it to nlm_faint where
// the weights ran out of float32's range.
__device__ inline void finish(const NlmParams &p, int x, int y, int z, float num, float den, float log)
{
    const Field &f = p.field;
    if (x >= f.max[0] || y >= f.max[1] || z >= f.max[2]) return;
    const float v = __ldg(f.in + f.index<true>(x, y, z));
    float result = v;
    if (!f.valid<true>(x, y, z)) {
        result = v;
    } else if (log <= kNever / 2) { // no neighbour
        result = fromMean(p, v, 0);
    } else if (p.one || log >= kFaint) {
        float centre = p.one ? 1 : powerOfTwo(log);
        double unit = p.rician ? double(p.inverse) * p.inverse : double(p.inverse);
        result = fromMean(p, v, double(num / (den + centre)) * unit);
    } else if (log >= kNothing) {
        result = __uint_as_float(kFaintVoxel);
    }
    *f.result<true>(x, y, z) = result;
}

// nlmBlock filters a tile of (32 X - 2 F) x (WARPS Y) x Z voxels.
template <int DIMS, int F, int X, int Y, int Z, int WARPS, int STEPS, int TOGETHER, bool GAUSSIAN>
__device__ inline void nlmBlock(const NlmParams &p)
{
    using S = Shape<DIMS, F, X, Y, Z, WARPS, STEPS, TOGETHER>;
    constexpr int kHalo = DIMS == 3 ? F : 0; // of the patch along z
    extern __shared__ float shared[];
    float *values = shared;
    unsigned *usable = reinterpret_cast<unsigned *>(shared + S::kPlanes * S::kRows * S::kColumns);

    const Field &f = p.field;
    const Tile tile = tileOf(f, 32 * X - 2 * F, WARPS * Y, Z);
    const int lane = threadIdx.x, warp = threadIdx.y;
    const int x = tile.x - F + X * lane, y = tile.y + warp * Y, z = tile.z;
    const float reference = referenceOf<true>(f, tile, WARPS * Y);

    float own[S::kDeep][X][S::kTall];
    int rowOffset[S::kTall];
#pragma unroll
    for (int r = 0; r < S::kTall; ++r) rowOffset[r] = f.rowOffset(y - F + r);
#pragma unroll
    for (int e = 0; e < X; ++e) {
        const int column = mirror(x + e, f.dims[0]) * f.columnStep();
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

    Walker<DIMS, F, X, Y, Z, WARPS, STEPS, TOGETHER, GAUSSIAN> walker{
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
                if (z + Z - 1 + first[2] + n[2] - 1 < 0 || z + first[2] >= f.dims[2]) continue;
                __syncthreads(); // the last brick is done with
                if (special || f.mask != nullptr) {
                    bool masked = loadTile<S, WARPS, true>(p, values, usable, tx, ty, tz, rows, planes, reference);
                    if (__syncthreads_or(masked) || special) {
                        walker.template walk<true>(first, n);
                        continue;
                    }
                } else {
                    loadTile<S, WARPS, false>(p, values, usable, tx, ty, tz, rows, planes, reference);
                    __syncthreads();
                }
                walker.template walk<false>(first, n);
            }
        }
    }

#pragma unroll
    for (int e = 0; e < X; ++e) {
        int column = X * lane + e;
        if (column < F || column >= 32 * X - F) continue;
#pragma unroll
        for (int k = 0; k < Z; ++k)
#pragma unroll
            for (int r = 0; r < Y; ++r)
                finish(p, x + e, y + r, z + k, sums.num[k][e][r], sums.den[k][e][r], sums.log[k][e][r]);
    }
}
