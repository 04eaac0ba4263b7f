/* SPDX-License-Identifier: Apache-2.0
 * spawn - children with a deadline.
 *
 * Anything that can block happens in a child. A worker is a fork of this
 * process with its own session, /dev/null on 0-2 and one SOCK_SEQPACKET
 * socket to its parent: a message arrives whole or not at all. A command is
 * an executed program with exactly the environment given.
 */
#ifndef ASSAY_SPAWN_H
#define ASSAY_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/err.h"

#define SPAWN_MSG_MAX (128 * 1024)	/* largest message a worker may send */

/* Body of a worker: sock is its end of the socket. Its return value becomes
 * the exit status. It never returns into the caller's stack. */
typedef int (*spawn_f)(int sock, void *arg);

struct worker {
	pid_t pid;		/* 0: not running */
	int sock;		/* parent's end, non-blocking; -1 when closed */
	int64_t started_ms;	/* clock_mono_ms() */
	bool vendor;		/* may be inside a vendor library */
	bool abandoned;		/* left alone because it did not end */
	int status;		/* wait status once reaped, -1 before */
};

/* Fork. vendor: see worker_stop(). -1 with errno. */
int worker_start(struct worker *w, spawn_f body, void *arg, bool vendor);

/* Non-blocking reap. True once it is gone (status is set). */
bool worker_gone(struct worker *w);

/* The same, waiting for it so long. */
bool worker_wait(struct worker *w, int patience_ms);

/* End it: SIGTERM, up to 300 ms of patience; then SIGKILL, except for a
 * vendor worker, which is abandoned (a SIGKILL inside a driver call has
 * frozen GPUs). Closes the socket. Returns 0, or 1 if abandoned. */
int worker_stop(struct worker *w);

/* The same for one that has no more to say, in at most that time (or what a
 * signal takes, for nobody hangs who was not even asked): SIGTERM for a vendor
 * worker, SIGKILL for another. True: it is gone; false: abandoned. */
bool worker_end(struct worker *w, int patience_ms);

/* In the child: send one whole message. 0 or -1 with errno. */
int worker_send(int sock, const void *msg, size_t len);

/* In the parent: one whole message. Its length; 0 on end of file; -1 with
 * errno (EAGAIN nothing there, EMSGSIZE it was larger than buf). */
ssize_t worker_recv(const struct worker *w, void *buf, size_t size);

/* Who was started with one of 0-2 closed gets /dev/null there: the next file
 * opened would else be taken for stdout. Call first. -1 with errno. */
int spawn_fill_stdio(void);

/* What stands behind the name in /proc/PID/stat: "S 1 ...", the state letter
 * first. In buf; NULL if there is no such process. */
#define SPAWN_STAT_MAX 1024
const char *spawn_proc_stat(pid_t pid, char buf[SPAWN_STAT_MAX]);
/* State letter of a process from /proc/PID/stat ('D', 'R', 'S', 'Z'), or 0. */
char spawn_proc_state(pid_t pid);

struct spawn_out {
	char *text;		/* stdout and stderr, malloc'ed, terminated */
	size_t len;
	bool truncated;		/* more than max_out came */
	bool timed_out;
	int status;		/* wait status; valid unless timed_out */
	int64_t elapsed_ms;
};

/* Execute argv[0] (absolute) with exactly envp, stdin /dev/null, own session;
 * wait at most deadline_ms, then SIGTERM, 100 ms, SIGKILL to its group. Keeps
 * at most max_out bytes of output. 0 if it was started (look at *out; free
 * with spawn_out_fini), -1 with errno and *e if it could not be. */
int spawn_run(const char *const argv[], const char *const envp[], int deadline_ms,
	      size_t max_out, struct spawn_out *out, struct err *e);
void spawn_out_fini(struct spawn_out *out);

/* Execute argv[0] (absolute) with exactly envp as a program that outlives its
 * caller: own session, /dev/null on 0-2, no other descriptor, working in "/".
 * Returns when it is executed, so it has left its caller's process group by
 * then. Its pid, or -1 with errno. */
pid_t spawn_program(const char *const argv[], const char *const envp[]);

/* Run body(arg) in a process that outlives its caller: double fork, setsid,
 * /dev/null on 0-2, all other descriptors closed. Returns 0 only after the
 * child has left its session and process group (slurmd kills the Prolog's
 * process group when it exits). -1 with errno. */
typedef void (*spawn_detached_f)(void *arg);
int spawn_detached(spawn_detached_f body, void *arg);

#endif
