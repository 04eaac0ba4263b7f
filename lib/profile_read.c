/* SPDX-License-Identifier: Apache-2.0
 * One profile file: keys, types, bounds, and what must agree with what. */
#include "config.h"
#include "lib/profile_read.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCHEMA "assay.profile/1"

/* ---- numbers, each with its source ------------------------------------- */

enum kind { KIND_INT, KIND_INT64, KIND_DOUBLE, KIND_BOOL };

#define NUMBER(m, k, min, max) \
	{ \
#m, KIND_##k, offsetof(struct profile, m), min, max \
	}

/* Bounds are wide enough for what is on the market and what comes next, and
 * narrow enough that a slip of 1000 (MB/s for GB/s) is out of them. */
static const struct number {
	const char *key;
	enum kind kind;
	size_t offset;
	double min, max;
} numbers[] = {
	NUMBER(nvlinks, INT, 0, 36),
	NUMBER(nvlink_bridge, BOOL, 0, 1),
	NUMBER(nvlink_gbps, DOUBLE, 20, 4000),
	NUMBER(pcie_gen, INT, 1, 7),
	NUMBER(pcie_width, INT, 1, 16),
	NUMBER(pcie_gbps, DOUBLE, 1, 250),
	NUMBER(hbm_gbps, DOUBLE, 100, 30000),
	NUMBER(hbm_floor_gbps, DOUBLE, 50, 30000),
	NUMBER(h2d_floor_gbps, DOUBLE, 1, 500),
	NUMBER(d2h_floor_gbps, DOUBLE, 1, 500),
	NUMBER(p2p_floor_gbps, DOUBLE, 1, 4000),
	NUMBER(c2c_gbps, DOUBLE, 50, 2000),
	NUMBER(gemm_tflops, DOUBLE, 10, 20000),
	NUMBER(own_membw_read_gbps, DOUBLE, 50, 30000),
	NUMBER(own_membw_triad_gbps, DOUBLE, 50, 30000),
	NUMBER(own_h2d_gbps, DOUBLE, 1, 500),
	NUMBER(own_d2h_gbps, DOUBLE, 1, 500),
	NUMBER(own_peer_gbps, DOUBLE, 1, 4000),
	NUMBER(own_gemm_tflops, DOUBLE, 5, 20000),
	NUMBER(mem_mib, INT64, 4096, 1048576),
	NUMBER(power_w, INT, 50, 3000),
	NUMBER(row_remap, BOOL, 0, 1),
};

static const struct number *find_number(const char *key)
{
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!strcmp(numbers[i].key, key))
			return &numbers[i];
	return NULL;
}

/* {"value": V, "source": "where it is from"} and nothing else: V. */
static json_t *value_of(json_t *obj, const char *key, struct err *e)
{
	json_t *value = json_object_get(obj, "value");
	const char *source = json_string_value(json_object_get(obj, "source"));

	if (!value || !source || !source[0] || json_object_size(obj) != 2) {
		err_set(e, "%s: needs a value and a source, nothing else", key);
		return NULL;
	}
	return value;
}

static int store(struct profile *p, const struct number *n, double v)
{
	char *at = (char *)p + n->offset;

	switch (n->kind) {
	case KIND_INT:
	case KIND_BOOL:
		*(int *)at = (int)v;
		break;
	case KIND_INT64:
		*(int64_t *)at = (int64_t)v;
		break;
	case KIND_DOUBLE:
		*(double *)at = v;
		break;
	}
	return 0;
}

static int read_number(struct profile *p, const struct number *n, json_t *obj,
		       struct err *e)
{
	json_t *value = value_of(obj, n->key, e);
	double v;

	if (!value)
		return -1;
	if (n->kind == KIND_BOOL) {
		if (!json_is_boolean(value))
			return err_set(e, "%s: not true or false", n->key);
		return store(p, n, json_is_true(value));
	}
	if (!json_is_number(value) ||
	    (n->kind != KIND_DOUBLE && !json_is_integer(value)))
		return err_set(e, "%s: not a number of the right kind", n->key);
	v = json_number_value(value);
	if (v < n->min || v > n->max)
		return err_set(e, "%s: %g is not within %g..%g (a unit slip?)",
			       n->key, v, n->min, n->max);
	return store(p, n, v);
}

/* ---- identity ----------------------------------------------------------- */

static int read_pci_ids(struct profile *p, json_t *obj, struct err *e)
{
	json_t *list = value_of(obj, "pci_ids", e);
	unsigned int vendor, device;
	const char *text;
	size_t i;
	int end;

	if (!list)
		return -1;
	if (!json_is_array(list) || !json_array_size(list) ||
	    json_array_size(list) > PROFILE_IDS_MAX)
		return err_set(e, "pci_ids: not a list of 1 to %d ids",
			       PROFILE_IDS_MAX);
	for (i = 0; i < json_array_size(list); i++) {
		text = json_string_value(json_array_get(list, i));
		end = 0;
		if (!text || strlen(text) != 9 ||
		    sscanf(text, "%4x:%4x%n", &vendor, &device, &end) != 2 ||
		    end != 9 || vendor != 0x10de || !device)
			return err_set(e, "pci_ids: \"%.32s\" is not 10de:xxxx",
				       text ? text : "");
		p->pci_id[i] = device << 16 | vendor;
	}
	p->pci_ids = (int)i;
	return 0;
}

static int read_capability(struct profile *p, json_t *obj, struct err *e)
{
	json_t *value = value_of(obj, "compute_capability", e);
	const char *text = json_string_value(value);
	int end = 0;

	if (!value)
		return -1;
	if (!text ||
	    sscanf(text, "%2d.%1d%n", &p->sm_major, &p->sm_minor, &end) != 2 ||
	    text[end] || p->sm_major < 5 || p->sm_minor < 0)
		return err_set(e, "compute_capability: not like \"9.0\"");
	return 0;
}

static int read_text(const char *key, json_t *value, char *buf, size_t size,
		     struct err *e)
{
	const char *text = json_string_value(value);

	if (!text || !text[0] || strlen(text) >= size)
		return err_set(e, "%s: not a text of 1 to %zu bytes", key,
			       size - 1);
	memcpy(buf, text, strlen(text) + 1);
	return 0;
}

static int read_match(struct profile *p, json_t *value, struct err *e)
{
	regex_t re;

	if (read_text("match_name", value, p->match_name, sizeof(p->match_name),
		      e))
		return -1;
	if (regcomp(&re, p->match_name, REG_EXTENDED | REG_NOSUB))
		return err_set(e, "match_name: not a regular expression");
	regfree(&re);
	return 0;
}

static int read_key(struct profile *p, const char *key, json_t *value,
		    struct err *e)
{
	const struct number *n = find_number(key);

	if (n)
		return read_number(p, n, value, e);
	if (!strcmp(key, "schema"))
		return 0;
	if (!strcmp(key, "name"))
		return read_text(key, value, p->name, sizeof(p->name), e);
	if (!strcmp(key, "match_name"))
		return read_match(p, value, e);
	if (!strcmp(key, "pci_ids"))
		return read_pci_ids(p, value, e);
	if (!strcmp(key, "compute_capability"))
		return read_capability(p, value, e);
	return err_set(e, "unknown key \"%.40s\"", key);
}

/* ---- what must agree with what ------------------------------------------ */

#define HELD(key, sheet, least) \
	{ #key, offsetof(struct profile, key), \
	  #sheet, offsetof(struct profile, sheet), least }

/* What is measured lies below its datasheet, and not far below. Only a plain
 * kernel's share of what tensor cores can do may be small: the newest are not
 * fed by the instructions that all of them know. */
static const struct held {
	const char *key;
	size_t offset;
	const char *of;
	size_t sheet;
	double least;
} held[] = {
	HELD(hbm_floor_gbps, hbm_gbps, 0.5),
	HELD(h2d_floor_gbps, pcie_gbps, 0.5),
	HELD(d2h_floor_gbps, pcie_gbps, 0.5),
	HELD(p2p_floor_gbps, nvlink_gbps, 0.5),
	HELD(own_membw_read_gbps, hbm_gbps, 0.5),
	HELD(own_membw_triad_gbps, hbm_gbps, 0.5),
	HELD(own_h2d_gbps, pcie_gbps, 0.5),
	HELD(own_d2h_gbps, pcie_gbps, 0.5),
	HELD(own_peer_gbps, nvlink_gbps, 0.5),
	HELD(own_gemm_tflops, gemm_tflops, 0.15),
};

static double number_at(const struct profile *p, size_t offset)
{
	return *(const double *)((const char *)p + offset);
}

static int check_held(const struct profile *p, const struct held *h,
		      struct err *e)
{
	double v = number_at(p, h->offset);
	double sheet = number_at(p, h->sheet);

	if (isnan(v))
		return 0;
	/* Parts on NVLink-C2C have no PCIe to the CPU. */
	if (isnan(sheet) && h->sheet == offsetof(struct profile, pcie_gbps))
		sheet = p->c2c_gbps;
	if (isnan(sheet))
		return err_set(e, "%s: no %s to hold it against", h->key, h->of);
	if (v < h->least * sheet || v > sheet)
		return err_set(e, "%s: %g is not within %.0f-100%% of %s %g",
			       h->key, v, 100 * h->least, h->of, sheet);
	return 0;
}

static int check_figures(const struct profile *p, struct err *e)
{
	size_t i;

	for (i = 0; i < sizeof(held) / sizeof(held[0]); i++)
		if (check_held(p, &held[i], e))
			return -1;
	return 0;
}

static bool within(double x, double min, double max)
{
	return x >= min && x <= max;
}

/* Two figures of one part give away a slip of ten in either: the rate of a
 * lane, the rate of a link, the memory's rate per size (18 to 56 GB/s for
 * each GiB on all parts from Volta to Blackwell). */
static int check_ratios(const struct profile *p, struct err *e)
{
	static const double lane[] = { 0,    0.25, 0.5,	 0.985,
				       1.97, 3.94, 7.56, 15.1 };
	double per_lane, r;

	if (p->pcie_gen && p->pcie_width && !isnan(p->pcie_gbps)) {
		per_lane = p->pcie_gbps / p->pcie_width;
		if (!within(per_lane / lane[p->pcie_gen], 0.9, 1.1))
			return err_set(e, "pcie_gbps: %g does not fit Gen%d x%d",
				       p->pcie_gbps, p->pcie_gen, p->pcie_width);
	}
	if (p->nvlinks > 0 && !isnan(p->nvlink_gbps)) {
		r = p->nvlink_gbps / p->nvlinks;
		if (!within(r, 15, 120))
			return err_set(e,
				       "nvlink_gbps: %g GB/s for each of %d "
				       "links cannot be",
				       r, p->nvlinks);
	}
	if (p->mem_mib && !isnan(p->hbm_gbps)) {
		r = p->hbm_gbps / ((double)p->mem_mib / 1024);
		if (!within(r, 10, 100))
			return err_set(e,
				       "hbm_gbps: %g GB/s for each GiB "
				       "cannot be",
				       r);
	}
	return 0;
}

static int check_whole(const struct profile *p, struct err *e)
{
	if (!p->name[0])
		return err_set(e, "no name");
	if (!p->pci_ids && !p->match_name[0])
		return err_set(e, "neither pci_ids nor match_name");
	if (check_figures(p, e))
		return -1;
	return check_ratios(p, e);
}

/* ---- the file ------------------------------------------------------------ */

static char *slurp(const char *path, size_t *len, struct err *e)
{
	char *buf = NULL;
	struct stat st;
	ssize_t n;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		err_errno(e, "open");
		return NULL;
	}
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		errno = EINVAL;
		err_set(e, "not a regular file");
		goto out;
	}
	if (st.st_size > PROFILE_FILE_MAX) {
		errno = EFBIG;
		err_set(e, "larger than %d bytes", PROFILE_FILE_MAX);
		goto out;
	}
	buf = malloc(PROFILE_FILE_MAX);
	if (!buf) {
		err_errno(e, "read");
		goto out;
	}
	n = read(fd, buf, PROFILE_FILE_MAX);
	if (n < 0) {
		err_errno(e, "read");
		free(buf);
		buf = NULL;
		goto out;
	}
	*len = (size_t)n;
out:
	close(fd);
	return buf;
}

static int check_schema(json_t *root, struct err *e)
{
	const char *schema = json_string_value(json_object_get(root, "schema"));

	if (!schema)
		return err_set(e, "no schema");
	if (strcmp(schema, SCHEMA))
		return err_set(e,
			       "schema \"%.40s\" is not " SCHEMA
			       " (of another version of assay?)",
			       schema);
	return 0;
}

static void unknown(struct profile *p)
{
	size_t i;

	memset(p, 0, sizeof(*p));
	p->nvlinks = -1;
	p->row_remap = -1;
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i].kind == KIND_DOUBLE)
			store(p, &numbers[i], NAN);
}

static int read_root(json_t *root, struct profile *p, struct err *e)
{
	const char *key;
	json_t *value;

	if (!json_is_object(root))
		return err_set(e, "not an object");
	if (check_schema(root, e))
		return -1;
	json_object_foreach(root, key, value)
		if (read_key(p, key, value, e))
			return -1;
	return check_whole(p, e);
}

int profile_read(const char *path, struct profile *out, struct err *e)
{
	json_error_t je;
	struct profile p;
	json_t *root = NULL;
	size_t len = 0;
	char *buf;
	int rc = -1;

	buf = slurp(path, &len, e);
	if (!buf)
		goto out;
	errno = EINVAL;
	root = json_loadb(buf, len, JSON_REJECT_DUPLICATES, &je);
	if (!root) {
		errno = EINVAL;
		err_set(e, "line %d: %s", je.line, je.text);
		goto out;
	}
	unknown(&p);
	if (read_root(root, &p, e)) {
		errno = EINVAL;
		goto out;
	}
	snprintf(p.file, sizeof(p.file), "%s", path);
	*out = p;
	rc = 0;
out:
	if (rc)
		err_prefix(e, "%s", path);
	json_decref(root);
	free(buf);
	return rc;
}
