/* SPDX-License-Identifier: Apache-2.0
 * cfg_private - what the cfg_*.c files share. Nobody else includes it.
 */
#ifndef ASSAY_CFG_PRIVATE_H
#define ASSAY_CFG_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/cfg.h"
#include "lib/err.h"

#define CFG_FILE_MAX (1024 * 1024)
#define CFG_LINE_MAX 198	/* libinih cuts at 199 with the newline */
#define CFG_NAME_MAX 49		/* libinih's MAX_SECTION and MAX_NAME */
#define CFG_SECTS_MAX 1024
#define CFG_ITEMS_MAX 256	/* in one section */
#define CFG_COMPLAINTS_MAX 64

struct cfg_item {
	char *key;
	char *value;		/* canonical; as written in a [host] section;
				 * NULL: a [host] line that cannot be read */
	char *source;
	bool override;		/* came from a [host] section */
};

struct cfg_sect {
	char *name;
	const struct cfg_section *table;	/* NULL: unknown, or [host] */
	bool host;
	char *broken;
	struct cfg_item *item;
	int count;
};

struct cfg {
	const struct cfg_section *sections;
	char *file;		/* name without its directory */
	struct cfg_sect *sect;	/* in the file's order */
	int count;
	char *complaint[CFG_COMPLAINTS_MAX];
	const struct cfg_sect *about[CFG_COMPLAINTS_MAX];	/* or NULL */
	int complaints;
	bool nomem;		/* something could not be kept */
};

/* ---- cfg.c ------------------------------------------------------------ */

struct cfg_sect *cfg_sect_find(const struct cfg *c, const char *name);
/* Find or add. NULL (nomem set) if it cannot be had. */
struct cfg_sect *cfg_sect_need(struct cfg *c, const char *name);
struct cfg_item *cfg_item_find(const struct cfg_sect *s, const char *key);
/* Set key to value with source; an item that is there is replaced. */
void cfg_item_set(struct cfg *c, struct cfg_sect *s, const char *key,
		  const char *value, const char *source);
/* Keep a complaint, scrubbed; if s is given it is broken from now on. */
void cfg_complain(struct cfg *c, struct cfg_sect *s, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Read text (NUL bytes allowed) as the file called file. */
struct cfg *cfg_parse(const char *text, size_t len, const char *file,
		      const struct cfg_section *sections, const char *node,
		      struct err *e);

/* ---- cfg_file.c: trust, reading, the last good copy -------------------- */

/* The whole of a trusted regular file, malloc'ed and terminated; NULL with
 * errno (ENOENT, EPERM, EFBIG...) and *e. */
char *cfg_file_read(const char *path, size_t *len, struct err *e);

/* ---- cfg_host.c: [host NAME] ------------------------------------------- */

/* Apply all [host] sections that match node (may be NULL: none does). */
void cfg_host_apply(struct cfg *c, const char *node);

/* ---- cfg_scan.c: lines, before libinih sees them ----------------------- */

enum cfg_line_kind {
	CFG_LINE_BLANK,		/* empty, or a comment */
	CFG_LINE_SECTION,	/* section is set */
	CFG_LINE_PAIR,		/* name = value */
	CFG_LINE_BAD,		/* the section it is in cannot be trusted */
	CFG_LINE_FATAL		/* nothing behind it can be trusted */
};

struct cfg_scan {
	const char *at, *end;
	int line;		/* number of the line read last */
	enum cfg_line_kind kind;
	char section[CFG_NAME_MAX + 1];	/* blanks folded */
	char name[CFG_NAME_MAX + 1];	/* of a pair; of a bad one if known */
	char text[CFG_LINE_MAX + 2];	/* for libinih, with its newline */
	char why[160];		/* of BAD and FATAL */
};

void cfg_scan_init(struct cfg_scan *s, const char *text, size_t len);
/* Read the next line; false at the end. */
bool cfg_scan_next(struct cfg_scan *s);

/* ---- cfg_value.c: tables and types ------------------------------------- */

/* The table for a section, or NULL. */
const struct cfg_section *cfg_table_find(const struct cfg_section *sections,
					 const char *name);
const struct cfg_key *cfg_key_find(const struct cfg_section *table,
				   const char *key);
/* Does name match a table's name ("exec *")? */
bool cfg_name_matches(const char *pattern, const char *name);
/* Check text against the key's type and write its canonical form. 0, or -1
 * with why it is refused. */
int cfg_value_check(const struct cfg_key *k, const char *text, char *out,
		    size_t size, struct err *why);

#endif
