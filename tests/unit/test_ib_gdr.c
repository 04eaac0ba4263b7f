/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/check.h"

#include "tests/unit/fabric.h"
#include "tests/unit/probes.h"

extern const struct check check_ib_gdr;

static struct nodes *eight(void)
{
	struct nodes *n = fabric_of_eight(&check_ib_gdr);

	n->facts.gpus.count = 8;
	n->facts.fabric.module_peermem = true;
	n->facts.fabric.acs_bridges = -1;
	return n;
}

static void either_way_is_silent(void **state)
{
	struct nodes *n = eight();

	(void)state;
	n->facts.fabric.dmabuf = 0;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	n->facts.fabric.module_peermem = false;
	n->facts.fabric.dmabuf = 1;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	n->facts.fabric.dmabuf = -1;	/* nobody knows */
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_free(n);
}

static void neither_fails(void **state)
{
	struct nodes *n = eight();

	(void)state;
	n->facts.fabric.module_peermem = false;
	n->facts.fabric.dmabuf = 0;
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	nodes_only(n, "ib_gdr.path", "node");
	assert_int_equal(n->r.finding[0].remedy, REMEDY_CONFIG);
	assert_int_equal(check_ib_gdr.def, ACTION_WARN);
	nodes_free(n);
}

static void acs_warns(void **state)
{
	struct nodes *n = eight();

	(void)state;
	n->facts.fabric.acs_bridges = 4;
	strcpy(n->facts.fabric.acs_bridge, "0000:17:00.0");
	assert_int_equal(nodes_run(n), STATUS_WARN);
	nodes_only(n, "ib_gdr.acs", "0000:17:00.0");
	n->facts.fabric.acs_bridges = 0;
	assert_int_equal(nodes_run(n), STATUS_PASS);
	nodes_free(n);
}

static void not_for_everybody(void **state)
{
	struct nodes *n = eight();

	(void)state;
	n->facts.fabric.module_peermem = false;
	n->facts.fabric.dmabuf = 0;
	n->facts.gpus.count = 0;
	assert_int_equal(nodes_run(n), STATUS_SKIP);
	n->facts.gpus.count = 8;
	for (int i = 0; i < 8; i++)
		strcpy(n->facts.fabric.hca[i].driver, "efa");
	assert_int_equal(nodes_run(n), STATUS_SKIP);
	n->facts.fabric.hca[0].driver[0] = '\0';
	assert_int_equal(nodes_run(n), STATUS_FAIL);
	n->facts.fabric.hca[0].no_device_link = true;
	assert_int_equal(nodes_run(n), STATUS_SKIP);
	nodes_free(n);
}

/* ---- what was measured -------------------------------------------------------- */

static struct probes *measured(void)
{
	struct probes *t = probes_healthy(&check_ib_gdr, 8);

	probes_add_ports(t, 8);
	return t;
}

static void equal_gpus_pass(void **state)
{
	struct probes *t = measured();

	(void)state;
	assert_int_equal(probes_run(t), STATUS_PASS);
	assert_false(probes_doubts(t, 2));
	probes_free(t);
}

/* State is judged in every pass, whether or not there was a probe. */
static void without_a_probe_state_is_judged(void **state)
{
	struct probes *t = measured();

	(void)state;
	assert_true(check_ib_gdr.also_state);
	t->s->env.probes = NULL;
	assert_int_equal(probes_run(t), STATUS_PASS);
	assert_null(t->s->r.measured);
	t->s->facts.fabric.acs_bridges = 4;
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_true(probes_finding(t, 0)->hard);
	t->s->env.probes = &t->p;
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_int_equal(t->s->r.count, 1);
	assert_non_null(t->s->r.measured);
	probes_free(t);
}

static void a_slow_gpu_fails_when_it_is_slow_twice(void **state)
{
	struct probes *t = measured();
	const struct finding *f;

	(void)state;
	probes_set(t, 3, 20, NAN);
	assert_true(probes_doubts(t, 3));
	assert_int_equal(probes_run(t), STATUS_WARN);
	probes_set(t, 3, 20, 20.5);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	f = probes_finding(t, 0);
	assert_string_equal(f->code, "ib_gdr.rate");
	assert_string_equal(f->subject, "GPU3");
	assert_string_equal(f->text, "20.5<41.6 GB/s by mlx5_3 PIX");
	assert_false(f->hard);
	t->s->facts.fabric.iommu = 1;
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_string_equal(probes_finding(t, 0)->text,
			    "20.5<41.6 GB/s by mlx5_3 PIX, IOMMU is on");
	probes_free(t);
}

static void the_sites_figure_and_its_own_history(void **state)
{
	struct probes *t = measured();

	(void)state;
	probes_days(t, 6);
	probes_set(t, 3, 42, 42);
	assert_int_equal(probes_next(t), STATUS_WARN);
	assert_non_null(strstr(probes_finding(t, 0)->text, "its own history"));
	probes_config(t, "expected_gbps = 47\n");
	assert_int_equal(probes_next(t), STATUS_FAIL);
	assert_string_equal(probes_finding(t, 0)->subject, "GPU3");
	probes_free(t);
}

/* What is farther away is no worse for that. */
static void only_who_is_as_far_is_a_peer(void **state)
{
	struct probes *t = measured();

	(void)state;
	probes_set(t, 3, 38, NAN);
	assert_int_equal(probes_run(t), STATUS_WARN);
	t->p.gpu[3].port_near = PCI_NEAR_SYS;
	assert_int_equal(probes_run(t), STATUS_PASS);
	t->p.gpu[3].port_near = PCI_NEAR_PIX;
	t->s->facts.fabric.hca[3].port[0].rate_gbit = 200;
	probes_set(t, 3, 23, NAN);
	assert_int_equal(probes_run(t), STATUS_PASS);
	probes_free(t);
}

/* Neither DMA-BUF nor the module let the port in. */
static void a_road_that_is_shut_is_found(void **state)
{
	struct probes *t = measured();
	const struct finding *f;

	(void)state;
	*probes_shot(t, 2, 0) = (struct probe_shot){
		.end = PROBE_UNABLE,
		.why = "no GPUDirect path: DMA-BUF: not with this GPU driver; "
		       "peermem: Bad address"
	};
	strcpy(t->p.gpu[2].gdr[0].road, "none");
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_int_equal(t->s->r.count, 1);
	f = probes_finding(t, 0);
	assert_string_equal(f->code, "ib_gdr.path");
	assert_string_equal(f->subject, "GPU2");
	assert_int_equal(f->remedy, REMEDY_CONFIG);
	assert_string_equal(f->text, "no GPUDirect path: DMA-BUF: not with this"
				     " GPU driver; peermem: Bad address");
	t->s->facts.fabric.module_peermem = false;
	t->s->facts.fabric.dmabuf = 1;
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_non_null(strstr(probes_finding(t, 0)->text,
			       "Bad address (nvidia_peermem is not "
			       "loaded)"));
	/* The state has said it all. */
	t->s->facts.fabric.dmabuf = 0;
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_int_equal(t->s->r.count, 1);
	assert_string_equal(probes_finding(t, 0)->subject, "node");
	probes_free(t);
}

/* Other reasons are none of the hardware's, nor of the set-up. */
static void who_cannot_is_silent(void **state)
{
	struct probes *t = measured();
	int i;

	(void)state;
	for (i = 0; i < 8; i++)
		*probes_shot(t, i, 0) = (struct probe_shot){
			.end = PROBE_UNABLE, .why = "no libibverbs"
		};
	assert_int_equal(probes_run(t), STATUS_PASS);
	assert_int_equal(t->s->r.count, 0);
	probes_free(t);
}

static void a_fault_is_the_ports_or_the_gpus(void **state)
{
	struct probes *t = measured();

	(void)state;
	*probes_shot(t, 1, 0) = (struct probe_shot){ .end = PROBE_FAULT,
						     .rc = RDMA_RC_PORT_DOWN,
						     .call = "RDMA write",
						     .why = "port 1 went DOWN" };
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_string_equal(probes_finding(t, 0)->text, "port 1 went DOWN");
	*probes_shot(t, 1, 0) = (struct probe_shot){ .end = PROBE_FAULT,
						     .rc = 214,
						     .call = "cuMemAlloc_v2" };
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_non_null(strstr(probes_finding(t, 0)->text, "CUDA 214"));
	probes_free(t);
}

static void what_it_raises_names_the_port(void **state)
{
	struct probes *t = measured();
	struct rdma_shot *s = t->p.gpu[4].gdr;

	(void)state;
	s[0].raised_count = 1;
	s[0].raised[0] = (struct rdma_raised){ "symbol_error", 3 };
	assert_true(probes_doubts(t, 4));
	assert_int_equal(probes_run(t), STATUS_WARN);
	assert_string_equal(probes_finding(t, 0)->subject, "GPU4");
	assert_string_equal(probes_finding(t, 0)->text,
			    "mlx5_4 symbol_error +3 while measured, to be "
			    "repeated");
	probes_free(t);
}

static void a_payload_and_the_record(void **state)
{
	struct probes *t = measured();
	const json_t *one;

	(void)state;
	probes_set(t, 0, 46, 46);
	probes_shot(t, 0, 0)->corrupt = probes_shot(t, 0, 1)->corrupt = true;
	assert_int_equal(probes_run(t), STATUS_FAIL);
	assert_string_equal(probes_finding(t, 0)->code, "ib_gdr.corrupt");
	one = json_array_get(t->s->r.measured, 0);
#define TEXT(key) json_string_value(json_object_get(one, key))
	assert_string_equal(TEXT("subject"), "GPU0");
	assert_string_equal(TEXT("port"), "mlx5_0");
	assert_string_equal(TEXT("distance"), "PIX");
	assert_string_equal(TEXT("road"), "dmabuf");
	assert_true(json_number_value(json_object_get(one, "gbit_s")) == 368);
	probes_free(t);
}

/* A pass without a probe is none for what a probe has found. */
static void what_is_open_is_not_forgotten(void **state)
{
	struct probes *t = measured();

	(void)state;
	probes_set(t, 3, 20, 20.5);
	assert_int_equal(probes_run(t), STATUS_FAIL);
	t->s->env.probes = NULL;
	assert_int_equal(probes_next(t), STATUS_SKIP);
	assert_string_equal(probes_finding(t, 0)->code, "ib_gdr.low");
	probes_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(either_way_is_silent),
		cmocka_unit_test(neither_fails),
		cmocka_unit_test(acs_warns),
		cmocka_unit_test(not_for_everybody),
		cmocka_unit_test(equal_gpus_pass),
		cmocka_unit_test(without_a_probe_state_is_judged),
		cmocka_unit_test(a_slow_gpu_fails_when_it_is_slow_twice),
		cmocka_unit_test(the_sites_figure_and_its_own_history),
		cmocka_unit_test(only_who_is_as_far_is_a_peer),
		cmocka_unit_test(a_road_that_is_shut_is_found),
		cmocka_unit_test(who_cannot_is_silent),
		cmocka_unit_test(a_fault_is_the_ports_or_the_gpus),
		cmocka_unit_test(what_it_raises_names_the_port),
		cmocka_unit_test(a_payload_and_the_record),
		cmocka_unit_test(what_is_open_is_not_forgotten),
	};

	return cmocka_run_group_tests_name("ib_gdr", tests, NULL, NULL);
}
