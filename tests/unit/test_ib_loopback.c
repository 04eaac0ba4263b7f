/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/probes.h"

extern const struct check check_ib_loopback;

#define PORT(k) PROBE_PLACE_PORT(k)

/* A machine with RDMA ports and no GPU. */
static struct probes *healthy(int count)
{
	struct probes *t = probes_healthy(&check_ib_loopback, 0);

	probes_add_ports(t, count);
	return t;
}

static struct hca *hca(struct probes *t, int i)
{
	return &t->s->facts.fabric.hca[i];
}

#define ONLY(t, st, c, subj, txt) \
	do { \
		assert_int_equal((t)->s->r.count, 1); \
		assert_int_equal(probes_finding(t, 0)->status, st); \
		assert_string_equal(probes_finding(t, 0)->code, \
				    "ib_loopback." c); \
		assert_string_equal(probes_finding(t, 0)->subject, subj); \
		assert_string_equal(probes_finding(t, 0)->text, txt); \
		assert_int_equal(probes_finding(t, 0)->gpu, -1); \
	} while (0)

static void equal_ports_pass(void **state)
{
	struct probes *t = healthy(8);
	int i;

	(void)state;
	assert_int_equal(probes_run(t), STATUS_PASS);
	for (i = 0; i < 8; i++)
		assert_false(probes_doubts(t, PORT(i)));
	probes_free(t);
}

/* Slow among its equals and for its slot; nothing without the repeat. */
static void a_slow_port_fails_when_it_is_slow_twice(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	probes_set(t, PORT(3), 21, NAN);
	assert_true(probes_doubts(t, PORT(3)));
	assert_false(probes_doubts(t, PORT(4)));
	assert_int_equal(probes_run(t), STATUS_WARN);
	ONLY(t, STATUS_WARN, "rate", "mlx5_3", "21.0<43.4 GB/s, to be repeated");
	probes_set(t, PORT(3), 21, 21.5);
	assert_false(probes_doubts(t, PORT(3)));
	assert_int_equal(probes_run(t), STATUS_FAIL);
	ONLY(t, STATUS_FAIL, "rate", "mlx5_3", "21.5<43.4 GB/s");
	assert_int_equal(probes_finding(t, 0)->remedy, REMEDY_SERVICE);
	assert_int_equal(probes_finding(t, 0)->at_most, ACTION_DRAIN);
	probes_set(t, PORT(3), 21, 48.1);
	assert_int_equal(probes_run(t), STATUS_WARN);
	ONLY(t, STATUS_WARN, "rate", "mlx5_3",
	     "unconfirmed: 21.0, then 48.1 GB/s");
	probes_free(t);
}

static void a_port_alone_is_held_against_its_slot(void **state)
{
	struct probes *t = healthy(1);

	(void)state;
	probes_set(t, PORT(0), 34, 34);		/* of 50 */
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_non_null(strstr(probes_finding(t, 0)->text,
			       "by what it could at most alone"));
	probes_set(t, PORT(0), 27, 27);		/* by far */
	assert_int_equal(probes_run(t), STATUS_FAIL);
	probes_free(t);
}

/* Gen4 x16 gives 31.5 GB/s: as much as that is all it can be asked for. */
static void the_slot_sets_what_is_expected(void **state)
{
	struct probes *t = healthy(1);

	(void)state;
	probes_set(t, PORT(0), 24.8, NAN);
	assert_int_equal(probes_run(t), STATUS_WARN);
	hca(t, 0)->speed_mt = 16000;
	assert_int_equal(probes_run(t), STATUS_PASS);
	hca(t, 0)->speed_mt = 32000;
	hca(t, 0)->path_width = 8;	/* a bridge above it */
	assert_int_equal(probes_run(t), STATUS_PASS);
	/* Whose bridges are invented: nothing is known. */
	hca(t, 0)->path_width = 16;
	hca(t, 0)->parent_speed_max_mt = 2500;
	assert_int_equal(probes_run(t), STATUS_PASS);
	hca(t, 0)->parent_speed_max_mt = 32000;
	hca(t, 0)->no_device_link = true;
	assert_int_equal(probes_run(t), STATUS_PASS);
	probes_free(t);
}

/* A virtual function shows no link of its own behind bridges that are there;
 * other makers' devices need not write to themselves at the port's rate. */
static void what_is_not_known_to_loop_at_its_rate_has_no_limit(void **state)
{
	struct probes *t = healthy(1);

	(void)state;
	probes_set(t, PORT(0), 5, 5);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	strcpy(hca(t, 0)->driver, "hfi1");
	assert_int_equal(probes_run(t), STATUS_PASS);
	strcpy(hca(t, 0)->driver, "mlx5_core");
	hca(t, 0)->speed_mt = 0;
	hca(t, 0)->width = 0;
	assert_int_equal(probes_run(t), STATUS_PASS);
	probes_free(t);
}

/* By far less than the slot gives, but just what the site knows of it. */
static void the_site_knows_its_platform(void **state)
{
	struct probes *t = healthy(1);

	(void)state;
	probes_config(t, "expected_gbps = 20\n");
	probes_set(t, PORT(0), 20, 20);
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_non_null(strstr(probes_finding(t, 0)->text,
			       "by what it could at most alone"));
	probes_set(t, PORT(0), 17, 17);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	probes_free(t);
}

static void the_sites_figure(void **state)
{
	struct probes *t = healthy(2);

	(void)state;
	probes_config(t, "expected_gbps = 48\n");
	probes_set(t, PORT(0), 42, 42);
	assert_int_equal(probes_run(t), STATUS_WARN);
	ONLY(t, STATUS_WARN, "rate", "mlx5_0",
	     "42.0<43.2 GB/s, by the site's figure alone");
	probes_set(t, PORT(0), 33, 33);		/* the slot says so, too */
	assert_int_equal(probes_run(t), STATUS_FAIL);
	/* It is about InfiniBand, where there is some. */
	strcpy(hca(t, 0)->port[0].layer, "Ethernet");
	probes_set(t, PORT(0), 42, 42);
	assert_int_equal(probes_run(t), STATUS_PASS);
	probes_free(t);
}

/* Boards of another kind, or at another rate, are no equals. */
static void only_equals_are_peers(void **state)
{
	struct probes *t = healthy(5);

	(void)state;
	hca(t, 4)->port[0].rate_gbit = 200;
	probes_set(t, PORT(4), 24, NAN);
	assert_int_equal(probes_run(t), STATUS_PASS);
	strcpy(hca(t, 3)->board, "MT_0000000359");
	probes_set(t, PORT(3), 40, NAN);
	assert_int_equal(probes_run(t), STATUS_PASS);
	probes_free(t);
}

/* Without hardware, and so without a slot: what the kernel emulates. */
static void peers_alone_find_what_is_slow_by_far(void **state)
{
	struct probes *t = healthy(4);
	int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		hca(t, i)->no_device_link = true;
		probes_set(t, PORT(i), 0.03, NAN);
	}
	assert_int_equal(probes_run(t), STATUS_PASS);
	probes_set(t, PORT(2), 0.01, 0.01);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_string_equal(probes_finding(t, 0)->subject, "mlx5_2");
	probes_free(t);
}

static void a_port_has_its_own_history(void **state)
{
	struct probes *t = healthy(1);
	const json_t *ports;

	(void)state;
	hca(t, 0)->no_device_link = true;	/* no other reference */
	probes_days(t, 6);
	ports = json_object_get(t->s->r.memory, "ports");
	assert_non_null(json_object_get(ports, "mlx5_0:1"));
	assert_null(json_object_get(t->s->r.memory, "gpus"));
	probes_set(t, PORT(0), 40, 40);
	assert_int_equal(probes_next(t), STATUS_WARN);
	assert_non_null(strstr(probes_finding(t, 0)->text,
			       "by its own history alone"));
	/* The GPUs' driver is not its own, its firmware is. */
	snprintf(t->s->facts.gpus.driver, 40, "590.1");
	assert_int_equal(probes_next(t), STATUS_WARN);
	strcpy(hca(t, 0)->fw, "28.40.1000");
	assert_int_equal(probes_next(t), STATUS_PASS);
	probes_free(t);
}

/* The name is another board's now, or the link was made another one. */
static void another_port_of_that_name_has_no_history(void **state)
{
	struct probes *t;
	int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		t = healthy(1);
		hca(t, 0)->no_device_link = true;
		probes_days(t, 6);
		probes_set(t, PORT(0), 40, 40);
		assert_int_equal(probes_next(t), STATUS_WARN);
		if (i == 0)
			strcpy(hca(t, 0)->board, "MT_0000000223");
		else if (i == 1)
			strcpy(hca(t, 0)->bus_id, "0000:99:00.0");
		else
			hca(t, 0)->port[0].rate_gbit = 200;
		assert_int_equal(probes_next(t), STATUS_PASS);
		probes_free(t);
	}
}

static void far_memory_excuses(void **state)
{
	struct probes *t = healthy(8);
	struct probe_shot *s = probes_shot(t, PORT(2), 0);

	(void)state;
	probes_set(t, PORT(2), 21, 21);
	s[0].cond.numa_node = s[1].cond.numa_node = 1;
	s[0].cond.numa_wanted = s[1].cond.numa_wanted = 0;
	assert_int_equal(probes_run(t), STATUS_WARN);
	ONLY(t, STATUS_WARN, "rate", "mlx5_2",
	     "21.0<43.6 GB/s, buffer on NUMA node 1, not 0");
	probes_free(t);
}

static void others(struct probes *t, int port, double first, double again)
{
	t->p.port[port].loopback[0].other_gbps = first;
	t->p.port[port].loopback[1].other_gbps = again;
}

/* A file system's client took half of what is missing, or more. */
static void other_traffic_leaves_it_unjudged(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	probes_set(t, PORT(3), 21, NAN);
	others(t, 3, 20, NAN);
	assert_false(probes_doubts(t, PORT(3)));
	assert_int_equal(probes_run(t), STATUS_SKIP);
	ONLY(t, STATUS_SKIP, "disturbed", "mlx5_3",
	     "21.0<43.6 GB/s, not judged: 20.0 GB/s of other traffic");
	assert_string_equal(probes_finding(t, 0)->evidence, "");
	/* By one reference no more than by two. */
	probes_set(t, PORT(3), 43.2, NAN);
	others(t, 3, 6, NAN);
	assert_int_equal(probes_run(t), STATUS_SKIP);
	others(t, 3, 0, NAN);
	assert_int_equal(probes_run(t), STATUS_WARN);
	/* In the repeat only: not low twice. */
	probes_set(t, PORT(3), 21, 22);
	others(t, 3, 0.2, 19);
	assert_int_equal(probes_run(t), STATUS_SKIP);
	ONLY(t, STATUS_SKIP, "disturbed", "mlx5_3",
	     "21.0<43.4 GB/s, not judged: 19.0 GB/s of other traffic");
	probes_free(t);
}

static void little_other_traffic_excuses_nothing(void **state)
{
	static const double little[] = { 0, 3, 10, NAN };
	struct probes *t = healthy(8);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(little) / sizeof(little[0]); i++) {
		probes_set(t, PORT(3), 21, NAN);
		others(t, 3, little[i], little[i]);
		assert_true(probes_doubts(t, PORT(3)));
		probes_set(t, PORT(3), 21, 21.5);
		assert_int_equal(probes_run(t), STATUS_FAIL);
		assert_int_equal(t->s->r.count, 1);
		assert_string_equal(probes_finding(t, 0)->code,
				    "ib_loopback.rate");
	}
	/* Who is fast all the same has passed. */
	probes_set(t, PORT(3), 48, NAN);
	others(t, 3, 20, NAN);
	assert_int_equal(probes_run(t), STATUS_PASS);
	probes_free(t);
}

/* Four of five beside other traffic: no median of what was left to them. */
static void the_disturbed_are_nobodys_equals(void **state)
{
	struct probes *t = healthy(5);
	int i;

	(void)state;
	for (i = 0; i < 5; i++) {
		hca(t, i)->no_device_link = true;
		probes_set(t, PORT(i), i ? 48 : 30, i ? NAN : 30);
		others(t, i, i ? 5 : 0, 0);
	}
	assert_int_equal(probes_run(t), STATUS_PASS);
	for (i = 0; i < 5; i++)
		others(t, i, i ? 1 : 0, 0);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	probes_free(t);
}

/* Neither worse nor well again. */
static void what_is_open_stays_so_beside_other_traffic(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	probes_set(t, PORT(3), 21, 21.5);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	probes_set(t, PORT(3), 10, NAN);
	others(t, 3, 30, NAN);
	assert_int_equal(probes_next(t), STATUS_SKIP);
	ONLY(t, STATUS_SKIP, "disturbed", "mlx5_3",
	     "10.0<43.6 GB/s, not judged: 30.0 GB/s of other traffic");
	assert_string_equal(probes_finding(t, 0)->evidence, "low:2");
	others(t, 3, 0, NAN);
	probes_set(t, PORT(3), 21, 21.5);
	assert_int_equal(probes_next(t), STATUS_FAIL);
	assert_string_equal(probes_finding(t, 0)->evidence, "low:2");
	probes_free(t);
}

static void a_changed_payload_is_a_hard_fault(void **state)
{
	struct probes *t = healthy(8);
	struct probe_shot *s = probes_shot(t, PORT(5), 0);

	(void)state;
	s[0].corrupt = true;
	assert_true(probes_doubts(t, PORT(5)));
	s[1] = s[0];
	s[1].corrupt = false;
	assert_false(probes_doubts(t, PORT(5)));
	assert_int_equal(probes_run(t), STATUS_WARN);
	ONLY(t, STATUS_WARN, "corrupt", "mlx5_5",
	     "what arrives is not what was written, unconfirmed");
	s[1].corrupt = true;
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_true(probes_finding(t, 0)->hard);
	probes_free(t);
}

static void raise(struct probes *t, int port, int shot, const char *counter)
{
	struct rdma_shot *s = &t->p.port[port].loopback[shot];

	s->raised_count = 1;
	s->raised[0].by = 12;
	snprintf(s->raised[0].counter, sizeof(s->raised[0].counter), "%s",
		 counter);
	t->p.port[port].probe[PROBE_loopback].shot[shot] =
		t->p.port[port].probe[PROBE_loopback].shot[0];
}

static void a_counter_that_it_raises_twice_fails(void **state)
{
	struct probes *t = healthy(8);
	const struct finding *f;

	(void)state;
	raise(t, 2, 0, "symbol_error");
	assert_true(probes_doubts(t, PORT(2)));
	assert_int_equal(probes_run(t), STATUS_WARN);
	ONLY(t, STATUS_WARN, "symbol_error", "mlx5_2",
	     "symbol_error +12 while measured, to be repeated");
	raise(t, 2, 1, "link_downed");
	assert_int_equal(probes_run(t), STATUS_WARN);
	ONLY(t, STATUS_WARN, "symbol_error", "mlx5_2",
	     "symbol_error +12 while measured, unconfirmed");
	raise(t, 2, 1, "symbol_error");
	assert_false(probes_doubts(t, PORT(2)));
	assert_int_equal(probes_run(t), STATUS_FAIL);
	f = probes_finding(t, 0);
	assert_string_equal(f->text, "symbol_error +12 while measured");
	assert_int_equal(f->remedy, REMEDY_CHECK_CABLE);
	assert_false(f->hard);
	assert_int_equal(f->at_most, ACTION_DRAIN_AFTER);
	probes_free(t);
}

/* Of all connections: a file server that goes down is no node's fault. */
static void what_others_raise_warns(void **state)
{
	static const char *const of_all[] = { "local_ack_timeout_err",
					      "req_transport_retries_exceeded",
					      "packet_seq_err",
					      "implied_nak_seq_err",
					      "rx_icrc_encapsulated",
					      "completer_retry_err",
					      "retry_exceeded_err" };
	struct probes *t = healthy(8);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(of_all) / sizeof(of_all[0]); i++) {
		raise(t, 2, 0, of_all[i]);
		raise(t, 2, 1, of_all[i]);
		assert_int_equal(probes_run(t), STATUS_WARN);
		assert_int_equal(t->s->r.count, 1);
		assert_non_null(strstr(probes_finding(t, 0)->text,
				       " while measured, of all connections"));
	}
	probes_free(t);
}

static void congestion_is_no_fault(void **state)
{
	static const char *const silent[] = { "port_xmit_discards",
					      "out_of_sequence", "rcvd_rnr_err",
					      "np_cnp_sent", "" };
	struct probes *t = healthy(8);
	int i;

	(void)state;
	for (i = 0; i < 5; i++) {
		raise(t, 1, 0, silent[i]);
		assert_false(probes_doubts(t, PORT(1)));
		assert_int_equal(probes_run(t), STATUS_PASS);
	}
	/* Lost packets are news on InfiniBand only. */
	raise(t, 1, 0, "packet_seq_err");
	assert_true(probes_doubts(t, PORT(1)));
	strcpy(hca(t, 1)->port[0].layer, "Ethernet");
	assert_false(probes_doubts(t, PORT(1)));
	probes_free(t);
}

static void how_it_ended(void **state)
{
	struct probes *t = healthy(8);
	struct probe_shot *s = probes_shot(t, PORT(4), 0);

	(void)state;
	*s = (struct probe_shot){ .end = PROBE_FAULT, .rc = RDMA_RC_GONE,
				  .call = "RDMA write",
				  .why = "mlx5_4 has gone (RDMA write)" };
	assert_int_equal(probes_run(t), STATUS_FAIL);
	ONLY(t, STATUS_FAIL, "fault", "mlx5_4", "mlx5_4 has gone (RDMA write)");
	*s = (struct probe_shot){ .end = PROBE_FAULT, .rc = 12,
				  .call = "RDMA write" };
	assert_int_equal(probes_run(t), STATUS_WARN);
	ONLY(t, STATUS_WARN, "fault", "mlx5_4",
	     "what was sent is not answered");
	*s = (struct probe_shot){ .end = PROBE_TIMEOUT,
				  .call = "ibv_destroy_qp" };
	probes_run(t);
	ONLY(t, STATUS_SKIP, "timeout", "mlx5_4",
	     "no answer in time, in ibv_destroy_qp");
	*s = (struct probe_shot){ .end = PROBE_BROKEN, .why = "ours" };
	assert_int_equal(probes_run(t), STATUS_ERROR);
	probes_free(t);
}

static void who_cannot_says_why(void **state)
{
	struct probes *t = healthy(2);
	int i;

	(void)state;
	for (i = 0; i < 2; i++)
		*probes_shot(t, PORT(i), 0) = (struct probe_shot){
			.end = PROBE_UNABLE, .why = "no libibverbs"
		};
	assert_int_equal(probes_run(t), STATUS_SKIP);
	assert_string_equal(t->s->r.note, "mlx5_0: no libibverbs");
	for (i = 0; i < 2; i++) {
		t->p.port[i].chosen = false;
		*probes_shot(t, PORT(i), 0) = (struct probe_shot){
			.why = "the port is not active"
		};
	}
	probes_shot(t, PORT(0), 0)->why[0] = '\0';
	assert_int_equal(probes_run(t), STATUS_SKIP);
	assert_string_equal(t->s->r.note, "mlx5_1: the port is not active");
	probes_shot(t, PORT(1), 0)->why[0] = '\0';
	assert_int_equal(probes_run(t), STATUS_SKIP);
	assert_string_equal(t->s->r.note, "no port was to be measured");
	probes_free(t);
}

static void what_is_open_is_not_forgotten(void **state)
{
	struct probes *t = healthy(8);

	(void)state;
	probes_set(t, PORT(3), 21, 21.5);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	t->p.port[3].chosen = false;
	probes_next(t);
	ONLY(t, STATUS_SKIP, "low", "mlx5_3", "was bad, not measured this time");
	assert_string_equal(probes_finding(t, 0)->evidence, "low:2");
	probes_free(t);
}

static void the_record(void **state)
{
	struct probes *t = healthy(2);
	const json_t *one, *conditions;

	(void)state;
	t->p.port[0].loopback[0].gid_index = 3;
	strcpy(t->p.port[0].loopback[0].gid_type, "RoCE v2");
	raise(t, 0, 0, "port_xmit_discards");
	assert_int_equal(probes_run(t), STATUS_PASS);
	one = json_array_get(t->s->r.measured, 0);
	assert_string_equal(json_string_value(json_object_get(one, "subject")),
			    "mlx5_0");
#define NUMBER(key) json_number_value(json_object_get(one, key))
	assert_true(NUMBER("gbps") == 48 && NUMBER("gbit_s") == 384);
	assert_true(NUMBER("message_bytes") == 524288 && NUMBER("qps") == 2);
	assert_true(NUMBER("cpu_ms") == 12.5 && NUMBER("mtu") == 4096);
	assert_true(NUMBER("gid_index") == 3);
	conditions = json_object_get(one, "conditions");
	assert_string_equal(json_string_value(json_object_get(conditions,
							      "firmware")),
			    "28.39.1002");
	one = json_object_get(one, "raised");
	assert_true(NUMBER("port_xmit_discards") == 12);
	one = json_array_get(t->s->r.measured, 1);
	assert_null(json_object_get(one, "gid_index"));
	assert_null(json_object_get(one, "raised"));
	probes_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_ports_pass),
		cmocka_unit_test(a_slow_port_fails_when_it_is_slow_twice),
		cmocka_unit_test(a_port_alone_is_held_against_its_slot),
		cmocka_unit_test(the_slot_sets_what_is_expected),
		cmocka_unit_test(
			what_is_not_known_to_loop_at_its_rate_has_no_limit),
		cmocka_unit_test(the_site_knows_its_platform),
		cmocka_unit_test(the_sites_figure),
		cmocka_unit_test(only_equals_are_peers),
		cmocka_unit_test(peers_alone_find_what_is_slow_by_far),
		cmocka_unit_test(a_port_has_its_own_history),
		cmocka_unit_test(another_port_of_that_name_has_no_history),
		cmocka_unit_test(far_memory_excuses),
		cmocka_unit_test(other_traffic_leaves_it_unjudged),
		cmocka_unit_test(little_other_traffic_excuses_nothing),
		cmocka_unit_test(the_disturbed_are_nobodys_equals),
		cmocka_unit_test(what_is_open_stays_so_beside_other_traffic),
		cmocka_unit_test(a_changed_payload_is_a_hard_fault),
		cmocka_unit_test(a_counter_that_it_raises_twice_fails),
		cmocka_unit_test(what_others_raise_warns),
		cmocka_unit_test(congestion_is_no_fault),
		cmocka_unit_test(how_it_ended),
		cmocka_unit_test(who_cannot_says_why),
		cmocka_unit_test(what_is_open_is_not_forgotten),
		cmocka_unit_test(the_record),
	};

	return cmocka_run_group_tests_name("ib_loopback", tests, NULL, NULL);
}
