/* SPDX-License-Identifier: Apache-2.0
 * cfg - assay.conf: INI read by libinih, checked against key tables.
 *
 * Sections are [policy] or [check NAME]: the section name here is the whole
 * text between the brackets. What cannot be trusted is refused with file and
 * line: an unknown key or a bad value *disables its section* (cfg_broken()
 * tells why, and what belongs to it reports ERROR); an unreadable, forged
 * (owner, mode) or syntactically broken file fails cfg_load() as a whole, and
 * the caller falls back to the last good copy.
 *
 * libinih's silent cuts are detected and refused: a section that ends at its
 * first ']' or at no ']', names over 49 bytes, lines over 198 bytes, bytes
 * that are no text. Such a line breaks its section; the line of a section
 * itself, or a key before any section, the whole file. A comment is a line
 * that starts with ';' or '#'; behind a value it starts with " ;". Indented
 * lines are like others, never more of the line above. A section may be
 * written in several places, a key only once.
 *
 * [host NAME] sections (in no table): "match" is a host list, all else is
 * SECTION.KEY = VALUE for the nodes in it ("check.ib_ports.expected_ports",
 * "policy.mode", "check.gpu_ecc.action.prolog"). They beat the plain
 * sections, and a later one an earlier one. A bad override breaks the section
 * that it is about on its nodes; a match that cannot be read does so on all
 * nodes. What is about no known section is only a complaint.
 *
 * Limits: 1 MiB, 1024 sections, 256 keys in a section.
 */
#ifndef ASSAY_CFG_H
#define ASSAY_CFG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/err.h"

enum cfg_type {
	CFG_BOOL,	/* yes|no|true|false|on|off|1|0 */
	CFG_INT,	/* decimal, within min..max; the key's own unit may
			 * stand behind it, another one is refused */
	CFG_ENUM,	/* one of choices, joined by '|' */
	CFG_TEXT,	/* any printable ASCII text */
	CFG_PATH,	/* absolute, without "." and ".." parts */
	CFG_LIST	/* words divided by commas or blanks */
};

struct cfg_key {
	const char *name;
	enum cfg_type type;
	const char *unit;	/* "ms", "s", "Gb/s", or NULL */
	const char *def;	/* default as text; NULL: unset */
	int64_t min, max;	/* CFG_INT only */
	const char *choices;	/* CFG_ENUM only */
	const char *help;	/* one line for doctor and the man page */
};

/* One section: name "policy" matches [policy]; name "exec *" matches every
 * [exec X]. keys ends with a NULL name. extra: a second table or NULL. */
struct cfg_section {
	const char *name;
	const struct cfg_key *keys;
	const struct cfg_key *extra;
};

struct cfg;	/* opaque */

/* Read path against the tables (sections ends with a NULL name; kept by
 * reference). node: this node's name, for [host NAME] overrides; may be
 * NULL. A missing file: ENOENT. Returns NULL with errno and *e. */
struct cfg *cfg_load(const char *path, const struct cfg_section *sections,
		     const char *node, struct err *e);

/* The same, with a net: a file that loads without any complaint is kept as
 * copy_path (0600, written aside and renamed, only if it differs; that it
 * cannot be kept is no error). When path is unreadable, not trusted or broken
 * as a whole, that copy is loaded instead, *used_copy is true and *e says
 * what is wrong with path. A missing path is no reason for the copy: NULL
 * with ENOENT; the caller decides whether defaults will do. NULL with errno
 * and *e about path if there is no usable copy either. */
struct cfg *cfg_load_or_last_good(const char *path, const char *copy_path,
				  const struct cfg_section *sections,
				  const char *node, bool *used_copy,
				  struct err *e);

/* A config in which every value is its default. NULL on ENOMEM. */
struct cfg *cfg_defaults(const struct cfg_section *sections);
void cfg_destroy(struct cfg *c);

/* Values; the section and key must exist in the tables (else the default
 * of the type: "", 0, false, and an assertion in debug builds). Strings are
 * borrowed. A broken section answers its defaults. */
const char *cfg_text(const struct cfg *c, const char *sec, const char *key);
int64_t cfg_int(const struct cfg *c, const char *sec, const char *key);
bool cfg_bool(const struct cfg *c, const char *sec, const char *key);
/* Is there a value, from the file or a default? */
bool cfg_is_set(const struct cfg *c, const char *sec, const char *key);
/* Is word among the words of a CFG_LIST? */
bool cfg_list_has(const struct cfg *c, const char *sec, const char *key,
		  const char *word);
/* The i-th word (from 0) copied into buf; false behind the last. */
bool cfg_list_at(const struct cfg *c, const char *sec, const char *key, int i,
		 char *buf, size_t size);

/* Why the section is disabled ("assay.conf:12: ..."), or NULL. */
const char *cfg_broken(const struct cfg *c, const char *sec);
/* First complaint of the whole file (broken sections among them), or NULL. */
const char *cfg_complaint(const struct cfg *c);
/* The i-th of at most 64, or NULL. */
const char *cfg_complaint_at(const struct cfg *c, int i);
/* The section of the tables that the i-th complaint disables; NULL if it is
 * about none (an unknown section, a [host] as such). */
const char *cfg_complaint_section(const struct cfg *c, int i);

/* The i-th section present in the file (or made by an override) that matches
 * the pattern name of the table ("exec *"), whole text, or NULL behind the
 * last. What stands for '*' is [A-Za-z0-9_.-]+ . */
const char *cfg_section_at(const struct cfg *c, const char *pattern, int i);

/* "file:line", "[host X] file:line" or "default". Borrowed. */
const char *cfg_source(const struct cfg *c, const char *sec, const char *key);

/* A digest (FNV-1a, 64 bits) of all effective values: the change fuse. */
uint64_t cfg_digest(const struct cfg *c);

/* Call fn for every key of every section (tables' order) with its effective
 * value; stops on non-zero and returns that. */
typedef int (*cfg_each_f)(const char *sec, const struct cfg_key *key,
			  const char *value, const char *source, void *arg);
int cfg_each(const struct cfg *c, cfg_each_f fn, void *arg);

/* Is the file (and each of its parents) owned by root or the effective user
 * and not writable by group or others? Sticky parents are allowed. Symbolic
 * links are judged where they point and where they lie. 0, or -1 with EPERM
 * (or errno of the look: ENOENT...) and *e. */
int cfg_file_trusted(const char *path, struct err *e);

#endif
