// Fast non-local means in registers and shared memory (for the formulas see
// nlm_any.cuh).
//
// By the definition every pair of voxels costs a whole patch. Two facts reduce that to
// a few instructions:
//
//  1. For one offset o, all distances D(x) = sum_k a_k (v(x+k) - v(x+k+o))^2 are
//     one image of squared differences under a separable filter: a sum along y,
//     one along z, one along x.
//  2. Neighbouring results share almost all of these sums.
//
// A thread computes a column of X x Y x Z voxels, with the lanes side by side along x,
// and processes the search region offset by offset. For each offset it reads the
// shifted voxels from shared memory (its own are in registers), squares the
// differences, sums them along y and z in registers and along x by shuffles between
// lanes, and adds the weight to its sums. Numerator, denominator and largest weight
// stay in registers until the end. There are no atomics, so that results are the same
// in every run.
//
// In three dimensions it processes several offsets that follow each other along z
// together: plane t + 1 of one is plane t of the next, so that a shifted voxel is read
// once for all of them. In two dimensions it does so with two along y.
//
// The search region is divided into bricks of 9 x 9 offsets (17 x 17 in two dimensions)
// and a few z steps, whose voxels fit in shared memory, so that any search radius is
// possible. The outermost F voxels of a warp's row on each side are only samples for
// the others.
//
// The warps of a block lie side by side along y. Where that would leave most of them, or
// the device, without work, they share their voxels and take turns with the rows of
// offsets (NlmParams::parts, and for 3^3 the last layers of tiles from NlmParams::sharedFrom
// on); their sums are added at the end, in a fixed order.
//
// The sums are of values relative to one voxel of the block; the voxel's own is subtracted at
// the end. A sum of differences would keep those in registers.
//
// nlm_select.cu defines NLM_SELECT, which adds preselection: a neighbour whose mean or
// deviation differs too much has no weight. The code of nlm.cu does not have it.
//
// The difference of every value from that of one voxel of the block is scaled, so that
// a large common offset costs no precision. With scaled values the weight is 2^-D, one
// instruction.
#pragma once

#include "nlm_any.cuh"
#include "nlm_sums.cuh"

// Shape describes how a kernel divides the volume for DIMS dimensions and patch
// radius F: X x Y x Z voxels per thread, WARPS side by side along y per block, STEPS z
// steps of the search region in shared memory at once and TOGETHER of them processed
// together. It mirrors nlmTile of nlm.go.
template <int DIMS, int F, int X, int Y, int Z, int WARPS, int STEPS, int TOGETHER>
struct Shape {
    static constexpr int kBrick = DIMS == 3 ? 9 : 17;         // offsets along x and along y in shared memory at once
    static constexpr int kTall = Y + 2 * F;                   // rows a thread reads
    static constexpr int kDeep = DIMS == 3 ? Z + 2 * F : 1;   // planes a thread reads for an offset
    static constexpr int kColumns = 32 * X + kBrick - 1;      // columns of the tile in shared memory
    static constexpr int kRows = WARPS * Y + 2 * F + kBrick - 1;
    static constexpr int kPlanes = kDeep + STEPS - 1;
    static constexpr bool kEndShares = DIMS == 3 && F == 1;   // NlmParams::sharedFrom counts; where registers are scarcer the main loop is slower with that
    static constexpr int kRowsRead = kEndShares ? (kRows + WARPS - 1) / WARPS : 5; // rows of the tile that a warp reads together
    static constexpr bool kAlongZ = DIMS == 3 && F == 1 && Z < Y; // squares are summed along z first, which then takes fewer sums
    static constexpr bool kInSteps = DIMS == 3 && F == 2 && X == 1; // Gaussian sums along x are those of rowSumsInSteps
    static constexpr int kWords = (kColumns + 31) / 32;       // words with one bit per column of a row
    static_assert(kPlanes * kRows * (kColumns + kWords) * 4 <= 64 << 10, "compute capability 7.5 has no more than 64 KB");

    // at returns the position of column c in a row. With two voxels per lane the even
    // columns come first, so that the lanes read adjacent words.
    static __device__ int at(int c) { return X == 1 ? c : (c & 1) * (kColumns / 2) + (c >> 1); }
};

// Sums holds the sums of each of a thread's voxels.
template <int X, int Y, int Z>
struct Sums {
    float num[Z][X][Y]; // of w v_j, scaled and relative to the block's reference; rician: of w (v_j^2 - v_i^2)
    float den[Z][X][Y]; // of w
    float log[Z][X][Y]; // largest logarithm of w
};

// addIf adds a weight w with logarithm log to a voxel's sums if inside is true. The
// predicated instructions save the selects that the compiler would generate.
__device__ inline void addIf(bool inside, float &num, float &den, float &most, float w, float d, float log)
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

// Checks states which neighbours may be unusable at an offset.
enum Checks {
    kSides,      // those outside the volume along x
    kEdges,      // those outside along any axis
    kEverything, // also masked ones; and sigma or rician may be set
};

// Walker processes one brick of offsets.
template <int DIMS, int F, int X, int Y, int Z, int WARPS, int STEPS, int TOGETHER, bool GAUSSIAN>
struct Walker {
    using S = Shape<DIMS, F, X, Y, Z, WARPS, STEPS, TOGETHER>;

    const NlmParams &p;
    const float *values;      // the tile; column 0 is x - F + the brick's first offset
    const unsigned *usable;   // a bit for each voxel of the tile
    int lane;
    int firstRow;             // of the warp in the block's tile
    int parts;                // warps that share their voxels
    int turn;                 // rows of offsets before the next one that is this warp's
    int x, y, z;              // the thread's first voxel, minus F along x
    float reference;          // the scaled value that was subtracted from all values of the tile
    float (&own)[S::kDeep][X][S::kTall];
    Sums<X, Y, Z> &sums;
#ifdef NLM_SELECT
    const Selection &select;
    int offset[3]; // of the neighbours

    // chosen returns whether the neighbour of a voxel of the region, which is in the
    // volume, is alike.
    __device__ bool chosen(int vx, int vy, int vz) const
    {
        const Field &f = p.field;
        if (vx < f.min[0] || vy < f.min[1] || vz < f.min[2] || vx >= f.max[0] || vy >= f.max[1] || vz >= f.max[2]) return false;
        return select.alike(vx, vy, vz, vx + offset[0], vy + offset[1], vz + offset[2]);
    }
#endif

    // offsets adds the weights of N offsets that follow each other along z. tile points
    // at the thread's first shifted voxel, for each voxel of a lane. beside is true
    // if the neighbour of such a voxel is inside the volume along x. edge is kUnused
    // for the results whose neighbour is outside along x or y. Bit z of inside is set
    // if the neighbour is inside along z. cut is that of the offset; kEverything uses it.
    template <Checks CHECKS, int N>
    __device__ void offsets(const float *const (&tile)[X], const unsigned *bits, int column, const bool (&beside)[X],
                            const float (&edge)[X][Y], unsigned inside, float cut)
    {
        constexpr int kBefore = S::kDeep - Z; // planes before the one that completes the first result
        float q[N][X][Y][S::kDeep];           // sums along y
        float d[N][S::kDeep][X][S::kTall];    // differences
        float v[S::kDeep + N - 1][X][S::kTall]; // the shifted voxels
#pragma unroll
        for (int t = 0; t < S::kDeep + N - 1; ++t) {
#pragma unroll
            for (int e = 0; e < X; ++e)
#pragma unroll
                for (int r = 0; r < S::kTall; ++r) v[t][e][r] = tile[e][(t * S::kRows + r) * S::kColumns];
            // This is plane t - n of the n-th offset.
#pragma unroll
            for (int n = 0; n < N; ++n) {
                const int plane = t - n;
                if (plane < 0 || plane >= S::kDeep) continue;
#pragma unroll
                for (int e = 0; e < X; ++e) {
#pragma unroll
                    for (int r = 0; r < S::kTall; ++r) d[n][plane][e][r] = v[t][e][r] - own[plane][e][r];
                    if constexpr (!S::kAlongZ) {
                        float s[Y];
                        squareSums<F, GAUSSIAN>(d[n][plane][e], s, p.ring);
#pragma unroll
                        for (int r = 0; r < Y; ++r) q[n][e][r][plane] = s[r];
                    }
                }
            }
            // The offsets that now have all planes of a result, the (t - n - kBefore)-th.
            const int from = t < S::kDeep ? 0 : t - S::kDeep + 1, to = min(t - kBefore, N - 1) + 1;
            if (to <= from || (CHECKS != kSides && !(inside >> (t - kBefore) & 1))) continue;
            float w[X][N * Y]; // distances
#pragma unroll
            for (int n = 0; n < N; ++n) {
                if (n < from || n >= to) continue;
                const int k = t - n - kBefore;
#pragma unroll
                for (int e = 0; e < X; ++e) {
                    float column[S::kTall]; // sums along z
                    if constexpr (S::kAlongZ)
#pragma unroll
                        for (int r = 0; r < S::kTall; ++r) column[r] = squareSumOfThree<Z>(k, p.ring[1], [&](int plane) { return d[n][plane][e][r]; });
#pragma unroll
                    for (int r = 0; r < Y; ++r)
                        w[e][n * Y + r] = S::kAlongZ ? tapSum<F, GAUSSIAN>(column, r, p.ring) : DIMS == 3 ? tapSum<F, GAUSSIAN>(q[n][e][r], k, p.ring) : q[n][e][r][0];
                }
            }
            if constexpr (S::kInSteps && GAUSSIAN) rowSumsInSteps(w[0], from * Y, to * Y, p.steps);
            else rowSums<F, X, N * Y, GAUSSIAN>(w, from * Y, to * Y, p.ring);
#pragma unroll
            for (int n = 0; n < N; ++n) {
                if (n < from || n >= to) continue;
                const int k = t - n - kBefore, middle = DIMS == 3 ? k + F : 0;
#pragma unroll
                for (int e = 0; e < X; ++e) {
#pragma unroll
                    for (int r = 0; r < Y; ++r) {
                        float log = -w[e][n * Y + r], value = v[middle + n][e][r + F];

                        if (CHECKS == kEdges) log += edge[e][r];
                        if (CHECKS == kEverything) {
                            int c = column + e;
                            unsigned word = bits[(middle * S::kRows + r + F) * S::kWords + (c >> 5)];
#ifdef NLM_SELECT
                            if (!(word >> (c & 31) & 1) || !chosen(x + e, y + r, z + k)) word = 0;
#endif
                            log = word >> (c & 31) & 1 ? fminf(cut + log, 0.f) : kUnused;
                            // v_j^2 - v_i^2 = (v_j - v_i) (v_j - v_i + 2 v_i)
                            const float difference = d[n][middle][e][r + F];
                            if (p.rician) value = difference * (difference + 2 * (own[middle][e][r + F] + reference));
                        }
                        addIf(CHECKS != kSides || beside[e], sums.num[k][e][r], sums.den[k][e][r], sums.log[k][e][r],
                                 powerOfTwo(log), value, log);
                    }
                }
            }
        }
    }

    // walk processes the offsets first <= o < first + n: several together if the
    // neighbours of all the thread's voxels are inside along y and z, as they mostly
    // are, otherwise one by one.
    template <bool EVERYTHING>
    __device__ void walk(const int (&first)[3], const int (&n)[3])
    {
        const Field &f = p.field;
        if (y >= f.max[1]) return; // all of the warp's rows are outside the region
        const int lastRow = min(y + Y, f.dims[1]) - 1, lastPlane = min(z + Z, f.dims[2]) - 1;
        for (int k = 0; k < n[2]; k += TOGETHER) {
            const int oz = first[2] + k, group = min(TOGETHER, n[2] - k);
            for (int j = 0; j < n[1]; ++j) {
                const int oy = first[1] + j;
                if (lastRow + oy < 0 || y + oy >= f.dims[1]) continue;
                if (turn-- > 0) continue;
                turn = parts - 1;
                const bool whole = !EVERYTHING && (group == TOGETHER || group == 2) && y + oy >= 0 && lastRow + oy < f.dims[1] &&
                                   z + oz >= 0 && lastPlane + oz + group <= f.dims[2];
                // The offset zero is left out, which divides its row into two parts.
                const bool hasZero = oy == 0 && oz <= 0 && 0 < oz + group && first[0] <= 0 && 0 < first[0] + n[0];
                const int row = k * S::kRows + firstRow + j;
                if (whole) {
                    if constexpr (DIMS == 2) {
                        // Two rows of offsets share all shifted rows but one.
                        if (parts == 1 && j + 1 < n[1] && oy != -1 && oy != 0 && lastRow + oy + 1 < f.dims[1]) {
                            along<1, 2>(first[0], 0, n[0], row);
                            ++j;
                            continue;
                        }
                    }
                    for (int part = 0; part <= int(hasZero); ++part) {
                        const int start = part == 0 ? 0 : 1 - first[0], end = hasZero && part == 0 ? -first[0] : n[0];
                        if constexpr (TOGETHER > 2) {
                            if (group == 2) {
                                along<2, 1>(first[0], start, end, row);
                                continue;
                            }
                        }
                        along<TOGETHER, 1>(first[0], start, end, row);
                    }
                    if (TOGETHER == 1 || !hasZero) continue;
                }
                const int from = whole ? -first[0] : 0, to = whole ? from + 1 : n[0];
                for (int g = 0; g < group; ++g) oneByOne<EVERYTHING>(first[0], oy, oz + g, from, to, row + g * S::kRows);
            }
        }
    }

    // along processes the offsets (ox + i, oy, oz), from <= i < to, of ROWS steps oy and N steps
    // oz that follow each other, where all neighbours are inside along y and z. row is the
    // index of the tile's row.
    template <int N, int ROWS>
    __device__ void along(int ox, int from, int to, int row)
    {
        const Field &f = p.field;
        constexpr int kUnroll = DIMS == 2 && ROWS == 1 ? 2 : 1;
#pragma unroll kUnroll
        for (int i = from; i < to; ++i) {
            bool beside[X];
#pragma unroll
            for (int e = 0; e < X; ++e) beside[e] = unsigned(x + e + ox + i) < unsigned(f.dims[0]);
#pragma unroll
            for (int k = 0; k < ROWS; ++k) {
                const float *tile[X];
                float edge[X][Y];
#pragma unroll
                for (int e = 0; e < X; ++e) tile[e] = values + (row + k) * S::kColumns + S::at(X * lane + e + i);
                offsets<kSides, N>(tile, nullptr, 0, beside, edge, ~0u, 0);
            }
        }
    }

    // oneByOne processes the offsets (ox + i, oy, oz), from <= i < to, except zero. row
    // is the index of the tile's row.
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
        for (int r = 0; r < Y; ++r) rowEdge[r] = unsigned(y + r + oy) < unsigned(f.dims[1]) ? 0 : kUnused;
        for (int i = from; i < to; ++i) {
            if (ox + i == 0 && oy == 0 && oz == 0) continue;
#ifdef NLM_SELECT
            offset[0] = ox + i, offset[1] = oy, offset[2] = oz;
#endif
            const float *tile[X];
            float edge[X][Y];
            bool beside[X];
#pragma unroll
            for (int e = 0; e < X; ++e) {
                tile[e] = values + row * S::kColumns + S::at(X * lane + e + i);
                beside[e] = unsigned(x + e + ox + i) < unsigned(f.dims[0]);
#pragma unroll
                for (int r = 0; r < Y; ++r) edge[e][r] = beside[e] ? rowEdge[r] : kUnused;
            }
            offsets<EVERYTHING ? kEverything : kEdges, 1>(tile, usable + row * S::kWords, X * lane + i, beside, edge, inside,
                                                          EVERYTHING ? cutAt(p, ox + i, oy, oz) : 0);
        }
    }
};

// loadTile fills planes x rows of the tile of a brick with the scaled differences of
// the values from reference, and, if BITS is true, the bits of the usable voxels. It
// returns whether one of the voxels is masked. A warp reads several rows of a plane
// together; their places in a plane are the same in all planes.
template <class S, int WARPS, bool BITS>
__device__ inline bool loadTile(const NlmParams &p, float *values, unsigned *usable, int x, int y, int z,
                                int rows, int planes, float reference, float scale)
{
    const Field &f = p.field;
    const int lane = threadIdx.x;
    int column[S::kWords];
    bool masked = false;
#pragma unroll
    for (int j = 0; j < S::kWords; ++j) column[j] = mirror(x + lane + 32 * j, f.dims[0]) * f.columnStep();
    for (int from = threadIdx.y; from < rows; from += WARPS * S::kRowsRead) {
        int place[S::kRowsRead];
#pragma unroll
        for (int i = 0; i < S::kRowsRead; ++i) place[i] = f.rowOffset(y + from + i * WARPS);
#pragma unroll 1
        for (int plane = 0; plane < planes; ++plane) {
            const float *slice = f.slice(z + plane);
            float value[S::kRowsRead][S::kWords];
#pragma unroll
            for (int i = 0; i < S::kRowsRead; ++i)
#pragma unroll
                for (int j = 0; j < S::kWords; ++j)
                    if (from + i * WARPS < rows) value[i][j] = __ldg(slice + place[i] + column[j]);
#pragma unroll
            for (int i = 0; i < S::kRowsRead; ++i) {
                const int row = from + i * WARPS, line = plane * S::kRows + row;
                if (row >= rows) break;
#pragma unroll
                for (int j = 0; j < S::kWords; ++j) {
                    const int c = lane + 32 * j;
                    if (c < S::kColumns) values[line * S::kColumns + S::at(c)] = (value[i][j] - reference) * scale;
                    if (BITS) {
                        bool use = f.inside(x + c, y + row, z + plane);
                        if (f.mask != nullptr && use && !__ldg(f.mask + (slice - f.in) + place[i] + column[j])) {
                            masked = true;
                            use = false;
                        }
                        unsigned bits = __ballot_sync(kAll, use);
                        if (lane == 0) usable[line * S::kWords + j] = bits;
                    }
                }
            }
        }
    }
    return masked;
}

// finish writes the result of a voxel of the region, given its value v, its sums and what scales them back. It
// returns true if its weights underflow: then it has written nothing.
__device__ inline bool finish(const NlmParams &p, int x, int y, int z, float v, float num, float den, float log, float inverse)
{
    const Field &f = p.field;
    float result = v;
    if (!f.valid<true>(x, y, z)) {
        result = v;
    } else if (log <= kUnused / 2) { // no neighbour
        result = fromMean(p, v, 0);
    } else if (p.one || log >= kUnderflow) {
        float centre = p.one ? 1 : powerOfTwo(log);
        double unit = p.rician ? double(inverse) * inverse : double(inverse);
        result = fromMean(p, v, double(num / (den + centre)) * unit);
    } else if (log >= kUnderflow64) {
        return true;
    }
    *p.result(x, y, z) = result;
    return false;
}

// write computes the results of a block from its threads' sums, which it adds over the
// warps that share their voxels in a fixed order. shared is free memory of the block for
// all sums. Voxels whose weights underflow are filtered by the whole block, in float64.
// Such voxels are rare and close together, at corners that resemble nothing around them; if
// the thread that finds them filtered them, all others would wait.
template <int F, int X, int Y, int Z, int WARPS>
#ifdef NLM_SELECT
__device__ inline void write(const NlmParams &p, const Tile &tile, int parts, const Sums<X, Y, Z> &sums, float *shared, float inverse, const Selection &select)
#else
__device__ inline void write(const NlmParams &p, const Tile &tile, int parts, const Sums<X, Y, Z> &sums, float *shared, float inverse)
#endif
{
    constexpr int kResults = X * Y * Z;
    __shared__ unsigned found[WARPS];
    const Field &f = p.field;
    const int lane = threadIdx.x, warp = threadIdx.y;
    __syncthreads(); // all threads have processed the last brick
    float *to = shared + warp * kResults * 3 * 32 + lane;
#pragma unroll
    for (int k = 0; k < Z; ++k)
#pragma unroll
        for (int e = 0; e < X; ++e)
#pragma unroll
            for (int r = 0; r < Y; ++r, to += 3 * 32) {
                to[0] = sums.num[k][e][r];
                to[32] = sums.den[k][e][r];
                to[64] = sums.log[k][e][r];
            }
    __syncthreads();

    // The warps that share voxels, all of a block, divide them now.
    const int row = warp / parts, part = warp % parts, each = kResults / parts;
    auto voxel = [&](int row, int lane, int n) { return Tile{tile.x - F + X * lane + n / Y % X, tile.y + row * Y + n % Y, tile.z + n / (X * Y)}; };
    unsigned marked = 0; // a bit for each of the thread's results
    for (int n = part * each; n < (part + 1) * each; ++n) {
        const Tile v = voxel(row, lane, n);
        if (v.x < tile.x || v.x >= tile.x + 32 * X - 2 * F || v.x >= f.max[0] || v.y >= f.max[1] || v.z >= f.max[2]) continue;
        const float value = __ldg(f.in + f.index<true>(v.x, v.y, v.z));
        float num = 0, den = 0, log = kUnused;
        for (int of = 0; of < parts; ++of) {
            const float *s = shared + ((row * parts + of) * kResults + n) * 3 * 32 + lane;
            num += s[0];
            den += s[32];
            log = fmaxf(log, s[64]);
        }
        marked |= unsigned(finish(p, v.x, v.y, v.z, value, num, den, log, inverse)) << n;
    }

    if (!__syncthreads_or(marked)) return;
    for (int n = 0; n < kResults; ++n) {
        const unsigned lanes = __ballot_sync(kAll, marked >> n & 1);
        if (lane == 0) found[warp] = lanes;
        __syncthreads();
        for (int w = 0; w < WARPS; ++w) {
            for (unsigned bits = found[w]; bits != 0; bits &= bits - 1) {
                const Tile v = voxel(w / parts, __ffs(bits) - 1, n);
#ifdef NLM_SELECT
                const float result = exactVoxel<32 * WARPS, true>(p, v.x, v.y, v.z, Chosen{select});
#else
                const float result = exactVoxel<32 * WARPS, true>(p, v.x, v.y, v.z, AllNeighbours{});
#endif
                if (warp == 0 && lane == 0) *p.result(v.x, v.y, v.z) = result;
            }
        }
        __syncthreads(); // all threads have read found
    }
}

// Place is the tile of a block and how many of its warps share their voxels.
struct Place {
    Tile tile;
    int parts;
};

// placeOf returns the place of this block, for tiles of WIDTH x (WARPS Y / parts) x Z voxels.
// With END_SHARES the blocks of the layers of tiles from NlmParams::sharedFrom on are numbered
// after all others.
template <bool END_SHARES, int WIDTH, int Y, int Z, int WARPS>
__device__ inline Place placeOf(const NlmParams &p)
{
    const Field &f = p.field;
    const int height = WARPS / p.parts * Y;
    if constexpr (END_SHARES) {
        const unsigned across = (f.max[0] - f.min[0] + WIDTH - 1) / WIDTH, down = (f.max[1] - f.min[1] + height - 1) / height;
        const unsigned layers = (clamp(p.sharedFrom, f.min[2], f.max[2]) - f.min[2] + Z - 1) / Z, before = across * down * layers;
        if (blockIdx.x >= before) {
            const unsigned low = (f.max[1] - f.min[1] + Y - 1) / Y, i = blockIdx.x - before, line = i / across, layer = line / low;
            return {{f.min[0] + int(i - line * across) * WIDTH, f.min[1] + int(line - layer * low) * Y, f.min[2] + int(layers + layer) * Z}, WARPS};
        }
    }
    return {tileOf(f, WIDTH, height, Z), p.parts};
}

// nlmBlock filters a tile of (32 X - 2 F) x (WARPS Y / parts) x Z voxels.
template <int DIMS, int F, int X, int Y, int Z, int WARPS, int STEPS, int TOGETHER, bool GAUSSIAN>
#ifdef NLM_SELECT
__device__ inline void nlmBlock(const NlmParams &p, const Selection &select)
#else
__device__ inline void nlmBlock(const NlmParams &p)
#endif
{
    using S = Shape<DIMS, F, X, Y, Z, WARPS, STEPS, TOGETHER>;
    constexpr int kHalo = DIMS == 3 ? F : 0; // the patch radius along z
    extern __shared__ float shared[];
    float *values = shared;
    unsigned *usable = reinterpret_cast<unsigned *>(shared + S::kPlanes * S::kRows * S::kColumns);

    const Field &f = p.field;
    const Place place = placeOf<S::kEndShares, 32 * X - 2 * F, Y, Z, WARPS>(p);
    const Tile tile = place.tile;
    const int parts = place.parts, height = WARPS / parts * Y;
    const int lane = threadIdx.x, firstRow = threadIdx.y / parts * Y;
    const int x = tile.x - F + X * lane, y = tile.y + firstRow, z = tile.z;
    const float reference = referenceOf<true>(f, tile, height), scale = S::kInSteps && GAUSSIAN ? p.scale * p.stepScale : p.scale;

    // Where a slice has one brick, the thread's own voxels are in its tile, and readOwn reads them
    // there, which saves small images the time of another read of the image.
    const bool inTile = DIMS == 2 && max(p.search[0], p.search[1]) <= S::kBrick / 2;
    float own[S::kDeep][X][S::kTall];
    if (!inTile) {
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
                for (int r = 0; r < S::kTall; ++r) own[t][e][r] = (__ldg(slice + rowOffset[r]) - reference) * scale;
            }
        }
    }

    auto readOwn = [&] {
        if constexpr (DIMS == 2) {
            if (!inTile) return;
#pragma unroll
            for (int e = 0; e < X; ++e)
#pragma unroll
                for (int r = 0; r < S::kTall; ++r)
                    own[0][e][r] = values[(firstRow + r + p.search[1]) * S::kColumns + S::at(X * lane + e + p.search[0])];
        }
    };

    Sums<X, Y, Z> sums;
#pragma unroll
    for (int k = 0; k < Z; ++k)
#pragma unroll
        for (int e = 0; e < X; ++e)
#pragma unroll
            for (int r = 0; r < Y; ++r) {
                sums.num[k][e][r] = sums.den[k][e][r] = 0;
                sums.log[k][e][r] = kUnused;
            }

    Walker<DIMS, F, X, Y, Z, WARPS, STEPS, TOGETHER, GAUSSIAN> walker{
        p, values, usable, lane, firstRow, parts, int(threadIdx.y) % parts, x, y, z, reference * scale, own, sums
#ifdef NLM_SELECT
        , select, {0, 0, 0}
#endif
    };
#ifdef NLM_SELECT
    const bool special = true;
#else
    const bool special = p.rician || p.cut > 0;
#endif
    int first[3];
    for (int steps, left = 2 * p.search[2] + 1; left > 0; left -= steps) {
        steps = STEPS > 2 && left == STEPS + 1 ? STEPS - 1 : min(STEPS, left); // no single step is left over
        first[2] = p.search[2] + 1 - left;
        for (first[1] = -p.search[1]; first[1] <= p.search[1]; first[1] += S::kBrick) {
            for (first[0] = -p.search[0]; first[0] <= p.search[0]; first[0] += S::kBrick) {
                const int n[3] = {min(S::kBrick, p.search[0] - first[0] + 1), min(S::kBrick, p.search[1] - first[1] + 1),
                                  steps};
                const int tx = tile.x - F + first[0], ty = tile.y - F + first[1], tz = z - kHalo + first[2];
                const int rows = height + 2 * F + n[1] - 1, planes = S::kDeep + n[2] - 1;
                if (z + Z - 1 + first[2] + n[2] - 1 < 0 || z + first[2] >= f.dims[2]) continue;
                __syncthreads(); // all threads have processed the previous brick
                if (special || f.mask != nullptr) {
                    bool masked = loadTile<S, WARPS, true>(p, values, usable, tx, ty, tz, rows, planes, reference, scale);
                    if (__syncthreads_or(masked) || special) {
                        readOwn();
                        walker.template walk<true>(first, n);
                        continue;
                    }
                } else {
                    loadTile<S, WARPS, false>(p, values, usable, tx, ty, tz, rows, planes, reference, scale);
                    __syncthreads();
                }
                readOwn();
                walker.template walk<false>(first, n);
            }
        }
    }

    // From sums of values to sums of differences from the voxel's own.
    if (!p.rician) {
#pragma unroll
        for (int k = 0; k < Z; ++k)
#pragma unroll
            for (int e = 0; e < X; ++e)
#pragma unroll
                for (int r = 0; r < Y; ++r) sums.num[k][e][r] = fmaf(-own[k + kHalo][e][r + F], sums.den[k][e][r], sums.num[k][e][r]);
    }
    const float inverse = S::kInSteps && GAUSSIAN ? p.inverse / p.stepScale : p.inverse;
#ifdef NLM_SELECT
    write<F, X, Y, Z, WARPS>(p, tile, parts, sums, shared, inverse, select);
#else
    write<F, X, Y, Z, WARPS>(p, tile, parts, sums, shared, inverse);
#endif
}
