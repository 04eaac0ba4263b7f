/* SPDX-License-Identifier: Apache-2.0
 * kernels_mma - the tensor cores in units of 16x16, and on the CPU what they
 * do, from the same registers of the same lanes.
 *
 * A tile of operands lies in shared memory in columns of 16-byte words: word
 * [k / per word][row] holds the elements of one row that are neighbours in k,
 * so that what a warp reads together lies together. B lies by its columns.
 *
 *   sm_80 and later   mma m16n8k16, bf16; m16n8k8; m16n8k32 e4m3 from sm_89
 *   sm_75             mma m16n8k8, fp16
 *   sm_70             mma m8n8k4, fp16: four quad-pairs, 8x8 each
 *
 * Operands are multiples of 2^-7 below 2, which bf16 and fp16 both hold, and
 * sums of their products are exact while they stay below 2^10. So neither the
 * format nor the order in which hardware adds makes a difference.
 */
#ifndef ASSAY_KERNELS_MMA_H
#define ASSAY_KERNELS_MMA_H

#include "probes/kernels_lang.h"

#define UNIT 16
#define ACC 8		/* of a lane, of 16x16 */
#define HAVE_FP8 (ARCH >= 890)
#define HAVE_BF16 (ARCH >= 800)

/* A lane's part of 16 rows of A (columns of B): of 32 bytes of each row. */
#if ARCH >= 750
#define FRAG 4
#else
#define FRAG 8
#endif

struct frag {
	uint32_t r[FRAG];
};

struct acc {
	float c[ACC];
};

enum side { SIDE_A, SIDE_B };

/* ---- which element lies where (PTX ISA, "Matrix Fragments") -------------- */

#if ARCH >= 750

/* Row of A (column of B) of register r of a lane, within a unit. */
PART uint32_t frag_row(uint32_t lane, uint32_t r, enum side side)
{
	(void)side;
	return lane / 4 + (r & 1) * 8;
}

/* Its first k, for registers of n elements. */
PART uint32_t frag_k(uint32_t lane, uint32_t r, uint32_t n)
{
	return lane % 4 * n + (r >> 1) * 4 * n;
}

PART uint32_t acc_row(uint32_t lane, uint32_t i)
{
	return lane / 4 + (i >> 1 & 1) * 8;
}

PART uint32_t acc_col(uint32_t lane, uint32_t i)
{
	return lane % 4 * 2 + (i & 1) + (i >> 2) * 8;
}

#else

/* Quad-pair q is lanes 4q to 4q+3 and 16 more; it takes the upper or lower
 * eight rows by q & 1, the left or right eight columns by q & 2. */
PART uint32_t frag_row(uint32_t lane, uint32_t r, enum side side)
{
	const uint32_t q = lane / 4 % 4;

	(void)r;
	return lane % 4 + lane / 16 * 4 +
		(side == SIDE_A ? q & 1 : q >> 1) * 8;
}

PART uint32_t frag_k(uint32_t lane, uint32_t r, uint32_t n)
{
	(void)lane;
	return r * n;
}

PART uint32_t acc_row(uint32_t lane, uint32_t i)
{
	return (lane & 1) + (i & 2) + lane / 16 * 4 + (lane / 4 & 1) * 8;
}

PART uint32_t acc_col(uint32_t lane, uint32_t i)
{
	return (i & 4) + (lane & 2) + (i & 1) + (lane / 8 & 1) * 8;
}

#endif

/* ---- operands ------------------------------------------------------------ */

/* 1.0, and the bits that may be anything with the value staying in [1, 2). */
#define BF16_ONE 0x3f80u
#define BF16_ANY 0x807fu
#define FP16_ONE 0x3c00u
#define FP16_ANY 0x83f8u	/* no more mantissa than bf16 has */
#define E4M3_ONE 0x38u
#define E4M3_ANY 0x87u

#define HALF_ONE (HAVE_BF16 ? BF16_ONE : FP16_ONE)
#define HALF_ANY (HAVE_BF16 ? BF16_ANY : FP16_ANY)

/* From 16 bits of a hash: +-n / 128, n in 32..255. */
PART uint32_t operand(uint32_t h)
{
	const uint32_t n = (h & 0xff) | 0x20;
	const uint32_t bits = float_bits((float)n / 128) | (h & 0x100) << 23;

	if (HAVE_BF16)
		return bits >> 16;
	return (bits >> 16 & 0x8000) |
		((bits & 0x7fffffff) - (112u << 23)) >> 13;
}

PART uint32_t operand_pair(uint32_t h)
{
	return operand(h) | operand(h >> 16) << 16;
}

#ifdef __CUDACC__

/* ---- on the GPU ---------------------------------------------------------- */

/* 32 bytes of each of 16 rows; at: the first row's first word, in a tile of
 * rows rows. */
PART void unit_load(struct frag *f, const struct word *at, uint32_t rows,
		    enum side side)
{
	const uint32_t lane = threadIdx.x % WARP;
#if ARCH >= 750
	const uint32_t a = (uint32_t)__cvta_generic_to_shared(
		at + lane / 16 * rows + lane % 16);

	(void)side;
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
		     "{%0, %1, %2, %3}, [%4];"
		     : "=r"(f->r[0]), "=r"(f->r[1]), "=r"(f->r[2]),
		       "=r"(f->r[3])
		     : "r"(a)
		     : "memory");
#else
	const uint32_t row = frag_row(lane, 0, side);

	UNROLL
	for (uint32_t r = 0; r < FRAG; r++)
		f->r[r] = at[r / 4 * rows + row].part[r % 4];
#endif
}

#if ARCH >= 800
#define MMA_16816 "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
#define MMA_1688 "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 "
#else
#define MMA_1688 "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
#endif
#define MMA_16832 "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 "
#define MMA_884 "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 "

/* Two registers of A, one of B, four sums. */
#define MMA_ASM(op, c, a0, a1, b0) \
	asm(op "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" \
	    : "+f"((c)[0]), "+f"((c)[1]), "+f"((c)[2]), "+f"((c)[3]) \
	    : "r"(a0), "r"(a1), "r"(b0))

/* Four registers of A, two of B, four sums. */
#define MMA_ASM_WIDE(op, c, a, b0, b1) \
	asm(op "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, " \
	       "{%0, %1, %2, %3};" \
	    : "+f"((c)[0]), "+f"((c)[1]), "+f"((c)[2]), "+f"((c)[3]) \
	    : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"(b0), \
	      "r"(b1))

/* Two registers of A, two of B, eight sums. */
#define MMA_ASM_QUAD(op, c, a, b) \
	asm(op "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, " \
	       "{%0, %1, %2, %3, %4, %5, %6, %7};" \
	    : "+f"((c)[0]), "+f"((c)[1]), "+f"((c)[2]), "+f"((c)[3]), \
	      "+f"((c)[4]), "+f"((c)[5]), "+f"((c)[6]), "+f"((c)[7]) \
	    : "r"((a)[0]), "r"((a)[1]), "r"((b)[0]), "r"((b)[1]))

/* c += a b over the first 8 k of the fragments. */
PART void unit_mma_8(struct acc *c, const struct frag *a, const struct frag *b)
{
#if ARCH >= 750
	MMA_ASM(MMA_1688, c->c, a->r[0], a->r[1], b->r[0]);
	MMA_ASM(MMA_1688, c->c + 4, a->r[0], a->r[1], b->r[1]);
#else
	MMA_ASM_QUAD(MMA_884, c->c, a->r, b->r);
	MMA_ASM_QUAD(MMA_884, c->c, a->r + 2, b->r + 2);
#endif
}

/* Over all 16. */
PART void unit_mma(struct acc *c, const struct frag *a, const struct frag *b)
{
#if ARCH >= 800
	MMA_ASM_WIDE(MMA_16816, c->c, a->r, b->r[0], b->r[2]);
	MMA_ASM_WIDE(MMA_16816, c->c + 4, a->r, b->r[1], b->r[3]);
#elif ARCH >= 750
	MMA_ASM(MMA_1688, c->c, a->r[0], a->r[1], b->r[0]);
	MMA_ASM(MMA_1688, c->c + 4, a->r[0], a->r[1], b->r[1]);
	MMA_ASM(MMA_1688, c->c, a->r[2], a->r[3], b->r[2]);
	MMA_ASM(MMA_1688, c->c + 4, a->r[2], a->r[3], b->r[3]);
#else
	UNROLL
	for (uint32_t r = 0; r < FRAG; r += 2)
		MMA_ASM_QUAD(MMA_884, c->c, a->r + r, b->r + r);
#endif
}

/* Over 32 k of fp8. */
PART void unit_mma_fp8(struct acc *c, const struct frag *a,
		       const struct frag *b)
{
#if HAVE_FP8
	MMA_ASM_WIDE(MMA_16832, c->c, a->r, b->r[0], b->r[2]);
	MMA_ASM_WIDE(MMA_16832, c->c + 4, a->r, b->r[1], b->r[3]);
#else
	(void)c;
	(void)a;
	(void)b;
#endif
}

#else

/* ---- on the CPU ---------------------------------------------------------- */

PART void unit_load(struct frag *f, const struct word *at, uint32_t rows,
		    enum side side)
{
	for (uint32_t l = 0; l < WARP; l++) {
		for (uint32_t r = 0; r < FRAG; r++) {
			const uint32_t row = frag_row(l, r, side);
			const uint32_t pair = frag_k(l, r, 2) / 2;

			f[l].r[r] = at[pair / 4 * rows + row].part[pair % 4];
		}
	}
}

PART float half_float(uint32_t bits)
{
	if (HAVE_BF16)
		return bits_float(bits << 16);
	return bits_float((bits & 0x8000) << 16 |
			  (((bits & 0x7fff) << 13) + (112u << 23)));
}

/* Normal numbers only. */
PART float e4m3_float(uint32_t bits)
{
	return bits_float((bits & 0x80) << 24 |
			  (((bits & 0x7f) << 20) + (120u << 23)));
}

/* What of the registers counts. */
struct shape {
	uint32_t regs, bits;	/* bits of an element */
};

/* The matrix that lanes hold, as [k][row], which multiplies fast. */
PART void unit_gather(float m[32][UNIT], const struct frag *f, enum side side,
		      struct shape s)
{
	const uint32_t n = 32 / s.bits;

	for (uint32_t l = 0; l < WARP; l++) {
		for (uint32_t e = 0; e < s.regs * n; e++) {
			const uint32_t r = e / n, row = frag_row(l, r, side);
			const uint32_t v = f[l].r[r] >> e % n * s.bits;

			m[frag_k(l, r, n) + e % n][row] =
				s.bits == 8 ? e4m3_float(v & 0xff) :
					      half_float(v & 0xffff);
		}
	}
}

PART void unit_multiply(struct acc *c, const struct frag *a,
			const struct frag *b, struct shape s)
{
	const uint32_t ks = s.regs * 256 / (s.bits * FRAG);
	float ma[32][UNIT], mb[32][UNIT], sum[UNIT][UNIT] = { { 0 } };

	unit_gather(ma, a, SIDE_A, s);
	unit_gather(mb, b, SIDE_B, s);
	for (uint32_t row = 0; row < UNIT; row++) {
		for (uint32_t k = 0; k < ks; k++) {
			for (uint32_t col = 0; col < UNIT; col++)
				sum[row][col] += ma[k][row] * mb[k][col];
		}
	}
	for (uint32_t l = 0; l < WARP; l++) {
		for (uint32_t i = 0; i < ACC; i++)
			c[l].c[i] += sum[acc_row(l, i)][acc_col(l, i)];
	}
}

PART void unit_mma_8(struct acc *c, const struct frag *a, const struct frag *b)
{
	unit_multiply(c, a, b, (struct shape){ FRAG / 2, 16 });
}

PART void unit_mma(struct acc *c, const struct frag *a, const struct frag *b)
{
	unit_multiply(c, a, b, (struct shape){ FRAG, 16 });
}

PART void unit_mma_fp8(struct acc *c, const struct frag *a,
		       const struct frag *b)
{
	unit_multiply(c, a, b, (struct shape){ FRAG, 8 });
}

#endif

#endif
