/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/slurm.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"

/* ---- what scontrol prints (22.05.8, shortened; 24.11) ------------------ */

#define HEAD(name) \
	"NodeName=" name " Arch=x86_64 CoresPerSocket=8  CPUAlloc=0 " \
	"CPUEfctv=8 CPUTot=8 CPULoad=0.31 AvailableFeatures=(null) " \
	"Gres=gpu:h100:8 NodeAddr=127.0.0.1 NodeHostName=vm Port=28001 " \
	"Version=22.05.8 OS=Linux 6.18.0 #1 SMP Thu Jan 1 00:00:00 UTC 2026  " \
	"RealMemory=16000 AllocMem=0 "
#define TAIL \
	" ThreadsPerCore=1 TmpDisk=0 Weight=1 Partitions=lab  BootTime=None " \
	"CfgTRES=cpu=8,mem=16000M,billing=8 AllocTRES= CapWatts=n/a " \
	"CurrentWatts=0 AveWatts=0 ExtSensorsTemp=n/s"
#define NODE(name, state, rest) HEAD(name) "State=" state TAIL rest "\n"
#define STAMP " [root@2026-01-01T00:00:00]"

static struct node_state parse(const char *text)
{
	struct node_state n;

	assert_int_equal(slurm_parse_node(text, &n), 0);
	return n;
}

static void states_are_tokens(void **state)
{
	static const struct {
		const char *text;
		unsigned int flags;
	} t[] = {
		{ "IDLE", NODE_IDLE },
		{ "IDLE+DRAIN", NODE_IDLE | NODE_DRAIN },
		{ "MIXED+DRAIN", NODE_BUSY | NODE_DRAIN },
		{ "ALLOCATED+COMPLETING", NODE_BUSY },
		{ "IDLE*+DRAIN",
		  NODE_IDLE | NODE_NOT_RESPONDING | NODE_DRAIN },
		{ "DOWN+DRAIN+NOT_RESPONDING",
		  NODE_DOWN | NODE_DRAIN | NODE_NOT_RESPONDING },
		{ "DOWN*", NODE_DOWN | NODE_NOT_RESPONDING },
		{ "IDLE+FAIL", NODE_IDLE | NODE_FAIL },
		{ "DRAINING@", NODE_DRAIN | NODE_BUSY | NODE_HANDS_OFF },
		{ "DRAINED*", NODE_DRAIN | NODE_IDLE | NODE_NOT_RESPONDING },
		{ "IDLE+MAINTENANCE", NODE_IDLE | NODE_HANDS_OFF },
		{ "IDLE+MAINT", NODE_IDLE | NODE_HANDS_OFF },
		{ "MIXED+REBOOT_REQUESTED", NODE_BUSY | NODE_HANDS_OFF },
		{ "IDLE+CLOUD+POWERED_DOWN", NODE_IDLE | NODE_HANDS_OFF },
		{ "IDLE+POWERING_UP", NODE_IDLE | NODE_HANDS_OFF },
		{ "IDLE+PLANNED", NODE_IDLE | NODE_HANDS_OFF },
		{ "MIXED-", NODE_BUSY | NODE_HANDS_OFF },
		{ "IDLE~", NODE_IDLE | NODE_HANDS_OFF },
		{ "IDLE+INVALID_REG", NODE_IDLE | NODE_HANDS_OFF },
		{ "FUTURE", NODE_HANDS_OFF },
		{ "IDLE+CLOUD", NODE_IDLE },
		{ "IDLE+RESERVED", NODE_IDLE },
		{ "IDLE+DYNAMIC_NORM", NODE_IDLE },
		{ "MIXED+BLOCKED", NODE_BUSY },
		{ "UNKNOWN+NOT_RESPONDING", NODE_NOT_RESPONDING },
		{ "DRAINAGE+DOWNTOWN+FAILURE", 0 },
		{ "SOMETHING_NEW", 0 },
	};
	char text[256];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		snprintf(text, sizeof(text), "NodeName=n1 State=%s X=1",
			 t[i].text);
		assert_int_equal(parse(text).flags, t[i].flags);
		assert_string_equal(parse(text).tokens, t[i].text);
	}
}

static void the_reason_comes_without_its_stamp(void **state)
{
	struct node_state n = parse(NODE("n1", "IDLE+DRAIN",
		" Reason=assay:gpu_membw GPU3 1710<2520 GB/s [service] job 1234"
		STAMP));

	(void)state;
	assert_string_equal(n.tokens, "IDLE+DRAIN");
	assert_string_equal(n.reason, "assay:gpu_membw GPU3 1710<2520 GB/s "
				      "[service] job 1234");
	assert_string_equal(n.reason_by, "root");
	assert_string_equal(n.reason_time, "2026-01-01T00:00:00");
	n = parse(NODE("n1", "IDLE", ""));
	assert_string_equal(n.reason, "");
	assert_string_equal(n.reason_by, "");
	n = parse(NODE("n1", "DOWN", " Reason=Not responding"));
	assert_string_equal(n.reason, "Not responding");
	assert_string_equal(n.reason_time, "");
}

static void the_long_form_reads_the_same(void **state)
{
	struct node_state n = parse("NodeName=n3 CoresPerSocket=8 \n"
		"   RealMemory=16000 AllocMem=0 FreeMem=N/A Sockets=1\n"
		"   State=IDLE+DRAIN ThreadsPerCore=1 TmpDisk=0\n"
		"   NextState=DOWN\n"
		"   Reason=line1" STAMP "\n          line2 x\n"
		"   Comment=Reason=hello State=DOWN\n   Extra=x y\n\n");

	(void)state;
	assert_string_equal(n.tokens, "IDLE+DRAIN");
	assert_string_equal(n.reason, "line1");
	assert_string_equal(n.reason_by, "root");
}

/* A reason may quote a stamp, a comment may quote anything. */
static void quoted_text_does_not_mislead(void **state)
{
	struct node_state n;

	(void)state;
	n = parse(NODE("n2", "DOWN",
		       " Reason=a = b  State=IDLE [x] [bob@2020-01-01T00:00:00]"
		       " [root@2026-11-30T15:46:08]"));
	assert_string_equal(n.tokens, "DOWN");
	assert_string_equal(n.reason, "a = b  State=IDLE [x] "
				      "[bob@2020-01-01T00:00:00]");
	assert_string_equal(n.reason_time, "2026-11-30T15:46:08");
	n = parse(NODE("n2", "IDLE", " Comment=x Reason=assay:a" STAMP));
	assert_string_equal(n.reason, "");
	n = parse(NODE("n2", "IDLE+DRAIN", " Reason=mine" STAMP
		       " Comment=x Reason=assay:a" STAMP " Extra=y" STAMP));
	assert_string_equal(n.reason, "mine");
	n = parse(NODE("n2", "IDLE+DRAIN", " Reason=line1" STAMP
		       "        line2" " Comment=x"));
	assert_string_equal(n.reason, "line1");
	n = parse(NODE("n2", "IDLE+DRAIN", " Reason=bad\x1b[2J\x80" STAMP));
	assert_string_equal(n.reason, "bad?[2J?");
}

static void no_state_is_an_error(void **state)
{
	struct node_state n;
	char big[3000];

	(void)state;
	assert_int_equal(slurm_parse_node("", &n), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(slurm_parse_node("Node nosuch not found", &n), -1);
	assert_int_equal(slurm_parse_node("NodeName=n1 State= X=1", &n), -1);
	assert_int_equal(slurm_parse_node("NodeName=n1 NextState=IDLE", &n), -1);
	memset(big, 'A', sizeof(big) - 1);
	memcpy(big, "State=IDLE+", 11);
	big[sizeof(big) - 1] = 0;
	assert_int_equal(slurm_parse_node(big, &n), 0);
	assert_int_equal(strlen(n.tokens), sizeof(n.tokens) - 1);
	memcpy(big, "State=IDLE Reason=", 18);
	assert_int_equal(slurm_parse_node(big, &n), 0);
	assert_int_equal(strlen(n.reason), sizeof(n.reason) - 1);
}

static enum node_owner owner(const char *tokens, const char *reason)
{
	char text[1024];
	struct node_state n;

	snprintf(text, sizeof(text), "NodeName=n1 State=%s X=1%s%s%s", tokens,
		 reason ? " Reason=" : "", reason ? reason : "",
		 reason ? STAMP : "");
	n = parse(text);
	return slurm_owner(&n);
}

static void whose_drain_is_it(void **state)
{
	(void)state;
	assert_int_equal(owner("IDLE", NULL), NODE_FREE);
	assert_int_equal(owner("MIXED+NOT_RESPONDING", NULL), NODE_FREE);
	assert_int_equal(owner("IDLE+RESERVED", NULL), NODE_FREE);
	/* 24.11 keeps old reasons on resumed nodes. */
	assert_int_equal(owner("IDLE", "bad disk"), NODE_FREE);
	assert_int_equal(owner("IDLE", "assay:gpu_ecc GPU1"), NODE_FREE);
	assert_int_equal(owner("IDLE+DRAIN", "assay:gpu_ecc GPU1"), NODE_OURS);
	assert_int_equal(owner("DOWN*", "assay:gpu_ecc GPU1"), NODE_OURS);
	assert_int_equal(owner("IDLE+DRAIN", "bad disk"), NODE_FOREIGN);
	assert_int_equal(owner("DOWN", "Not responding"), NODE_FOREIGN);
	assert_int_equal(owner("DOWN", NULL), NODE_FOREIGN);
	assert_int_equal(owner("IDLE+FAIL", "x assay:y"), NODE_FOREIGN);
	assert_int_equal(owner("IDLE+DRAIN", "Assay:gpu_ecc"), NODE_FOREIGN);
	assert_int_equal(owner("IDLE+DRAIN", "Prolog error"),
			 NODE_PROLOG_ERROR);
	assert_int_equal(owner("MIXED+DRAIN", "Epilog error"),
			 NODE_PROLOG_ERROR);
	assert_int_equal(owner("IDLE+DRAIN", "Prolog error : x"),
			 NODE_FOREIGN);
	assert_int_equal(owner("DOWN", "Prolog error"), NODE_FOREIGN);
	assert_int_equal(owner("IDLE+MAINT", NULL), NODE_FOREIGN);
	assert_int_equal(owner("IDLE+DRAIN+REBOOT_ISSUED", "assay:a b"),
			 NODE_FOREIGN);
	assert_int_equal(owner("IDLE+PLANNED", NULL), NODE_FOREIGN);
}

/* ---- rank -------------------------------------------------------------- */

#define BY(time) " [root@2026-01-01T" time "]"

static const char fleet[] =
	NODE("n1", "IDLE+DRAIN", " Reason=assay:gpu_membw GPU1 x" BY("12:00:03"))
	NODE("n2", "IDLE+DRAIN", " Reason=assay:gpu_membw GPU2 x" BY("12:00:01"))
	NODE("n3", "IDLE+DRAIN", " Reason=assay:gpu_membw" BY("12:00:03"))
	NODE("n4", "IDLE+DRAIN", " Reason=assay:gpu_membwx y" BY("12:00:01"))
	NODE("n5", "IDLE+DRAIN", " Reason=assay:gpu_ecc GPU2" BY("12:00:01"))
	NODE("n6", "IDLE", " Reason=assay:gpu_membw old" BY("12:00:00"))
	NODE("n7", "IDLE+DRAIN", " Reason=assay:gpu_membw old" BY("11:00:00"))
	NODE("n8", "IDLE+DRAIN", " Reason=bad disk" BY("12:00:00"))
	NODE("n9", "IDLE", "");

static int rank_of(const char *node, int window_s)
{
	int rank = -1;

	return slurm_rank_in(fleet, node, "gpu_membw", window_s,
			     &rank) ? -1 : rank;
}

static void ranks_count_from_the_oldest(void **state)
{
	int rank;

	(void)state;
	assert_int_equal(rank_of("n2", 600), 1);
	assert_int_equal(rank_of("n1", 600), 2);
	assert_int_equal(rank_of("n3", 600), 3);
	assert_int_equal(rank_of("n3", 7200), 4);
	assert_int_equal(rank_of("n3", 1), 2);
	assert_int_equal(rank_of("n9", 600), -1);
	assert_int_equal(rank_of("n6", 600), -1);
	assert_int_equal(rank_of("n4", 600), -1);
	assert_int_equal(rank_of("nosuch", 600), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(slurm_rank_in("", "n1", "a", 9, &rank), -1);
	assert_int_equal(slurm_rank_in("junk\n\n=\nNodeName=\n", "n1", "a", 9,
				       &rank), -1);
}

static void an_unreadable_time_is_not_counted(void **state)
{
	static const char text[] =
		NODE("n1", "IDLE+DRAIN", " Reason=assay:r x" BY("99:99:99"))
		NODE("n2", "IDLE+DRAIN", " Reason=assay:r x")
		NODE("n3", "IDLE+DRAIN", " Reason=assay:r x" BY("12:00:00"));
	int rank = 0;

	(void)state;
	assert_int_equal(slurm_rank_in(text, "n3", "r", 600,
				       &rank), 0);
	assert_int_equal(rank, 1);
	assert_int_equal(slurm_rank_in(text, "n1", "r", 600,
				       &rank), -1);
}

/* ---- calls, against a stand-in ----------------------------------------- */

static char dir[] = "/tmp/assay-slurm.XXXXXX";
static char scontrol[64];

static void put(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	fclose(f);
}

static const char *got(const char *name)
{
	static char buf[8192];
	char path[128];
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r");
	if (f) {
		n = fread(buf, 1, sizeof(buf) - 1, f);
		fclose(f);
	}
	buf[n] = 0;
	return buf;
}

static void forget(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	unlink(path);
}

static void stand_in(const char *answer, const char *rest)
{
	char script[1024];

	snprintf(script, sizeof(script),
		 "#!/bin/sh\nfor a; do printf '<%%s>' \"$a\"; done >>%s/calls\n"
		 "echo >>%s/calls\n/usr/bin/env >%s/env\n"
		 "case $* in *show*) /bin/cat %s/answer;; esac\n%s\n",
		 dir, dir, dir, dir, rest);
	put("scontrol", script);
	put("answer", answer);
	snprintf(scontrol, sizeof(scontrol), "%s/scontrol", dir);
	assert_int_equal(chmod(scontrol, 0755), 0);
	forget("calls");
}

static struct slurm slurm_for(int ms)
{
	struct slurm s = { scontrol, "/etc/slurm/x y.conf",
			   clock_mono_ms() + ms };

	return s;
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	static const char *const names[] = { "scontrol", "answer", "calls",
					     "env", "retry-n1.lock" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		forget(names[i]);
	return rmdir(dir);
}

static void every_call_has_its_arguments(void **state)
{
	struct slurm s;
	struct node_state n;
	struct err e;

	(void)state;
	stand_in(NODE("n1", "IDLE+DRAIN", " Reason=x" STAMP), "");
	s = slurm_for(20000);
	assert_int_equal(slurm_show_node(&s, "n1", &n, &e), 0);
	assert_string_equal(n.reason, "x");
	assert_int_equal(slurm_drain(&s, "n1", "assay:a b; $(c) [d]", &e), 0);
	assert_int_equal(slurm_set_reason(&s, "n1", "assay:x", &e), 0);
	assert_int_equal(slurm_resume(&s, "n1", &e), 0);
	assert_int_equal(slurm_requeue(&s, 4294967295u, &e), 0);
	assert_int_equal(slurm_notify(&s, 12, "assay: two\nlines", &e), 0);
	assert_int_equal(slurm_notify(&s, 12, "--help", &e), 0);
	assert_string_equal(got("calls"),
		"<-o><show><node><n1>\n"
		"<update><nodename=n1><state=drain><reason=assay:a b; $(c) [d]>\n"
		"<update><nodename=n1><reason=assay:x>\n"
		"<update><nodename=n1><state=resume>\n"
		"<requeue><4294967295>\n"
		"<notify><12><assay: two lines>\n"
		"<notify><12>< --help>\n");
}

static void children_see_only_slurm_conf(void **state)
{
	struct slurm s;

	(void)state;
	stand_in("", "");
	s = slurm_for(20000);
	assert_int_equal(setenv("ASSAY_SECRET", "1", 1), 0);
	assert_int_equal(slurm_resume(&s, "n1", NULL), 0);
	assert_non_null(strstr(got("env"), "SLURM_CONF=/etc/slurm/x y.conf\n"));
	assert_null(strstr(got("env"), "ASSAY_SECRET"));
	assert_null(strstr(got("env"), "HOME="));
	s.conf = "";
	assert_int_equal(slurm_resume(&s, "n1", NULL), 0);
	assert_null(strstr(got("env"), "SLURM_CONF"));
}

static void reasons_are_cut_and_scrubbed(void **state)
{
	char reason[400], want[200];
	struct slurm s;

	(void)state;
	stand_in("", "");
	s = slurm_for(20000);
	memset(reason, 'r', sizeof(reason) - 1);
	reason[sizeof(reason) - 1] = 0;
	memcpy(reason, "assay:\n\x07", 8);
	assert_int_equal(slurm_set_reason(&s, "n1", reason, NULL), 0);
	memcpy(reason, "assay: ?", 8);
	snprintf(want, sizeof(want), "<update><nodename=n1><reason=%.120s>\n",
		 reason);
	assert_string_equal(got("calls"), want);
}

static void bad_names_never_become_arguments(void **state)
{
	static const char *const bad[] = { "", "-o", ".n", "n1,n2", "n[1-2]",
					   "n 1", "n/1", "n;1", "n\n", "\xff",
					   "ALL=" };
	struct node_state n;
	struct slurm s;
	char big[300];
	size_t i;
	int rank;

	(void)state;
	stand_in("", "");
	s = slurm_for(20000);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		errno = 0;
		assert_int_equal(slurm_drain(&s, bad[i], "assay:x", NULL), -1);
		assert_int_equal(errno, EINVAL);
		assert_int_equal(slurm_show_node(&s, bad[i], &n, NULL), -1);
		assert_int_equal(slurm_resume(&s, bad[i], NULL), -1);
		assert_int_equal(slurm_rank(&s, bad[i], "r", 9, &rank, NULL),
				 -1);
		assert_int_equal(slurm_retry_detached(&s, bad[i], "r", dir),
				 -1);
	}
	memset(big, 'n', sizeof(big) - 1);
	big[sizeof(big) - 1] = 0;
	assert_int_equal(slurm_resume(&s, big, NULL), -1);
	assert_int_equal(slurm_requeue(&s, 0, NULL), -1);
	assert_int_equal(slurm_notify(&s, 0, "x", NULL), -1);
	s.scontrol = "scontrol";
	assert_int_equal(slurm_resume(&s, "n1", NULL), -1);
	assert_int_equal(errno, EINVAL);
	assert_string_equal(got("calls"), "");
}

static void refusals_are_told(void **state)
{
	struct node_state n;
	struct slurm s;
	struct err e;

	(void)state;
	stand_in("Node n1 not found\n", "exit 1");
	s = slurm_for(20000);
	assert_int_equal(slurm_show_node(&s, "n1", &n, &e), -1);
	assert_int_equal(errno, EIO);
	assert_string_equal(e.text, "scontrol show: exit 1: Node n1 not found");
	stand_in("", "echo slurm_update error: Invalid user id >&2; exit 1");
	assert_int_equal(slurm_drain(&s, "n1", "assay:x", &e), -1);
	assert_string_equal(e.text, "scontrol update: exit 1: slurm_update "
				    "error: Invalid user id");
	stand_in("nothing useful\n", "");
	assert_int_equal(slurm_show_node(&s, "n1", &n, &e), -1);
	assert_int_equal(errno, EINVAL);
	stand_in("", "kill -9 $$");
	assert_int_equal(slurm_resume(&s, "n1", &e), -1);
	assert_string_equal(e.text, "scontrol update: ended by signal 9");
	s.scontrol = "/nonexistent/scontrol";
	assert_int_equal(slurm_resume(&s, "n1", &e), -1);
}

static void the_deadline_is_one_for_all(void **state)
{
	struct slurm s;
	struct err e;
	int64_t t0 = clock_mono_ms();

	(void)state;
	stand_in("", "exec /bin/sleep 30");
	s = slurm_for(300);
	assert_int_equal(slurm_resume(&s, "n1", &e), -1);
	assert_int_equal(errno, ETIMEDOUT);
	assert_int_equal(slurm_resume(&s, "n1", &e), -1);
	assert_int_equal(errno, ETIMEDOUT);
	assert_true(clock_mono_ms() - t0 < 3000);
}

static void rank_asks_for_all_nodes_once(void **state)
{
	struct slurm s;
	struct err e;
	int rank = 0;

	(void)state;
	stand_in(fleet, "");
	s = slurm_for(1200);	/* too little to settle */
	assert_int_equal(slurm_rank(&s, "n2", "gpu_membw", 1 << 30, &rank, &e),
			 0);
	assert_int_equal(rank, 2);
	assert_string_equal(got("calls"), "<-o><show><nodes>\n");
	s = slurm_for(20000);
	assert_int_equal(slurm_rank(&s, "n9", "gpu_membw", 600, &rank, &e), -1);
	stand_in(fleet, "exit 1");
	s = slurm_for(1200);
	assert_int_equal(slurm_rank(&s, "n2", "gpu_membw", 600, &rank, &e), -1);
}

static void jitter_is_stable_and_below_the_spread(void **state)
{
	int i, v, low = 0, high = 0;
	char name[16];

	(void)state;
	assert_int_equal(slurm_jitter_ms("n1", 1, 1000), 0);
	assert_int_equal(slurm_jitter_ms("n1", 0, 1000), 0);
	assert_int_equal(slurm_jitter_ms("n1", 64, 0), 0);
	assert_int_equal(slurm_jitter_ms("n1", 64, 1000),
			 slurm_jitter_ms("n1", 64, 1000));
	for (i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "gpu%03d", i);
		v = slurm_jitter_ms(name, 200, 1000);
		assert_in_range(v, 0, 999);
		low += v < 500;
		high += v >= 500;
	}
	assert_true(low > 50 && high > 50);
}

static bool retry(const char *state, const char *reason, bool *seen)
{
	char text[512];
	struct slurm s;

	snprintf(text, sizeof(text), "NodeName=n1 State=%s X=1%s%s%s\n", state,
		 reason ? " Reason=" : "", reason ? reason : "",
		 reason ? STAMP : "");
	stand_in(text, "");
	s = slurm_for(20000);
	return slurm_retry_once(&s, "n1", "assay:x y", seen);
}

static void the_retry_replaces_only_slurms_own_text(void **state)
{
	static const char show[] = "<-o><show><node><n1>\n";
	bool seen = false;
	struct slurm s;

	(void)state;
	assert_true(retry("MIXED", NULL, &seen));	/* not drained yet */
	assert_string_equal(got("calls"), show);
	assert_false(retry("IDLE+DRAIN", "Prolog error", &seen));
	assert_string_equal(got("calls"),
			    "<-o><show><node><n1>\n"
			    "<update><nodename=n1><reason=assay:x y>\n");
	assert_true(seen);
	assert_false(retry("IDLE", "Prolog error", &seen));	/* resumed */
	seen = false;
	assert_false(retry("IDLE+DRAIN", "bad disk", &seen));
	assert_string_equal(got("calls"), show);
	assert_false(retry("IDLE+DRAIN", "assay:x y", &seen));
	assert_string_equal(got("calls"), show);
	stand_in("", "exit 1");				/* no controller */
	s = slurm_for(20000);
	assert_true(slurm_retry_once(&s, "n1", "assay:x y", &seen));
}

static void the_detached_retry_does_its_work(void **state)
{
	struct slurm s;
	int i;

	(void)state;
	stand_in("NodeName=n1 State=IDLE+DRAIN Reason=Prolog error" STAMP, "");
	s = slurm_for(0);	/* its calls have deadlines of their own */
	assert_int_equal(slurm_retry_detached(&s, "n1", "assay:x y", dir), 0);
	clock_sleep_ms(500);	/* let it have the lock */
	assert_int_equal(slurm_retry_detached(&s, "n1", "assay:other", dir), 0);
	for (i = 0; i < 200 && !strstr(got("calls"), "reason="); i++)
		clock_sleep_ms(100);
	clock_sleep_ms(200);
	assert_string_equal(got("calls"),
			    "<-o><show><node><n1>\n"
			    "<update><nodename=n1><reason=assay:x y>\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_are_tokens),
		cmocka_unit_test(the_reason_comes_without_its_stamp),
		cmocka_unit_test(the_long_form_reads_the_same),
		cmocka_unit_test(quoted_text_does_not_mislead),
		cmocka_unit_test(no_state_is_an_error),
		cmocka_unit_test(whose_drain_is_it),
		cmocka_unit_test(ranks_count_from_the_oldest),
		cmocka_unit_test(an_unreadable_time_is_not_counted),
		cmocka_unit_test(every_call_has_its_arguments),
		cmocka_unit_test(children_see_only_slurm_conf),
		cmocka_unit_test(reasons_are_cut_and_scrubbed),
		cmocka_unit_test(bad_names_never_become_arguments),
		cmocka_unit_test(refusals_are_told),
		cmocka_unit_test(the_deadline_is_one_for_all),
		cmocka_unit_test(rank_asks_for_all_nodes_once),
		cmocka_unit_test(jitter_is_stable_and_below_the_spread),
		cmocka_unit_test(the_retry_replaces_only_slurms_own_text),
		cmocka_unit_test(the_detached_retry_does_its_work),
	};

	return cmocka_run_group_tests_name("slurm", tests, make_dir,
					   remove_dir);
}
