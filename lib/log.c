/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <syslog.h>

#include "lib/scrub.h"

static const char *log_ident = "assay";
static bool log_to_syslog;
static enum log_level log_max = LOG_LVL_INFO;
static log_sink_f log_sink;
static void *log_sink_arg;

void log_open(const char *ident, bool to_syslog, enum log_level level)
{
	log_ident = ident;
	log_to_syslog = to_syslog;
	log_max = level;
	if (to_syslog)
		openlog(ident, LOG_PID | LOG_NDELAY, LOG_DAEMON);
}

void log_set_sink(log_sink_f fn, void *arg)
{
	log_sink = fn;
	log_sink_arg = arg;
}

static void log_line(enum log_level level, const char *fmt, va_list ap)
{
	static const int priority[] = { LOG_ERR, LOG_WARNING, LOG_INFO,
					LOG_DEBUG };
	static const char *const word[] = { "error: ", "warning: ", "", "" };
	char text[1024];
	char line[1100];

	if (level > log_max)
		return;
	vsnprintf(text, sizeof(text), fmt, ap);
	scrub(text);
	snprintf(line, sizeof(line), "%s: %s%s", log_ident, word[level], text);
	if (log_sink)
		log_sink(line, log_sink_arg);
	else
		fprintf(stderr, "%s\n", line);
	if (log_to_syslog)
		syslog(priority[level], "%s%s", word[level], text);
}

#define LOG_FUNCTION(name, level) \
void name(const char *fmt, ...) \
{ \
	va_list ap; \
\
	va_start(ap, fmt); \
	log_line(level, fmt, ap); \
	va_end(ap); \
}

LOG_FUNCTION(log_error, LOG_LVL_ERROR)
LOG_FUNCTION(log_warn, LOG_LVL_WARN)
LOG_FUNCTION(log_info, LOG_LVL_INFO)
LOG_FUNCTION(log_debug, LOG_LVL_DEBUG)

void log_record(const char *json)
{
	if (log_to_syslog)
		syslog(LOG_INFO, "%s", json);
}
