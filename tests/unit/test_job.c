/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/job.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define ENV(...) ((const char *const[]){ __VA_ARGS__, NULL })

static struct job job;

static void from(struct job *j, const char *const env[])
{
	job_from_env(j, (char *const *)(uintptr_t)env);
}

/* Debian's 22.05: only the old name of the node list, no times. */
static const char *const env_2205[] = {
	"SLURMD_NODENAME=gpu003",
	"SLURM_CONF=/etc/slurm/slurm.conf",
	"SLURM_CLUSTER_NAME=alpha",
	"SLURM_JOB_ID=1234",
	"SLURM_JOBID=1234",
	"SLURM_JOB_UID=20001",
	"SLURM_UID=20001",
	"SLURM_JOB_GID=20000",
	"SLURM_JOB_USER=anna",
	"SLURM_JOB_WORK_DIR=/home/anna",
	"SLURM_NODELIST=gpu[001-004]",
	"SLURM_JOB_PARTITION=train",
	"SLURM_SCRIPT_CONTEXT=prolog_slurmd",
	"SLURM_JOB_ACCOUNT=physics",
	"SLURM_JOB_COMMENT=skip_checks",
	"SLURM_JOB_CONSTRAINTS=h100",
	"SLURM_JOB_CPUS_PER_NODE=64(x4)",
	"SLURM_JOB_NTASKS=32",
	"SLURM_JOB_NUM_NODES=4",
	"SLURM_JOB_RESTART_COUNT=2",
	"SLURM_JOB_STDOUT=/home/anna/slurm-%j.out",
	"SLURM_NODE_ALIASES=(null)",
	"SLURM_JOB_GPUS=0,1,2,3,4,5,6,7",
	"CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7",
	"GPU_DEVICE_ORDINAL=0,1,2,3,4,5,6,7",
	NULL
};

static const char *const env_2302_epilog[] = {
	"SLURMD_NODENAME=n1",
	"SLURM_CONF=/var/spool/slurmd/conf-cache/slurm.conf",
	"SLURM_JOB_ID=77",
	"SLURM_JOB_UID=0",
	"SLURM_JOB_GID=0",
	"SLURM_JOB_USER=root",
	"SLURM_NODELIST=n[1-2]",
	"SLURM_JOB_NODELIST=n[1-2],m7",
	"SLURM_SCRIPT_CONTEXT=epilog_slurmd",
	"SLURM_JOB_NUM_NODES=3",
	"SLURM_JOB_START_TIME=1700000000",
	"SLURM_JOB_END_TIME=1700003600",
	"SLURM_JOB_OVERSUBSCRIBE=NO",
	"SLURM_JOB_EXTRA=x",
	"SLURM_JOB_LICENSES=matlab:1",
	"SLURM_JOB_EXIT_CODE=768",
	"SLURM_JOB_EXIT_CODE2=3:0",
	"SLURM_JOB_DERIVED_EC=0",
	NULL
};

/* No SLURM_NODE_ALIASES any more; a quarter of a node, in a reservation. */
static const char *const env_2411[] = {
	"SLURMD_NODENAME=gpu-a-12.site.example",
	"SLURM_JOB_ID=4000000",
	"SLURM_JOB_UID=1000",
	"SLURM_JOB_NODELIST=gpu-a-12.site.example",
	"SLURM_JOB_PARTITION=gpu-short",
	"SLURM_JOB_RESERVATION=maint_2026",
	"SLURM_SCRIPT_CONTEXT=prolog_slurmd",
	"SLURM_JOB_NUM_NODES=1",
	"SLURM_JOB_OVERSUBSCRIBE=OK",
	"SLURM_JOB_RESTART_COUNT=0",
	"SLURM_JOB_GPUS=2-3",
	"CUDA_VISIBLE_DEVICES=2,3",
	NULL
};

/* UUIDs with AutoDetect=nvml, the SLUID. */
static const char *const env_2511[] = {
	"SLURMD_NODENAME=n4",
	"SLURM_JOB_ID=9",
	"SLURM_JOB_SLUID=s8D5WYBZR8J000",
	"SLURM_JOB_SELINUX_CONTEXT=unconfined",
	"SLURM_JOB_GPUS=4,6",
	"CUDA_VISIBLE_DEVICES=GPU-5a5b1c3e-0001-4f1e-9d7b-1d2c3b4a5f60,"
	"GPU-5a5b1c3e-0002-4f1e-9d7b-1d2c3b4a5f60",
	"SLURM_JOB_OVERSUBSCRIBE=TOPO",
	NULL
};

static const char *const env_2605[] = {
	"SLURMD_NODENAME=n4",
	"SLURM_JOB_ID=10",
	"SLURM_JOB_SLUID=s8D5WYBZR8J001",
	"SLURM_JOB_QOS=normal",
	"SLURM_JOB_EXCLUSIVE=NODE",
	"SLURM_JOB_OVERSUBSCRIBE=NO",
	"SLURM_JOB_GPUS=0,1",
	"CUDA_VISIBLE_DEVICES=MIG-1b2c3d4e-0001-4f1e-9d7b-1d2c3b4a5f60,"
	"MIG-GPU-5a5b1c3e-0001-4f1e-9d7b-1d2c3b4a5f60/3/0",
	"SPANK_ASSAY=full",
	NULL
};

static void reads_22_05(void **state)
{
	(void)state;
	from(&job, env_2205);
	assert_string_equal(job.complaint, "");
	assert_int_equal(job.id, 1234);
	assert_int_equal(job.uid, 20001);
	assert_int_equal(job.gid, 20000);
	assert_int_equal(job.restart, 2);
	assert_int_equal(job.num_nodes, 4);
	assert_int_equal(job.context, JOB_PROLOG);
	assert_int_equal(job.oversubscribe, OVERSUB_UNKNOWN);
	assert_int_equal(job.start_s, 0);
	assert_string_equal(job.user, "anna");
	assert_string_equal(job.partition, "train");
	assert_string_equal(job.account, "physics");
	assert_string_equal(job.cluster, "alpha");
	assert_string_equal(job.node, "gpu003");
	assert_string_equal(job.nodelist, "gpu[001-004]");
	assert_string_equal(job.slurm_conf, "/etc/slurm/slurm.conf");
	assert_true(job.has_gpus);
	assert_int_equal(job.gpu_count, 8);
	assert_int_equal(job.gpu_pos[7], 7);
	assert_int_equal(job.uuid_count, 0);
	assert_int_equal(job.wishes, 0);
	assert_int_equal(job.exit_code, -1);
}

static void reads_23_02_epilog(void **state)
{
	(void)state;
	from(&job, env_2302_epilog);
	assert_string_equal(job.complaint, "");
	assert_int_equal(job.uid, 0);
	assert_int_equal(job.context, JOB_EPILOG);
	assert_int_equal(job.oversubscribe, OVERSUB_NO);
	assert_int_equal(job.start_s, 1700000000);
	assert_int_equal(job.end_s, 1700003600);
	assert_string_equal(job.nodelist, "n[1-2],m7");
	assert_int_equal(job.exit_code, 768);
	assert_string_equal(job.exit_code2, "3:0");
	assert_false(job.has_gpus);
}

static void reads_24_11(void **state)
{
	(void)state;
	from(&job, env_2411);
	assert_string_equal(job.complaint, "");
	assert_string_equal(job.node, "gpu-a-12.site.example");
	assert_string_equal(job.reservation, "maint_2026");
	assert_int_equal(job.oversubscribe, OVERSUB_YES);
	assert_int_equal(job.gpu_count, 2);
	assert_int_equal(job.gpu_pos[0], 2);
	assert_int_equal(job.gpu_pos[1], 3);
}

static void reads_25_11(void **state)
{
	(void)state;
	from(&job, env_2511);
	assert_string_equal(job.complaint, "");
	assert_string_equal(job.sluid, "s8D5WYBZR8J000");
	assert_int_equal(job.oversubscribe, OVERSUB_NO);
	assert_int_equal(job.gpu_count, 2);
	assert_int_equal(job.uuid_count, 2);
	assert_string_equal(job.uuid[1],
			    "GPU-5a5b1c3e-0002-4f1e-9d7b-1d2c3b4a5f60");
}

static void reads_26_05(void **state)
{
	(void)state;
	from(&job, env_2605);
	assert_string_equal(job.complaint, "");
	assert_int_equal(job.uuid_count, 2);
	assert_string_equal(job.uuid[1],
			    "MIG-GPU-5a5b1c3e-0001-4f1e-9d7b-1d2c3b4a5f60/3/0");
	assert_int_equal(job.wishes, JOB_WISH_FULL);
}

static void nothing_is_unknown_and_the_host_is_the_node(void **state)
{
	char name[256];

	(void)state;
	from(&job, ENV("PATH=/bin"));
	assert_int_equal(job.id, 0);
	assert_int_equal(job.uid, -1);
	assert_int_equal(job.gid, -1);
	assert_int_equal(job.context, JOB_NONE);
	assert_false(job.has_gpus);
	assert_string_equal(job.complaint, "");
	assert_int_equal(gethostname(name, sizeof(name)), 0);
	name[strcspn(name, ".")] = 0;
	assert_string_equal(job.node, name);
}

/* One bad fact each: absent, named in the complaint, the rest unharmed. */
static void a_broken_fact_counts_as_absent(void **state)
{
	static const char *const bad[] = {
		"SLURM_JOB_ID=0", "SLURM_JOB_ID=-1", "SLURM_JOB_ID=12x",
		"SLURM_JOB_ID=4294967295", "SLURM_JOB_ID= 12",
		"SLURM_JOB_ID=99999999999999999999999", "SLURM_JOB_ID=0x10",
		"SLURM_JOB_UID=-1", "SLURM_JOB_UID=4294967295",
		"SLURM_JOB_NUM_NODES=0", "SLURM_JOB_RESTART_COUNT=+1",
		"SLURM_JOB_START_TIME=Unknown",
		"SLURM_JOB_EXIT_CODE=-1", "SLURM_JOB_EXIT_CODE2=3",
		"SLURM_JOB_EXIT_CODE2=3:0:1",
		"SLURM_JOB_USER=an na", "SLURM_JOB_USER=a\x1b[31m",
		"SLURM_JOB_USER=-rf", "SLURM_JOB_USER=\xc3\xa4",
		"SLURM_JOB_PARTITION=a/../b", "SLURM_JOB_ACCOUNT=$(id)",
		"SLURM_JOB_RESERVATION=a b", "SLURM_CLUSTER_NAME=a;b",
		"SLURM_JOB_SLUID=../../etc", "SLURM_CONF=etc/slurm.conf",
		"SLURM_CONF=/etc/slurm\n.conf", "SLURMD_NODENAME=../x",
		"SLURMD_NODENAME=a[1-2]", "SLURM_JOB_NODELIST=a b",
		"SLURM_JOB_NODELIST=a;b", "SLURM_NODELIST=a`id`",
		"SLURM_SCRIPT_CONTEXT=prolog_slurmctld",
		"SLURM_JOB_OVERSUBSCRIBE=n/a", "SPANK_ASSAY=off",
		"SPANK_ASSAY=full,full", "SLURM_JOB_GPUS=0,,1",
		"SLURM_JOB_GPUS=0,", "SLURM_JOB_GPUS=3-1",
		"SLURM_JOB_GPUS=a", "SLURM_JOB_GPUS=0-1-2",
		"SLURM_JOB_GPUS=0-99999999", "SLURM_JOB_GPUS=0-128",
		"SLURM_JOB_GPUS=1 2", "SLURM_JOB_GPUS=\xff\xfe",
		"CUDA_VISIBLE_DEVICES=GPU-", "CUDA_VISIBLE_DEVICES=GPU-a b",
		"CUDA_VISIBLE_DEVICES=GPU-12345678,MIG-../../etc",
		"CUDA_VISIBLE_DEVICES=GPU-"
		"0123456789012345678901234567890123456789012345678901234567890",
	};
	char want[200];
	size_t i;
	struct job *clean = calloc(1, sizeof(*clean));

	(void)state;
	assert_non_null(clean);
	from(clean, ENV("SLURM_TOPOLOGY_ADDR=x"));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		from(&job, ENV(bad[i]));
		snprintf(want, sizeof(want),
			 "%.*s is not readable and counts as absent",
			 (int)strcspn(bad[i], "="), bad[i]);
		assert_string_equal(job.complaint, want);
		memset(job.complaint, 0, sizeof(job.complaint));
		/* Leftovers in unused places are nobody's business. */
		memset(job.gpu_pos, 0, sizeof(job.gpu_pos));
		memset(job.uuid, 0, sizeof(job.uuid));
		assert_memory_equal(&job, clean, sizeof(job));
	}
	free(clean);
}

static void the_first_complaint_stays_and_the_users_comes_last(void **state)
{
	(void)state;
	from(&job, ENV("SPANK_ASSAY=junk", "SLURM_JOB_GPUS=x",
			       "SLURM_JOB_ID=5"));
	assert_string_equal(job.complaint,
			    "SLURM_JOB_GPUS is not readable and counts as absent");
	assert_int_equal(job.id, 5);
}

static void huge_values_are_refused(void **state)
{
	static char env[70000];

	(void)state;
	memset(env, 'a', sizeof(env) - 1);
	memcpy(env, "SLURM_JOB_NODELIST=", 19);
	from(&job, ENV(env));
	assert_string_equal(job.nodelist, "");
	assert_string_not_equal(job.complaint, "");
	env[19 + 65535] = 0;
	from(&job, ENV(env));
	assert_int_equal(strlen(job.nodelist), 65535);
	memcpy(env, "SLURM_JOB_USER=aaaa", 19);
	from(&job, ENV(env));
	assert_string_equal(job.user, "");
	memcpy(env, "SLURMD_NODENAME=aaa", 19);
	from(&job, ENV(env));
	assert_string_not_equal(job.node, "");
	assert_true(strlen(job.node) < 200);
}

static void gpu_lists_fold_and_range(void **state)
{
	(void)state;
	from(&job, ENV("SLURM_JOB_GPUS=0-3,5,5,1-2"));
	assert_true(job.has_gpus);
	assert_int_equal(job.gpu_count, 5);
	assert_int_equal(job.gpu_pos[3], 3);
	assert_int_equal(job.gpu_pos[4], 5);
	from(&job, ENV("SLURM_JOB_GPUS=0-127"));
	assert_int_equal(job.gpu_count, 128);
	from(&job, ENV("SLURM_JOB_GPUS="));
	assert_false(job.has_gpus);
}

static void uuid_tokens_are_picked_out(void **state)
{
	(void)state;
	from(&job, ENV("CUDA_VISIBLE_DEVICES=0,GPU-5a5b1c3e,1,"
			       "GPU-5a5b1c3e,GPU-5a5b1c3e-00,NoDevFiles"));
	assert_string_equal(job.complaint, "");
	assert_int_equal(job.uuid_count, 2);
	assert_string_equal(job.uuid[0], "GPU-5a5b1c3e");
	assert_string_equal(job.uuid[1], "GPU-5a5b1c3e-00");
}

static void the_first_of_two_values_counts(void **state)
{
	(void)state;
	from(&job, ENV("SLURM_JOB_ID=7", "SLURM_JOB_ID=8",
			       "SLURM_JOB_IDX=9", "SLURM_JOB_UID"));
	assert_int_equal(job.id, 7);
	assert_int_equal(job.uid, -1);
	/* A readable old list stands in for an unreadable new one. */
	from(&job, ENV("SLURM_JOB_NODELIST=a b", "SLURM_NODELIST=n1"));
	assert_string_equal(job.nodelist, "n1");
}

static void one_job_has_one_name(void **state)
{
	static const char *const none[] = { "",	   "0",	  "01",	 "-1",
					    "+1",  " 1",  "1 ",	 "1\n",
					    "0x1", "1.0", "12a", "4294967296",
					    "18446744073709551617" };
	size_t i;

	(void)state;
	assert_int_equal(job_id_of("1"), 1);
	assert_int_equal(job_id_of("10"), 10);
	assert_int_equal(job_id_of("4294967295"), UINT32_MAX);
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_int_equal(job_id_of(none[i]), 0);
}

static void an_id_ends_where_its_digits_do(void **state)
{
	const char *text = "12_3", *p = text;

	(void)state;
	assert_int_equal(job_id_at(&p), 12);
	assert_ptr_equal(p, text + 2);
	assert_int_equal(job_id_at(&p), 0);
	assert_ptr_equal(p, text + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_22_05),
		cmocka_unit_test(reads_23_02_epilog),
		cmocka_unit_test(reads_24_11),
		cmocka_unit_test(reads_25_11),
		cmocka_unit_test(reads_26_05),
		cmocka_unit_test(nothing_is_unknown_and_the_host_is_the_node),
		cmocka_unit_test(a_broken_fact_counts_as_absent),
		cmocka_unit_test(
			the_first_complaint_stays_and_the_users_comes_last),
		cmocka_unit_test(huge_values_are_refused),
		cmocka_unit_test(gpu_lists_fold_and_range),
		cmocka_unit_test(uuid_tokens_are_picked_out),
		cmocka_unit_test(the_first_of_two_values_counts),
		cmocka_unit_test(one_job_has_one_name),
		cmocka_unit_test(an_id_ends_where_its_digits_do),
	};

	return cmocka_run_group_tests_name("job", tests, NULL, NULL);
}
