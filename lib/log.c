/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "lib/scrub.h"

#define RECORD_MAX (64 * 1024)

static const char *log_ident = "assay";
static bool log_to_syslog;
static enum log_level log_max = LOG_LVL_INFO;
static log_sink_f log_sink;
static void *log_sink_arg;

static const char *log_socket = "/dev/log";
static int log_fd = -1;

void log_open(const char *ident, bool to_syslog, enum log_level level)
{
	log_ident = ident;
	log_to_syslog = to_syslog;
	log_max = level;
}

void log_set_socket(const char *path)
{
	log_socket = path;
	if (log_fd >= 0)
		close(log_fd);
	log_fd = -1;
}

static int log_connect(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };

	if (log_fd >= 0)
		return 0;
	snprintf(to.sun_path, sizeof(to.sun_path), "%s", log_socket);
	log_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (log_fd < 0)
		return -1;
	if (connect(log_fd, (struct sockaddr *)&to, sizeof(to)) == 0)
		return 0;
	close(log_fd);
	log_fd = -1;
	return -1;
}

/* One message in the form that all syslog daemons read. Not syslog(3): that
 * waits, for ever, for a daemon that is there but reads no more. */
static void log_send(int priority, const char *text)
{
	char head[160], stamp[32] = "";
	time_t now = time(NULL);
	struct iovec part[2];
	struct msghdr msg = { .msg_iov = part, .msg_iovlen = 2 };
	struct tm tm;
	int tries;

	if (localtime_r(&now, &tm))
		strftime(stamp, sizeof(stamp), "%b %e %H:%M:%S ", &tm);
	snprintf(head, sizeof(head), "<%d>%s%.60s[%d]: ",
		 LOG_DAEMON | priority, stamp, log_ident, (int)getpid());
	part[0] = (struct iovec){ head, strlen(head) };
	part[1] = (struct iovec){ (char *)text, strnlen(text, RECORD_MAX) };
	/* A daemon that was restarted wants a new connection. */
	for (tries = 0; tries < 2 && log_connect() == 0; tries++) {
		if (sendmsg(log_fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0 ||
		    errno == EAGAIN)
			return;
		close(log_fd);
		log_fd = -1;
	}
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
		log_send(priority[level], line + strlen(log_ident) + 2);
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
		log_send(LOG_INFO, json);
}
