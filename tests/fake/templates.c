/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "tests/fake/templates.h"

#include <string.h>

/* The files are included by the assembler, so that a fake needs nothing but
 * itself and a scenario, wherever it is mounted. */
#define TEMPLATES(X) \
	X("A100-PCIe", a100_pcie) \
	X("A100-SXM4-40GB", a100_sxm4_40gb) \
	X("A100-SXM4-80GB", a100_sxm4_80gb) \
	X("B200-SXM", b200_sxm) \
	X("GB200", gb200) \
	X("H100-NVL", h100_nvl) \
	X("H100-PCIe", h100_pcie) \
	X("H100-SXM5", h100_sxm5) \
	X("H200-SXM", h200_sxm) \
	X("L40S", l40s) \
	X("V100-SXM2", v100_sxm2)

#define X(file, id) \
	__asm__(".section .rodata\n" \
		".hidden template_" #id "\n.global template_" #id "\n" \
		"template_" #id ":\n" \
		".incbin \"" FAKE_TEMPLATES "/" file ".json\"\n" \
		".hidden template_end_" #id "\n" \
		".global template_end_" #id "\n" \
		"template_end_" #id ":\n.byte 0\n.previous\n"); \
	extern const char template_##id[], template_end_##id[];
TEMPLATES(X)
#undef X

static const struct {
	const char *name, *start, *end;
} templates[] = {
#define X(file, id) { file, template_##id, template_end_##id },
	TEMPLATES(X)
#undef X
};

#define COUNT ((int)(sizeof(templates) / sizeof(*templates)))

const char *template_name(int i)
{
	return i >= 0 && i < COUNT ? templates[i].name : NULL;
}

const char *template_text(const char *name, size_t *len)
{
	int i;

	for (i = 0; i < COUNT; i++) {
		if (strcmp(templates[i].name, name) != 0)
			continue;
		*len = (size_t)(templates[i].end - templates[i].start);
		return templates[i].start;
	}
	return NULL;
}
