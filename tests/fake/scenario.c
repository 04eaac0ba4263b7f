/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "tests/fake/scenario.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/fake/counters.h"
#include "tests/fake/templates.h"

#define TEMPLATES_MAX 32
#define SEEN_MAX 256

static json_t *scenario;
static char broken[400];
static struct timespec born; /* mtime of the scenario file */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct {
	const char *name;
	json_t *text;
} template[TEMPLATES_MAX];

/* Which sequences this call has moved already, and to where. */
static __thread struct {
	unsigned int count;
	struct {
		uint64_t hash;
		uint32_t at;
	} seen[SEEN_MAX];
} moved;

static uint64_t mix(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ULL;
	return (hash ^ '/') * 0x100000001b3ULL;
}

/* ---- loading --------------------------------------------------------- */

static void find_file(char *path, size_t size)
{
	const char *env = getenv("ASSAY_SCENARIO");
	const char *slash;
	Dl_info info;

	path[0] = 0;
	if (env && *env) {
		snprintf(path, size, "%s", env);
		return;
	}
	if (!dladdr(broken, &info) || !info.dli_fname)
		return;
	slash = strrchr(info.dli_fname, '/');
	snprintf(path, size, "%.*s/scenario.json",
		 slash ? (int)(slash - info.dli_fname) : 1,
		 slash ? info.dli_fname : ".");
}

static void load(void)
{
	char path[4096];
	json_error_t je;
	struct stat st;

	find_file(path, sizeof(path));
	if (stat(path, &st) < 0) {
		snprintf(broken, sizeof(broken), "scenario %.300s: %s", path,
			 strerror(errno));
		return;
	}
	born = st.st_mtim;
	scenario = json_load_file(path, JSON_REJECT_DUPLICATES, &je);
	if (!json_is_object(scenario)) {
		snprintf(broken, sizeof(broken), "scenario %.200s:%d: %.100s",
			 path, je.line, scenario ? "not an object" : je.text);
		json_decref(scenario);
		scenario = NULL;
		return;
	}
	counters_use(path);
}

json_t *scn_section(const char *name)
{
	pthread_once(&once, load);
	return json_object_get(scenario, name);
}

const char *scn_broken(void)
{
	pthread_once(&once, load);
	return *broken ? broken : NULL;
}

static json_t *load_template(const char *name)
{
	size_t len;
	const char *text;
	int i;

	for (i = 0; i < TEMPLATES_MAX && template[i].name; i++)
		if (strcmp(template[i].name, name) == 0)
			return template[i].text;
	text = template_text(name, &len);
	if (!text || i == TEMPLATES_MAX)
		return NULL;
	template[i].text = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	template[i].name = name;
	return template[i].text;
}

static json_t *entry(const char *section, int i)
{
	json_t *gpus = json_object_get(scn_section(section), "gpus");

	return json_array_get(gpus, (size_t)i);
}

int scn_device(const char *section, int i, struct scn_device *d)
{
	json_t *all, *like;
	char key[64];

	memset(d, 0, sizeof(*d));
	d->over = entry(section, i);
	if (!d->over)
		return -1;
	snprintf(key, sizeof(key), "%s.gpus[%d]", section, i);
	d->hash = mix(0xcbf29ce484222325ULL, key);
	like = json_object_get(d->over, "like");
	if (!like)
		like = json_object_get(entry("nvml", i), "like");
	if (!like)
		return 0;
	all = json_is_string(like) ? load_template(json_string_value(like))
				   : NULL;
	if (!all) {
		snprintf(broken, sizeof(broken), "%s: no template \"%.60s\"",
			 key, json_string_value(like));
		return -1;
	}
	d->tmpl = json_object_get(all, section);
	return 0;
}

struct scn_device scn_library(const char *section)
{
	struct scn_device d = { .over = scn_section(section),
				.hash = mix(0xcbf29ce484222325ULL, section) };

	return d;
}

bool scn_lacks(const char *section, const char *symbol, const char *prefix)
{
	json_t *sec = scn_section(section);
	size_t i, plen = strlen(prefix);
	const char *name;
	json_t *item;

	if (json_is_true(json_object_get(sec, "no_library")) ||
	    json_is_true(json_object_get(scenario, "no_library")))
		return true;
	json_array_foreach(json_object_get(sec, "missing_symbols"), i, item) {
		name = json_string_value(item);
		if (name && (strcmp(name, symbol) == 0 ||
			     (strncmp(symbol, prefix, plen) == 0 &&
			      strcmp(name, symbol + plen) == 0)))
			return true;
	}
	return false;
}

/* ---- controls -------------------------------------------------------- */

static bool is_control(json_t *j)
{
	static const char *const words[] = { "rc", "hang_ms", "value", "seq",
					     "ramp" };
	const char *key;
	json_t *v;
	size_t i;

	if (!json_is_object(j) || json_object_size(j) == 0)
		return false;
	json_object_foreach(j, key, v) {
		for (i = 0; i < 5; i++)
			if (strcmp(key, words[i]) == 0)
				break;
		if (i == 5)
			return false;
	}
	return true;
}

static bool is_plain(json_t *j)
{
	return json_is_object(j) && !is_control(j);
}

static double ramp_now(json_t *ramp)
{
	struct timespec now;
	double s;

	clock_gettime(CLOCK_REALTIME, &now);
	s = (double)(now.tv_sec - born.tv_sec) +
	    (double)(now.tv_nsec - born.tv_nsec) / 1e9 -
	    json_number_value(json_object_get(ramp, "from_s"));
	return json_number_value(json_object_get(ramp, "start")) +
	       (s > 0 ? s : 0) *
		       json_number_value(json_object_get(ramp, "per_s"));
}

void scn_begin(void)
{
	moved.count = 0;
}

/* Where this call stands in what is counted by hash. *again: it has asked
 * before. */
static uint32_t once_a_call(uint64_t hash, bool count, bool *again)
{
	uint32_t at;
	unsigned int i;

	*again = true;
	for (i = 0; i < moved.count; i++)
		if (moved.seen[i].hash == hash)
			return moved.seen[i].at;
	*again = false;
	at = count ? counters_next(hash) : 0;
	if (i < SEEN_MAX) {
		moved.seen[i].hash = hash;
		moved.seen[i].at = at;
		moved.count++;
	}
	return at;
}

void scn_sleep_ms(double ms)
{
	struct timespec t = { (time_t)(ms / 1e3), 0 };

	t.tv_nsec = (long)((ms - (double)t.tv_sec * 1e3) * 1e6);
	while (nanosleep(&t, &t) < 0 && errno == EINTR)
		;
}

static void hang(json_int_t ms, uint64_t hash)
{
	sigset_t term, before;
	bool again;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	if (json_is_true(json_object_get(scenario, "deaf")))
		pthread_sigmask(SIG_BLOCK, &term, &before);
	else
		pthread_sigmask(SIG_BLOCK, NULL, &before);
	while (ms < 0)
		pause();
	once_a_call(hash, false, &again);
	if (!again)
		scn_sleep_ms((double)ms);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static json_t *seq_now(json_t *seq, uint64_t hash)
{
	size_t n = json_array_size(seq);
	bool again;
	uint32_t at = once_a_call(hash, true, &again);

	return n ? json_array_get(seq, at < n ? at : n - 1) : NULL;
}

/* Obey the control at *slot until a plain value stands there. */
static void obey(struct scn_node *n, json_t **slot)
{
	json_t *c, *v;

	while (is_control(c = *slot)) {
		v = json_object_get(c, "hang_ms");
		if (v)
			hang(json_integer_value(v), mix(n->hash, "hang_ms"));
		n->rc = (int)json_integer_value(json_object_get(c, "rc"));
		*slot = NULL;
		if (n->rc)
			return;
		n->hash = mix(n->hash, "control");
		if ((v = json_object_get(c, "value"))) {
			*slot = v;
		} else if ((v = json_object_get(c, "seq"))) {
			*slot = seq_now(v, n->hash);
		} else if ((v = json_object_get(c, "ramp"))) {
			n->is_ramp = true;
			n->ramp = ramp_now(v);
		} else {
			n->bare = true;
		}
	}
}

static void settle(struct scn_node *n)
{
	if (json_is_null(n->over))
		n->over = n->tmpl = NULL;
	else if (n->over && !(is_plain(n->over) && is_plain(n->tmpl)))
		n->tmpl = NULL;
	if (n->over)
		obey(n, &n->over);
	else
		obey(n, &n->tmpl);
}

/* ---- walking --------------------------------------------------------- */

struct scn_node scn_root(const struct scn_device *d)
{
	struct scn_node n = { .over = d->over, .tmpl = d->tmpl, .hash = d->hash };

	return n;
}

struct scn_node scn_step(const struct scn_node *n, const char *key)
{
	struct scn_node s = { .rc = n->rc, .hash = mix(n->hash, key) };

	if (s.rc)
		return s;
	s.over = json_object_get(n->over, key);
	s.tmpl = json_object_get(n->tmpl, key);
	settle(&s);
	return s;
}

struct scn_node scn_item(const struct scn_node *n, size_t i)
{
	char key[24];
	struct scn_node s = { .rc = n->rc };

	snprintf(key, sizeof(key), "%zu", i);
	s.hash = mix(n->hash, key);
	if (s.rc)
		return s;
	s.over = json_array_get(scn_json(n), i);
	settle(&s);
	return s;
}

struct scn_node scn_at(const struct scn_device *d, const struct scn_path *p)
{
	struct scn_node n = scn_root(d);
	int i;

	for (i = 0; p->key[i]; i++)
		n = scn_step(&n, p->key[i]);
	return n;
}

bool scn_lists(json_t *tree, const struct scn_path *p, bool exactly)
{
	json_t *j = tree;
	int i;

	for (i = 0; p->key[i]; i++) {
		if (i > 0 && !is_plain(j))
			return !exactly;
		j = json_object_get(j, p->key[i]);
		if (!j)
			return false;
	}
	return true;
}

/* ---- values ---------------------------------------------------------- */

json_t *scn_json(const struct scn_node *n)
{
	return n->over ? n->over : n->tmpl;
}

bool scn_known(const struct scn_node *n)
{
	return n->is_ramp || n->bare || scn_json(n);
}

double scn_real(const struct scn_node *n)
{
	json_t *j = scn_json(n);

	if (n->is_ramp)
		return n->ramp;
	return json_is_number(j) ? json_number_value(j) : (double)scn_int(n);
}

int64_t scn_int(const struct scn_node *n)
{
	json_t *j = scn_json(n);

	if (n->is_ramp)
		return (int64_t)floor(n->ramp);
	if (json_is_integer(j))
		return json_integer_value(j);
	if (json_is_real(j))
		return (int64_t)floor(json_real_value(j));
	if (json_is_string(j))
		return (int64_t)strtoull(json_string_value(j), NULL, 0);
	return json_is_true(j);
}

const char *scn_text(const struct scn_node *n)
{
	return json_string_value(scn_json(n));
}
