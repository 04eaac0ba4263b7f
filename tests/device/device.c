/* SPDX-License-Identifier: Apache-2.0
 * device - one measurement of a real card, as a JSON document on stdout.
 * tests/device/run calls it for each row of its report. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/device/rig.h"

static const struct command {
	const char *name;
	rig_f run;
	int n, pause_ms;	/* where the command line says nothing */
	const char *help;
} commands[] = {
	{ "info", rig_info, 0, 0, "the card, its driver and its settings" },
	{ "gemm", rig_gemm, 100, 0, "N times: the same digests, which rate" },
	{ "membw", rig_membw, 20, 0, "N times: rates of the GPU's memory" },
	{ "pcie", rig_pcie, 20, 0, "N times: rates of copies" },
	{ "phases", rig_phases, 0, 0, "how long each step of a probe takes" },
	{ "kernels", rig_kernels, 1, 0, "each kernel (N iterations) against the CPU" },
	{ "fields", rig_fields, 1000, 0, "N calls, MS ms apart: latency of NVML fields" },
	{ "gpm", rig_gpm, 0, 0, "which GPM metrics answer" },
	{ "onerank", rig_onerank, 0, 0, "NCCL on this one GPU" },
	{ "record", rig_record, 0, 0, "a scenario of all cards, without identity" },
};

#define COMMANDS (sizeof(commands) / sizeof(*commands))

static int usage(void)
{
	size_t i;

	fprintf(stderr, "usage: device [--nvml PATH] [--cuda PATH] "
			"[--nccl PATH] COMMAND [N [MS]]\n");
	for (i = 0; i < COMMANDS; i++)
		fprintf(stderr, "  %-8s %s\n", commands[i].name,
			commands[i].help);
	return RIG_USAGE;
}

static const char **option(struct rig *r, const char *word)
{
	if (!strcmp(word, "--nvml"))
		return &r->nvml_path;
	if (!strcmp(word, "--cuda"))
		return &r->cuda_path;
	return !strcmp(word, "--nccl") ? &r->nccl_path : NULL;
}

static bool number(const char *word, int *out)
{
	char *end;
	long v;

	if (!word)
		return true;
	v = strtol(word, &end, 10);
	*out = (int)v;
	return end != word && !*end && v > 0 && v <= 1000000;
}

/* NULL: that is no way to call it. */
static const struct command *parse(struct rig *r, char **argv)
{
	const struct command *c = commands;
	const char **path;

	for (argv++; *argv && (path = option(r, *argv)); argv += 2) {
		if (!argv[1])
			return NULL;
		*path = argv[1];
	}
	while (c < commands + COMMANDS && *argv && strcmp(c->name, *argv) != 0)
		c++;
	if (!*argv || c == commands + COMMANDS)
		return NULL;
	r->n = c->n;
	r->pause_ms = c->pause_ms;
	if (!number(argv[1], &r->n) ||
	    (argv[1] && (!number(argv[2], &r->pause_ms) ||
			 (argv[2] && argv[3]))))
		return NULL;
	return c;
}

int main(int argc, char **argv)
{
	static struct rig rig;
	const struct command *c = parse(&rig, argv);
	int rc;

	(void)argc;
	if (!c)
		return usage();
	/* As in assay's workers; which GPU is first, the caller may say. */
	setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
	setenv("CUDA_CACHE_DISABLE", "1", 1);
	setenv("CUDA_MODULE_LOADING", "LAZY", 1);
	setenv("NCCL_DEBUG", "NONE", 1);
	rig.libs.progress = &rig.progress;
	rig.out = json_object();
	rc = c->run(&rig);
	if (rc == RIG_OK || (rc == RIG_WRONG && json_object_size(rig.out))) {
		json_dumpf(rig.out, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
		putchar('\n');
	}
	rig_close(&rig);
	return rc;
}
