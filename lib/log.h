/* SPDX-License-Identifier: Apache-2.0
 * log - what assay says while it works: stderr, and syslog where asked.
 *
 * Every line is scrubbed; one failure makes one line. Root programs started
 * by slurmd keep stdout free. Not thread-safe (no program here has threads).
 */
#ifndef ASSAY_LOG_H
#define ASSAY_LOG_H

#include <stdbool.h>

enum log_level { LOG_LVL_ERROR, LOG_LVL_WARN, LOG_LVL_INFO, LOG_LVL_DEBUG };

/* ident is kept by reference. syslog: also write there (facility daemon),
 * without ever waiting: a daemon that reads no more costs its lines only. */
void log_open(const char *ident, bool syslog, enum log_level level);

void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Lines go to fn instead of stderr (a worker has no stderr of its own). */
typedef void (*log_sink_f)(const char *line, void *arg);
void log_set_sink(log_sink_f fn, void *arg);

/* Where syslog listens, if not at /dev/log (for tests). */
void log_set_socket(const char *path);

/* The one JSON line of a run: to syslog only, at info. */
void log_record(const char *json);

#endif
