/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/places.h"

#include "tests/unit/probes.h"

extern const struct check check_gpu_membw;

#define PORT(k) PROBE_PLACE_PORT(k)

/* Two GPUs; mlx5_0 with two ports, mlx5_1 and mlx5_2 with one. */
static struct probes *healthy(void)
{
	struct probes *t = probes_healthy(&check_gpu_membw, 2);
	struct hca *h;

	probes_add_ports(t, 3);
	h = t->s->facts.fabric.hca;
	h[0].port_count = 2;
	h[0].port[1] = h[0].port[0];
	h[0].port[1].number = 2;
	return t;
}

static int count(const struct facts *f, enum probe p)
{
	int i, n = 0;

	PLACE_EACH(i, f, p)
		n++;
	return n;
}

static void gpus_and_ports_have_their_own(void **state)
{
	struct probes *t = healthy();
	const struct facts *f = &t->s->facts;

	(void)state;
	assert_int_equal(count(f, PROBE_membw), 2);
	assert_int_equal(count(f, PROBE_gdr), 2);
	assert_int_equal(count(f, PROBE_loopback), 4);
	assert_int_equal(place_next(f, PROBE_loopback, -1), PORT(0));
	assert_int_equal(place_next(f, PROBE_latency, PORT(3)), -1);
	assert_false(place_is_port(1));
	assert_true(place_is_port(PORT(0)));
	t->s->facts.gpus.count = 0;
	assert_int_equal(place_next(f, PROBE_membw, -1), -1);
	t->s->facts.fabric.hca_count = 0;
	assert_int_equal(place_next(f, PROBE_loopback, -1), -1);
	probes_free(t);
}

static void more_ports_than_places(void **state)
{
	struct probes *t = healthy();
	struct facts_fabric *f = &t->s->facts.fabric;
	int i;

	(void)state;
	f->hca_count = FACTS_HCAS_MAX;
	for (i = 0; i < FACTS_HCAS_MAX; i++)
		f->hca[i].port_count = 2;
	assert_int_equal(count(&t->s->facts, PROBE_loopback), PROBE_PORTS_MAX);
	assert_ptr_equal(place_hca(&t->s->facts, PORT(PROBE_PORTS_MAX - 1)),
			 &f->hca[15]);
	probes_free(t);
}

static void names_and_ids(void **state)
{
	struct probes *t = healthy();
	const struct facts *f = &t->s->facts;
	char buf[PLACE_SIZE];

	(void)state;
	assert_string_equal(place_name(f, 1, buf), "GPU1");
	assert_string_equal(place_id(f, 1, buf), "GPU-1");
	assert_string_equal(place_name(f, PORT(1), buf), "mlx5_0:2");
	assert_string_equal(place_id(f, PORT(1), buf), "mlx5_0:2");
	assert_string_equal(place_name(f, PORT(3), buf), "mlx5_2");
	assert_string_equal(place_id(f, PORT(3), buf), "mlx5_2:1");
	assert_int_equal(place_port(f, PORT(1))->number, 2);
	probes_free(t);
}

static void findings_are_about_a_place(void **state)
{
	struct probes *t = healthy();
	const struct facts *f = &t->s->facts;
	struct check_result r = { .check = t->check, .name = t->check->name };
	const struct finding *x;

	(void)state;
	x = place_finding(&r, STATUS_WARN, "rate", &t->s->env, PORT(1), "low %d",
			  7);
	assert_string_equal(x->subject, "mlx5_0:2");
	assert_string_equal(x->text, "low 7");
	assert_string_equal(x->code, "gpu_membw.rate");
	assert_int_equal(x->gpu, -1);
	assert_true(place_is_named(f, PORT(1), x));
	assert_false(place_is_named(f, PORT(0), x));
	assert_false(place_is_named(f, 1, x));
	x = place_finding(&r, STATUS_WARN, "rate", &t->s->env, 1, "low");
	assert_string_equal(x->subject, "GPU1");
	assert_int_equal(x->gpu, 1);
	assert_true(place_is_named(f, 1, x));
	assert_false(place_is_named(f, 0, x));
	result_fini(&r);
	probes_free(t);
}

static void equals(void **state)
{
	struct probes *t = healthy();
	struct facts *f = &t->s->facts;

	(void)state;
	assert_true(place_equal(f, 0, 1));
	assert_false(place_equal(f, 0, PORT(0)));
	assert_true(place_equal(f, PORT(0), PORT(3)));
	f->fabric.hca[2].port[0].rate_gbit = 200;
	assert_false(place_equal(f, PORT(0), PORT(3)));
	assert_true(place_equal(f, PORT(3), PORT(3)));
	f->fabric.hca[2].port[0].rate_gbit = 400;
	strcpy(f->fabric.hca[2].port[0].layer, "Ethernet");
	assert_false(place_equal(f, PORT(0), PORT(3)));
	strcpy(f->fabric.hca[1].board, "MT_0000000359");
	assert_false(place_equal(f, PORT(0), PORT(2)));
	probes_free(t);
}

static void what_the_site_speaks_of(void **state)
{
	struct probes *t = healthy();
	struct facts *f = &t->s->facts;

	(void)state;
	assert_true(place_is_sites(&t->s->env, PORT(0)));
	strcpy(f->fabric.hca[2].port[0].layer, "Ethernet");
	assert_true(place_is_sites(&t->s->env, PORT(0)));
	assert_false(place_is_sites(&t->s->env, PORT(3)));
	/* No InfiniBand at all. */
	strcpy(f->fabric.hca[0].port[0].layer, "Ethernet");
	strcpy(f->fabric.hca[0].port[1].layer, "Ethernet");
	strcpy(f->fabric.hca[1].port[0].layer, "Ethernet");
	assert_true(place_is_sites(&t->s->env, PORT(3)));
	f->gpus.gpu[1].pci_id = 0x20b010de;
	assert_true(place_is_sites(&t->s->env, 0));
	assert_false(place_is_sites(&t->s->env, 1));
	probes_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gpus_and_ports_have_their_own),
		cmocka_unit_test(more_ports_than_places),
		cmocka_unit_test(names_and_ids),
		cmocka_unit_test(findings_are_about_a_place),
		cmocka_unit_test(equals),
		cmocka_unit_test(what_the_site_speaks_of),
	};

	return cmocka_run_group_tests_name("places", tests, NULL, NULL);
}
