/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "tests/fake/cuda_device.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static struct fake_device devices[CUDA_DEVICES_MAX];
static int count; /* of devices[] */
static struct fake_device *visible[CUDA_DEVICES_MAX];
static int visible_count;
static pid_t ready; /* the process that initialised: a child has not */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread struct fake_device *current;

/* ---- which devices there are ------------------------------------------ */

json_t *cudev_nvml(const struct fake_device *d, const char *func,
		   const char *member)
{
	json_t *tree[2] = { d->nvml.over, d->nvml.tmpl };
	json_t *j, *value;
	int t;

	for (t = 0; t < 2; t++) {
		j = json_object_get(tree[t], func);
		value = json_object_get(j, "value");
		if (value)
			j = value;
		if (j && member)
			j = json_object_get(j, member);
		if (j)
			return j;
	}
	return NULL;
}

static const char *uuid_of(const struct fake_device *d)
{
	const char *text = json_string_value(cudev_nvml(d, "GetUUID", NULL));

	return text ? text : "";
}

static bool is_mig(const struct fake_device *d)
{
	return json_integer_value(
		       cudev_nvml(d, "GetMigMode", "currentMode")) == 1;
}

static int load_devices(void)
{
	json_t *gpus = json_object_get(scn_section("cuda"), "gpus");
	struct fake_device *d;
	size_t i, n = json_array_size(gpus);

	if (n > CUDA_DEVICES_MAX)
		return CUDA_RC_UNKNOWN;
	for (i = 0; i < n; i++) {
		d = &devices[count];
		if (!json_is_object(json_array_get(gpus, i)))
			continue;
		if (scn_device("cuda", (int)i, &d->scn) < 0)
			return CUDA_RC_UNKNOWN;
		scn_device("nvml", (int)i, &d->nvml);
		d->index = (int)i;
		d->context.dev = d;
		if (!is_mig(d))
			count++;
	}
	return scn_broken() ? CUDA_RC_UNKNOWN : CUDA_RC_OK;
}

/* One word of CUDA_VISIBLE_DEVICES: an index, or the beginning of a UUID
 * that no other device shares. */
static struct fake_device *device_of(const char *word)
{
	struct fake_device *found = NULL;
	char *end;
	long index = strtol(word, &end, 10);
	int i;

	if (*word && !*end)
		return index >= 0 && index < count ? &devices[index] : NULL;
	for (i = 0; i < count; i++) {
		if (!*word ||
		    strncasecmp(uuid_of(&devices[i]), word, strlen(word)) != 0)
			continue;
		if (found)
			return NULL;
		found = &devices[i];
	}
	return found;
}

/* The first word that names no device ends the list; a device named twice
 * empties it. */
static void see_listed(const char *list)
{
	char text[4096], *word, *next = text;
	struct fake_device *d;
	int i;

	snprintf(text, sizeof(text), "%s", list);
	while ((word = strsep(&next, ",")) && (d = device_of(word))) {
		for (i = 0; i < visible_count; i++) {
			if (visible[i] == d) {
				visible_count = 0;
				return;
			}
		}
		visible[visible_count++] = d;
	}
}

static void see_all(void)
{
	for (; visible_count < count; visible_count++)
		visible[visible_count] = &devices[visible_count];
}

static int see_devices(void)
{
	const char *list = getenv("CUDA_VISIBLE_DEVICES");
	int rc = load_devices();

	if (rc)
		fprintf(stderr, "fake CUDA: %s\n",
			scn_broken() ? scn_broken() : "too many gpus");
	else if (list)
		see_listed(list);
	else
		see_all();
	return rc;
}

/* The driver starts each device that the process may see. */
static int start_devices(void)
{
	int i, rc = 0;

	for (i = 0; i < visible_count && !rc; i++) {
		rc = cudev_begin("Init", visible[i]);
		if (!rc)
			cudev_end(0);
	}
	return rc;
}

int cudev_init(void)
{
	static bool seen;
	int rc = CUDA_RC_OK;

	pthread_mutex_lock(&lock);
	if (!seen)
		rc = see_devices();
	seen = true;
	if (!rc && !visible_count)
		rc = CUDA_RC_NO_DEVICE;
	if (!rc)
		ready = getpid();
	pthread_mutex_unlock(&lock);
	if (!rc)
		rc = start_devices();
	if (rc)
		ready = 0;
	return rc;
}

struct fake_device *cudev_at(cuda_device i)
{
	return i >= 0 && i < visible_count ? visible[i] : NULL;
}

int cudev_count(void)
{
	return visible_count;
}

struct fake_device *cudev_of(const struct cuda_context *c)
{
	int i;

	for (i = 0; i < visible_count; i++)
		if (c == &visible[i]->context)
			return visible[i]->refs ? visible[i] : NULL;
	return NULL;
}

struct fake_device *cudev_current(void)
{
	return current;
}

void cudev_set_current(struct fake_device *d)
{
	current = d;
}

/* ---- what every call does first ---------------------------------------- */

/* Errors after which a context answers nothing else any more. */
static bool is_sticky(int rc)
{
	return rc == CUDA_RC_ECC_UNCORRECTABLE ||
	       rc == CUDA_RC_NVLINK_UNCORRECTABLE || rc == CUDA_RC_CONTAINED ||
	       rc == CUDA_RC_ILLEGAL_ADDRESS || rc == CUDA_RC_LAUNCH_TIMEOUT ||
	       (rc >= CUDA_RC_HARDWARE_STACK_ERROR &&
		rc <= CUDA_RC_LAUNCH_FAILED);
}

/* What an entry says of func, by either of its names; *listed: anything. */
static int told(const struct scn_device *d, const char *func, bool *listed)
{
	char name[64];
	const char *const names[] = { func, name };
	struct scn_path p = { { NULL } };
	int i;

	snprintf(name, sizeof(name), "%s_v2", func);
	*listed = true;
	for (i = 0; i < 2; i++) {
		p.key[0] = names[i];
		if (scn_lists(d->over, &p, true))
			return scn_at(d, &p).rc;
	}
	*listed = false;
	return CUDA_RC_OK;
}

static int broken_context(const struct fake_device *d)
{
	int rc;

	pthread_mutex_lock(&lock);
	rc = ready != getpid() ? CUDA_RC_NOT_INITIALIZED : d ? d->sticky : 0;
	pthread_mutex_unlock(&lock);
	return rc;
}

int cudev_begin_twin(const char *func, const char *twin, struct fake_device *d)
{
	struct scn_device library = scn_library("cuda");
	int rc = broken_context(d);
	bool listed = false;

	scn_begin();
	if (rc)
		return rc;
	rc = told(&d->scn, func, &listed);
	if (!listed && twin)
		rc = told(&d->scn, twin, &listed);
	if (!listed && strcmp(func, "Init") != 0)
		rc = told(&library, func, &listed);
	pthread_mutex_lock(&lock);
	cudev_break(d, rc);
	return rc ? cudev_end(rc) : rc;
}

int cudev_begin(const char *func, struct fake_device *d)
{
	return cudev_begin_twin(func, NULL, d);
}

int cudev_begin_here(const char *func, struct fake_device **d)
{
	*d = current;
	if (!*d)
		return broken_context(NULL) ? CUDA_RC_NOT_INITIALIZED
					    : FAKE_RC_INVALID_CONTEXT;
	return cudev_begin(func, *d);
}

int cudev_begin_library(const char *func)
{
	struct scn_device library = scn_library("cuda");
	bool listed;
	int rc = strcmp(func, "Init") != 0 ? broken_context(NULL) : CUDA_RC_OK;

	scn_begin();
	if (!rc)
		rc = told(&library, func, &listed);
	pthread_mutex_lock(&lock);
	return rc ? cudev_end(rc) : rc;
}

void cudev_break(struct fake_device *d, int rc)
{
	if (is_sticky(rc))
		d->sticky = rc;
}

void cudev_lock(void)
{
	pthread_mutex_lock(&lock);
}

int cudev_end(int rc)
{
	pthread_mutex_unlock(&lock);
	return rc;
}

/* ---- facts ------------------------------------------------------------- */

struct scn_node cudev_keyed(struct fake_device *d, const char *key, int arg)
{
	struct scn_node root = scn_root(&d->scn);
	struct scn_node n = scn_step(&root, key);
	char text[16];

	snprintf(text, sizeof(text), "%d", arg);
	return json_is_object(scn_json(&n)) ? scn_step(&n, text) : n;
}

double cudev_number(struct fake_device *d, const char *key, double otherwise)
{
	struct scn_node root = scn_root(&d->scn);
	struct scn_node n = scn_step(&root, key);

	return scn_json(&n) || n.is_ramp ? scn_real(&n) : otherwise;
}

/* Attributes that NVML tells of the same device. */
static const struct {
	int attribute;
	const char *func, *member;
	int factor;
} twins[] = {
	{ CUDA_ATTR_CLOCK_RATE, "GetMaxClockInfo", "1", 1000 },
	{ CUDA_ATTR_MEMORY_CLOCK_RATE, "GetMaxClockInfo", "2", 1000 },
	{ CUDA_ATTR_COMPUTE_MODE, "GetComputeMode", NULL, 1 },
	{ CUDA_ATTR_CC_MAJOR, "GetCudaComputeCapability", "major", 1 },
	{ CUDA_ATTR_CC_MINOR, "GetCudaComputeCapability", "minor", 1 },
};

#define SMALL_L2 (16 * 1024)

/* What is listed nowhere under its number. */
static int derived(const struct fake_device *d, int attribute, int *out)
{
	json_t *j;
	size_t i;

	if (attribute == CUDA_ATTR_L2_CACHE_SIZE) {
		*out = SMALL_L2;
		return CUDA_RC_OK;
	}
	for (i = 0; i < sizeof(twins) / sizeof(*twins); i++) {
		if (twins[i].attribute != attribute)
			continue;
		j = cudev_nvml(d, twins[i].func, twins[i].member);
		if (!json_is_integer(j))
			return CUDA_RC_NOT_SUPPORTED;
		*out = (int)json_integer_value(j) * twins[i].factor;
		return CUDA_RC_OK;
	}
	return CUDA_RC_NOT_SUPPORTED;
}

int cudev_attribute(struct fake_device *d, int attribute, int *out)
{
	struct scn_path p = { { "DeviceGetAttribute", NULL } };
	struct scn_node n;
	char key[16];

	snprintf(key, sizeof(key), "%d", attribute);
	p.key[1] = key;
	n = scn_at(&d->scn, &p);
	if (n.rc)
		return n.rc;
	if (!scn_json(&n) && !n.is_ramp)
		return derived(d, attribute, out);
	*out = (int)scn_int(&n);
	return CUDA_RC_OK;
}
