/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/yardstick.h"

#include <math.h>
#include <string.h>

#include "tests/unit/unit.h"

/* References by what a healthy device achieves, 0: there is none; and what
 * must come of a value held against them. */
struct row {
	const char *about;
	double profile, site, peak, peers, history, estimate;
	double value;
	enum yard_sense sense;
	bool gross;
	double limit;
	enum yard by;
};

static const struct row table[] = {
	{ .about = "nothing to hold it against",
	  .value = 3000,
	  .sense = YARD_NOTHING },
	{ .about = "no figure", .peers = 3000, .value = NAN, .sense = YARD_NOTHING },
	{ .about = "0 is no figure",
	  .peers = 3000,
	  .value = 0,
	  .sense = YARD_NOTHING },
	{ .about = "as good as all of them",
	  .profile = 3000,
	  .site = 3000,
	  .peak = 3352,
	  .peers = 3000,
	  .history = 3000,
	  .estimate = 2465,
	  .value = 2990,
	  .sense = YARD_GOOD },
	/* The floor of each, just met and just missed. */
	{ .about = "profile: 0.88",
	  .profile = 3000,
	  .value = 2640,
	  .sense = YARD_GOOD },
	{ .about = "below it",
	  .profile = 3000,
	  .value = 2639,
	  .sense = YARD_DOUBTFUL,
	  .limit = 2640,
	  .by = YARD_PROFILE },
	{ .about = "site: 0.90", .site = 3000, .value = 2700, .sense = YARD_GOOD },
	{ .about = "below it",
	  .site = 3000,
	  .value = 2699,
	  .sense = YARD_DOUBTFUL,
	  .limit = 2700,
	  .by = YARD_SITE },
	{ .about = "peak: 0.70", .peak = 3000, .value = 2100, .sense = YARD_GOOD },
	{ .about = "below it",
	  .peak = 3000,
	  .value = 2099,
	  .sense = YARD_DOUBTFUL,
	  .limit = 2100,
	  .by = YARD_PHYSICAL },
	{ .about = "peers: 0.95", .peers = 3000, .value = 2850, .sense = YARD_GOOD },
	{ .about = "below it",
	  .peers = 3000,
	  .value = 2849,
	  .sense = YARD_DOUBTFUL,
	  .limit = 2850,
	  .by = YARD_PEERS },
	{ .about = "history: 5% at least",
	  .history = 3000,
	  .value = 2850,
	  .sense = YARD_GOOD },
	{ .about = "below it",
	  .history = 3000,
	  .value = 2849,
	  .sense = YARD_DOUBTFUL,
	  .limit = 2850,
	  .by = YARD_HISTORY },
	{ .about = "another tool's floor",
	  .estimate = 2465,
	  .value = 2466,
	  .sense = YARD_GOOD },
	{ .about = "below it",
	  .estimate = 2465,
	  .value = 2464,
	  .sense = YARD_DOUBTFUL,
	  .limit = 2465,
	  .by = YARD_ESTIMATE },
	/* Two agree; the higher floor of the two is the limit. */
	{ .about = "peers and history agree",
	  .peers = 3000,
	  .history = 2980,
	  .value = 2800,
	  .sense = YARD_LOW,
	  .limit = 2850,
	  .by = YARD_PEERS },
	{ .about = "site and peak agree",
	  .site = 2900,
	  .peak = 3352,
	  .value = 2340,
	  .sense = YARD_LOW,
	  .limit = 2610,
	  .by = YARD_SITE },
	{ .about = "two of three agree",
	  .profile = 3000,
	  .site = 2600,
	  .history = 3000,
	  .value = 2500,
	  .sense = YARD_LOW,
	  .limit = 2850,
	  .by = YARD_HISTORY },
	{ .about = "one of three alone",
	  .profile = 2500,
	  .site = 2500,
	  .peers = 3000,
	  .value = 2600,
	  .sense = YARD_DOUBTFUL,
	  .limit = 2850,
	  .by = YARD_PEERS },
	{ .about = "an estimate agrees with nobody",
	  .peers = 3000,
	  .estimate = 2900,
	  .value = 2800,
	  .sense = YARD_DOUBTFUL,
	  .limit = 2850,
	  .by = YARD_PEERS },
	/* One is missed by far. */
	{ .about = "peers by far",
	  .peers = 3000,
	  .value = 2099,
	  .sense = YARD_LOW,
	  .gross = true,
	  .limit = 2850,
	  .by = YARD_PEERS },
	{ .about = "not by far",
	  .peers = 3000,
	  .value = 2101,
	  .sense = YARD_DOUBTFUL,
	  .limit = 2850,
	  .by = YARD_PEERS },
	{ .about = "the site by far",
	  .site = 3000,
	  .value = 2000,
	  .sense = YARD_LOW,
	  .gross = true,
	  .limit = 2700,
	  .by = YARD_SITE },
	{ .about = "the site by far, all alike",
	  .site = 3000,
	  .peers = 2000,
	  .value = 2000,
	  .sense = YARD_LOW,
	  .gross = true,
	  .limit = 2700,
	  .by = YARD_SITE },
	{ .about = "the profile by far",
	  .profile = 3000,
	  .value = 2000,
	  .sense = YARD_LOW,
	  .gross = true,
	  .limit = 2640,
	  .by = YARD_PROFILE },
	{ .about = "its own past by far",
	  .history = 3000,
	  .value = 2000,
	  .sense = YARD_LOW,
	  .gross = true,
	  .limit = 2850,
	  .by = YARD_HISTORY },
	{ .about = "an estimate by far",
	  .estimate = 3000,
	  .value = 300,
	  .sense = YARD_DOUBTFUL,
	  .gross = true,
	  .limit = 3000,
	  .by = YARD_ESTIMATE },
	/* 0.7 x 0.85 of the peak. */
	{ .about = "the peak by far",
	  .peak = 3000,
	  .value = 1784,
	  .sense = YARD_LOW,
	  .gross = true,
	  .limit = 2100,
	  .by = YARD_PHYSICAL },
	{ .about = "the peak, not by far",
	  .peak = 3000,
	  .value = 1786,
	  .sense = YARD_DOUBTFUL,
	  .limit = 2100,
	  .by = YARD_PHYSICAL },
	{ .about = "the peak by far, but so do its equals",
	  .peak = 3000,
	  .peers = 1500,
	  .value = 1490,
	  .sense = YARD_DOUBTFUL,
	  .gross = true,
	  .limit = 2100,
	  .by = YARD_PHYSICAL },
	{ .about = "the peak by far, and what the site expects",
	  .peak = 3000,
	  .site = 1500,
	  .value = 1490,
	  .sense = YARD_DOUBTFUL,
	  .gross = true,
	  .limit = 2100,
	  .by = YARD_PHYSICAL },
	{ .about = "the peak by far, and what its model achieves",
	  .peak = 3000,
	  .profile = 1500,
	  .value = 1490,
	  .sense = YARD_DOUBTFUL,
	  .gross = true,
	  .limit = 2100,
	  .by = YARD_PHYSICAL },
	{ .about = "its past says it was better",
	  .peak = 3000,
	  .peers = 1500,
	  .history = 2500,
	  .value = 1490,
	  .sense = YARD_LOW,
	  .gross = true,
	  .limit = 2375,
	  .by = YARD_HISTORY },
	{ .about = "low twice, gross by the better one",
	  .peak = 3000,
	  .peers = 2950,
	  .value = 2050,
	  .sense = YARD_LOW,
	  .gross = true,
	  .limit = 2802.5,
	  .by = YARD_PEERS },
};

static void fill(double *v, int n, double x)
{
	while (n--)
		v[n] = x;
}

static void lay_out(struct yardstick *y, const struct row *row)
{
	double v[YARD_HISTORY_MIN];

	yardstick_init(y);
	yardstick_profile(y, row->profile);
	yardstick_site(y, row->site);
	yardstick_physical(y, row->peak, 0.70, 0.85);
	fill(v, YARD_PEERS_MIN, row->peers);
	yardstick_peers(y, v, YARD_PEERS_MIN, 0.95);
	fill(v, YARD_HISTORY_MIN, row->history);
	yardstick_history(y, v, YARD_HISTORY_MIN, 0.05);
	yardstick_estimate(y, row->estimate);
}

static void the_truth_table(void **state)
{
	const struct row *row;
	struct yard_sight s;
	struct yardstick y;
	double limit;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		row = &table[i];
		lay_out(&y, row);
		s = yardstick_hold(&y, row->value);
		limit = isnan(s.limit) ? 0 : s.limit;
		if (s.sense != row->sense || s.gross != row->gross ||
		    fabs(limit - row->limit) > 1e-6 ||
		    (row->limit > 0 && s.by != row->by))
			fail_msg("%s: sense %d gross %d limit %g by %s",
				 row->about, s.sense, s.gross, limit,
				 yardstick_name(s.by));
	}
}

static void what_is_unknown_is_no_reference(void **state)
{
	double v[] = { 3000, 3000, 3000, 3000 };
	struct yardstick y;
	int k;

	(void)state;
	yardstick_init(&y);
	yardstick_profile(&y, NAN);
	yardstick_site(&y, 0);
	yardstick_physical(&y, NAN, 0.7, 0.85);
	yardstick_physical(&y, INFINITY, 0.7, 0.85);
	yardstick_estimate(&y, -1);
	yardstick_peers(&y, v, 2, 0.95);
	yardstick_history(&y, v, 4, 0.05);
	for (k = 0; k < YARD_KINDS; k++)
		assert_true(isnan(y.floor[k]) && isnan(y.expected[k]));
}

static void half_against_half_makes_nobody_low(void **state)
{
	double odd[] = { 3, 1, 2 }, even[] = { 4, 1, 3, 2 };
	double halves[] = { 3000, 1500, 3000, 1500, 3000, 1500, 3000, 1500 };
	double minority[] = { 3000, 1500, 3000, 1500, 3000, 1500, 3000, 3000 };
	struct yardstick y;

	(void)state;
	assert_true(yardstick_median(odd, 3) == 2);
	assert_true(yardstick_median(even, 4) == 2);
	yardstick_init(&y);
	yardstick_peers(&y, halves, 8, 0.95);
	assert_int_equal(yardstick_hold(&y, 1500).sense, YARD_GOOD);
	yardstick_peers(&y, minority, 8, 0.95);
	assert_int_equal(yardstick_hold(&y, 1500).sense, YARD_LOW);
}

static void a_history_that_flutters_has_a_lower_floor(void **state)
{
	/* Median 100, median deviation 2: 6 x 1.4826 x 2 = 17.8. */
	double wide[] = { 98, 102, 100, 97, 103, 98, 102 };
	double narrow[] = { 100, 100.1, 99.9, 100, 100.2 };
	double again[] = { 100, 100.1, 99.9, 100, 100.2 };
	double wild[] = { 10, 200, 100, 20, 180 };
	struct yardstick y;

	(void)state;
	yardstick_init(&y);
	yardstick_history(&y, wide, 7, 0.05);
	assert_true(fabs(y.floor[YARD_HISTORY] - (100 - 17.7912)) < 1e-6);
	yardstick_init(&y);
	yardstick_history(&y, narrow, 5, 0.05);
	assert_true(fabs(y.floor[YARD_HISTORY] - 95) < 1e-6);
	yardstick_init(&y);
	yardstick_history(&y, again, 5, 0.08);
	assert_true(fabs(y.floor[YARD_HISTORY] - 92) < 1e-6);
	/* So wide that anything is usual. */
	yardstick_init(&y);
	yardstick_history(&y, wild, 5, 0.05);
	assert_true(isnan(y.floor[YARD_HISTORY]));
}

static void numbers_have_the_digits_they_are_worth(void **state)
{
	char buf[64];

	(void)state;
	assert_string_equal(yardstick_number(1710.4, buf, sizeof(buf)), "1710");
	assert_string_equal(yardstick_number(44.12, buf, sizeof(buf)), "44.1");
	assert_string_equal(yardstick_number(99.97, buf, sizeof(buf)), "100");
	assert_string_equal(yardstick_less(1710, 2520, buf, sizeof(buf)),
			    "1710<2520");
	assert_string_equal(yardstick_less(12.1, 44.1, buf, sizeof(buf)),
			    "12.1<44.1");
	assert_string_equal(yardstick_less(38.2, 300, buf, sizeof(buf)),
			    "38.2<300");
	/* Never "2520<2520". */
	assert_string_equal(yardstick_more(3.94, 2.61, buf, sizeof(buf)),
			    "3.9>2.6");
	assert_string_equal(yardstick_less(2519.8, 2520.2, buf, sizeof(buf)),
			    "2519.8<2520.2");
	assert_string_equal(yardstick_less(44.11, 44.14, buf, sizeof(buf)),
			    "44.11<44.14");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_truth_table),
		cmocka_unit_test(what_is_unknown_is_no_reference),
		cmocka_unit_test(half_against_half_makes_nobody_low),
		cmocka_unit_test(a_history_that_flutters_has_a_lower_floor),
		cmocka_unit_test(numbers_have_the_digits_they_are_worth),
	};

	return cmocka_run_group_tests_name("yardstick", tests, NULL, NULL);
}
