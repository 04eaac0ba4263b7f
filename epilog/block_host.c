/* SPDX-License-Identifier: Apache-2.0
 * The lines on power, fabric and host.
 */
#include "config.h"
#include "epilog/block_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *text;
} holds[] = {
	{ "power", "power limit" },
	{ "thermal", "heat" },
	{ "hw", "hardware" },
};

static void say_held(struct block_line *l, const json_t *r)
{
	const json_t *held = member_at(r, "power", "throttle_s");
	const char *worst = block_text(r, "power", "worst");
	const char *sep = "; ", *before = "GPU seconds held down: ";
	double seconds;
	size_t i;

	for (i = 0; i < sizeof(holds) / sizeof(holds[0]); i++) {
		seconds = block_number(held, NULL, holds[i].name);
		if (!(seconds >= 1))
			continue;
		block_add(l, sep, "%s%s %.0f", before, holds[i].text, seconds);
		sep = ", ";
		before = "";
	}
	if (*worst && !*before)
		block_add(l, "; ", "most %s", block_device(r, worst));
}

void block_line_power(struct block_line *l, const json_t *r)
{
	double watts = block_number(r, "power", "mean_w");

	block_begin(l, "power: ");
	if (isfinite(watts))
		block_add(l, "", "mean %.0f W a GPU", watts);
	say_held(l, r);
}

/* Only where something moved. */
void block_line_thirds(struct block_line *l, const json_t *r)
{
	const json_t *a = member_at(r, "power", "first"),
		     *b = member_at(r, "power", "last");
	double mhz0 = block_number(a, NULL, "sm_mhz");
	double mhz1 = block_number(b, NULL, "sm_mhz");
	double temp0 = block_number(a, NULL, "temp_c");
	double temp1 = block_number(b, NULL, "temp_c");
	double rate =
		block_number(b, NULL, "rate") / block_number(a, NULL, "rate");

	block_begin(l, "first to last third: ");
	if (!(fabs(mhz1 / mhz0 - 1) >= 0.03 || fabs(temp1 - temp0) >= 5 ||
	      fabs(rate - 1) >= 0.05))
		return;
	if (isfinite(rate))
		block_add(l, ", ", "rate %+.0f%%", 100 * (rate - 1));
	if (isfinite(mhz0) && isfinite(mhz1))
		block_add(l, ", ", "clock %.0f -> %.0f MHz", mhz0, mhz1);
	if (isfinite(temp0) && isfinite(temp1))
		block_add(l, ", ", "%.0f -> %.0f C", temp0, temp1);
}

static void say_bytes(struct block_line *l, const char *what, double n)
{
	char buf[SHORT_MAX];

	if (n > 0)
		block_add(l, ", ", "%s %s", what, block_bytes(n, buf));
}

static void say_peak(struct block_line *l, const char *what, double gbps)
{
	if (gbps >= 0.05)
		block_add(l, ", ", "%s peak %.1f GB/s", what, gbps);
}

static void say_count(struct block_line *l, const json_t *r, const char *name,
		      const char *what)
{
	double n = block_number(r, "fabric", name);

	if (n > 0)
		block_add(l, ", ", "%.0f %s%s", n, what, n > 1 ? "s" : "");
}

/* Bytes, then what went wrong, then what there is room for. */
void block_line_fabric(struct block_line *l, const json_t *r)
{
	const json_t *f = member_at(r, NULL, "fabric");
	const char *slowest = block_text(f, NULL, "slowest");
	double leaf = block_number(f, NULL, "leaf_switches");

	block_begin(l, "fabric: ");
	say_bytes(l, "NVLink", block_number(f, NULL, "nvlink_bytes"));
	say_bytes(l, "ports",
		  block_number(f, NULL, "rx_bytes") +
			  block_number(f, NULL, "tx_bytes"));
	if (*slowest)
		block_add(l, ", ", "slowest %s (%s)", block_device(r, slowest),
			  block_text(f, NULL, "slowest_why"));
	say_count(l, r, "downs", "link down");
	say_count(l, r, "error_count", "link error");
	say_count(l, r, "nvlink_errors", "NVLink error");
	say_count(l, r, "retries", "retransmission");
	say_count(l, r, "congestion", "congestion mark");
	if (leaf > 1)
		block_add(l, ", ", "%.0f leaf switches", leaf);
	say_peak(l, "NVLink", block_number(f, "nvlink_gbps", "peak"));
	say_peak(l, "port", block_number(f, "port_gbps", "peak"));
	say_bytes(l, "PCIe", block_number(f, NULL, "pcie_bytes"));
}

/* Of how many nodes a sum is, where it is not of all. */
static void say_told(struct block_line *l, const json_t *partial,
		     const char *name)
{
	double told = block_number(partial, name, "told");
	double of = block_number(partial, name, "of");

	if (told < of)
		block_add(l, " ", "(%.0f of %.0f nodes told)", told, of);
}

void block_line_host(struct block_line *l, const json_t *r)
{
	double used = block_number(r, "cpu", "cores_used");
	double alloc = block_number(r, "cpu", "cores_alloc");
	double peak = block_number(r, "memory", "peak_bytes");
	double limit = block_number(r, "memory", "limit_bytes");
	const char *what = block_is(r, "memory", "of", "largest process") ?
				   "largest process" :
				   "memory peak";
	double rd = block_number(r, "storage", "read_bytes");
	double wr = block_number(r, "storage", "write_bytes");
	char a[SHORT_MAX], b[SHORT_MAX];

	block_begin(l, "host: ");
	if (isfinite(used) && isfinite(alloc))
		block_add(l, ", ", "%.1f of %.0f cores", used, alloc);
	else if (isfinite(used))
		block_add(l, ", ", "%.1f cores", used);
	say_told(l, member_at(r, "cpu", "partial"), "cores_used");
	if (isfinite(peak) && isfinite(limit))
		block_add(l, ", ", "%s %s of %s", what, block_bytes(peak, a),
			  block_bytes(limit, b));
	else if (isfinite(peak))
		block_add(l, ", ", "%s %s", what, block_bytes(peak, a));
	if (block_number(r, "memory", "oom_kills") > 0)
		block_add(l, ", ", "out of memory");
	if (rd > 0)
		block_add(l, ", ", "read %s", block_bytes(rd, a));
	if (wr > 0)
		block_add(l, ", ", "wrote %s", block_bytes(wr, a));
}
