/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/profile.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"

static char dir[] = "/tmp/assay-profile-XXXXXX";

static void put(const char *name, const char *text, size_t len)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static void drop(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(unlink(path), 0);
}

#define N(x) "{\"value\": " x ", \"source\": \"test\"}"
#define HEAD \
	"{\"schema\": \"assay.profile/1\", \"name\": \"X\", " \
	"\"pci_ids\": " N("[\"10de:2330\"]")

/* A profile with one more member is refused, and the complaint has want. */
static void refuses(const char *text, const char *want)
{
	struct profiles *p;
	struct err e = { "" };

	put("bad.json", text, strlen(text));
	p = profiles_load(dir, &e);
	assert_non_null(p);
	assert_int_equal(profiles_count(p), 0);
	assert_non_null(profiles_complaint(p));
	if (!strstr(profiles_complaint(p), want) || !strstr(e.text, "bad.json"))
		fail_msg("\"%s\" lacks \"%s\"", e.text, want);
	profiles_destroy(p);
	drop("bad.json");
}

static void accepts(const char *text)
{
	struct profiles *p;
	struct err e = { "" };

	put("good.json", text, strlen(text));
	p = profiles_load(dir, &e);
	assert_non_null(p);
	if (profiles_complaint(p))
		fail_msg("%s", profiles_complaint(p));
	assert_int_equal(profiles_count(p), 1);
	profiles_destroy(p);
	drop("good.json");
}

static void shipped_profiles_load(void **state)
{
	const char *src = getenv("SRCDIR");
	const struct profile *h;
	struct profiles *p;
	struct err e = { "" };
	char path[512];

	(void)state;
	snprintf(path, sizeof(path), "%s/etc/profiles", src ? src : ".");
	p = profiles_load(path, &e);
	assert_non_null(p);
	assert_null(profiles_complaint(p));
	assert_true(profiles_count(p) >= 14);
	h = profiles_find(p, 0x233010de, NULL);
	assert_non_null(h);
	assert_string_equal(h->name, "H100-SXM5");
	assert_int_equal(h->nvlinks, 18);
	assert_int_equal(h->pcie_width, 16);
	assert_true(h->hbm_floor_gbps > 0.5 * h->hbm_gbps);
	assert_int_equal(h->sm_major, 9);
	assert_int_equal(h->nvlink_bridge, 0);
	/* The id beats the name, the name serves without an id. */
	h = profiles_find(p, 0x233510de, "NVIDIA H100 80GB HBM3");
	assert_string_equal(h->name, "H200-SXM");
	h = profiles_find(p, 0, "NVIDIA H100 NVL");
	assert_string_equal(h->name, "H100-NVL");
	assert_int_equal(h->nvlinks, 12);
	assert_int_equal(h->nvlink_bridge, 1);
	h = profiles_find(p, 0, "Tesla V100-SXM2-32GB");
	assert_string_equal(h->name, "V100-SXM2");
	assert_int_equal(h->row_remap, 0);
	h = profiles_find(p, 0x294110de, NULL);
	assert_int_equal(h->pcie_width, 0);
	assert_true(isnan(h->h2d_floor_gbps));
	/* Unknown hardware has no profile and so no threshold. */
	assert_null(profiles_find(p, 0x999910de, "NVIDIA X1"));
	assert_null(profiles_find(p, 0, ""));
	assert_null(profiles_find(p, 0, NULL));
	profiles_destroy(p);
}

static void small_is_enough(void **state)
{
	(void)state;
	accepts(HEAD "}");
	accepts(HEAD ", \"hbm_gbps\": " N("3352") ", \"hbm_floor_gbps\": " N(
		"1676") "}");
}

static void unknown_keys_are_refused(void **state)
{
	(void)state;
	refuses(HEAD ", \"hbm_gbs\": " N("3352") "}", "hbm_gbs");
	refuses(HEAD ", \"nvlinks\": {\"value\": 18, \"source\": \"x\", "
		     "\"unit\": \"GB/s\"}}",
		"nvlinks");
	refuses(HEAD ", \"nvlinks\": 18}", "source");
	refuses(HEAD ", \"nvlinks\": {\"value\": 18, \"source\": \"\"}}",
		"source");
	refuses(HEAD ", \"nvlinks\": {\"value\": 18}}", "source");
	refuses(HEAD ", \"nvlinks\": " N("18") ", \"nvlinks\": " N("12") "}",
		"duplicate");
}

static void wrong_types_are_refused(void **state)
{
	(void)state;
	refuses(HEAD ", \"nvlinks\": " N("\"18\"") "}", "nvlinks");
	refuses(HEAD ", \"nvlinks\": " N("18.5") "}", "nvlinks");
	refuses(HEAD ", \"row_remap\": " N("1") "}", "row_remap");
	refuses(HEAD ", \"compute_capability\": " N("\"9.0a\"") "}",
		"compute_capability");
	refuses(HEAD ", \"compute_capability\": " N("9.0") "}",
		"compute_capability");
	refuses(HEAD ", \"match_name\": \"(\"}", "match_name");
	refuses("{\"schema\": \"assay.profile/1\", \"name\": \"X\", "
		"\"pci_ids\": " N("[\"1002:740f\"]") "}",
		"pci_ids");
	refuses("{\"schema\": \"assay.profile/1\", \"name\": \"X\", "
		"\"pci_ids\": " N("[]") "}",
		"pci_ids");
	refuses("{\"schema\": \"assay.profile/1\", \"name\": \"X\"}",
		"match_name");
	refuses("{\"schema\": \"assay.profile/1\", \"match_name\": \"X\"}",
		"no name");
}

/* Slips that shipped tables of other tools contain: 10x and 1000x. */
static void unit_slips_are_refused(void **state)
{
	(void)state;
	refuses(HEAD ", \"hbm_gbps\": " N("3352000") "}", "unit slip");
	refuses(HEAD ", \"hbm_gbps\": " N("3.352") "}", "unit slip");
	refuses(HEAD
		", \"hbm_gbps\": " N("335.2") ", \"mem_mib\": " N("81920") "}",
		"hbm_gbps");
	refuses(HEAD ", \"nvlink_gbps\": " N("45") ", \"nvlinks\": " N("18") "}",
		"nvlink_gbps");
	refuses(HEAD
		", \"nvlink_gbps\": " N("3600") ", \"nvlinks\": " N("18") "}",
		"nvlink_gbps");
	/* Gb/s where GB/s is meant. */
	refuses(HEAD ", \"pcie_gen\": " N("4") ", \"pcie_width\": " N(
			"16") ", \"pcie_gbps\": " N("252") "}",
		"pcie_gbps");
	refuses(HEAD ", \"pcie_gen\": " N("4") ", \"pcie_width\": " N(
			"16") ", \"pcie_gbps\": " N("63") "}",
		"pcie_gbps");
	refuses(HEAD ", \"mem_mib\": " N("80") "}", "mem_mib");
	refuses(HEAD ", \"power_w\": " N("700000") "}", "power_w");
	refuses(HEAD ", \"nvlinks\": " N("-1") "}", "nvlinks");
}

static void floors_lie_within_half_and_all(void **state)
{
	(void)state;
	refuses(HEAD ", \"hbm_gbps\": " N("1555") ", \"hbm_floor_gbps\": " N(
			"137.5") "}",
		"hbm_floor_gbps");
	refuses(HEAD ", \"hbm_gbps\": " N("1555") ", \"hbm_floor_gbps\": " N(
			"1556") "}",
		"50-100%");
	refuses(HEAD ", \"hbm_floor_gbps\": " N("1300") "}", "hbm_gbps");
	refuses(HEAD
		", \"pcie_gbps\": " N("63") ", \"d2h_floor_gbps\": " N("24") "}",
		"d2h_floor_gbps");
	refuses(HEAD ", \"nvlink_gbps\": " N("300") ", \"p2p_floor_gbps\": " N(
			"335") "}",
		"p2p_floor_gbps");
}

#define OWN(sheet, s, key, v) \
	HEAD ", \"" sheet "\": " N(s) ", \"" key "\": " N(v) "}"

static void own_figures_lie_below_the_datasheet(void **state)
{
	(void)state;
	accepts(OWN("hbm_gbps", "3352", "own_membw_read_gbps", "3100"));
	refuses(OWN("hbm_gbps", "3352", "own_membw_read_gbps", "310"),
		"own_membw_read_gbps");
	refuses(OWN("hbm_gbps", "3352", "own_membw_triad_gbps", "3353"),
		"50-100%");
	accepts(OWN("nvlink_gbps", "450", "own_peer_gbps", "380"));
	refuses(OWN("nvlink_gbps", "450", "own_peer_gbps", "780"),
		"own_peer_gbps");
	/* Tensor cores that not every instruction feeds; still no slip of 10. */
	accepts(OWN("gemm_tflops", "989", "own_gemm_tflops", "620"));
	accepts(OWN("gemm_tflops", "2250", "own_gemm_tflops", "600"));
	refuses(OWN("gemm_tflops", "989", "own_gemm_tflops", "62"),
		"15-100%");
	refuses(HEAD ", \"own_gemm_tflops\": " N("620") "}", "gemm_tflops");
	/* Without PCIe to the CPU it is C2C that counts. */
	accepts(OWN("pcie_gbps", "63", "own_d2h_gbps", "52"));
	accepts(OWN("c2c_gbps", "450", "own_h2d_gbps", "346"));
	refuses(OWN("c2c_gbps", "450", "own_h2d_gbps", "34.6"),
		"own_h2d_gbps");
	refuses(HEAD ", \"own_h2d_gbps\": " N("52") "}", "pcie_gbps");
}

static void figures_without_a_key_are_unknown(void **state)
{
	const struct profile *h;
	struct profiles *p;
	struct err e = { "" };

	(void)state;
	put("x.json", HEAD "}", strlen(HEAD "}"));
	p = profiles_load(dir, &e);
	h = profiles_find(p, 0x233010de, NULL);
	assert_non_null(h);
	assert_true(isnan(h->hbm_gbps) && isnan(h->own_gemm_tflops));
	assert_true(isnan(h->own_peer_gbps) && isnan(h->p2p_floor_gbps));
	assert_int_equal(h->nvlinks, -1);
	assert_int_equal(h->power_w, 0);
	profiles_destroy(p);
	drop("x.json");
}

static void other_versions_are_refused(void **state)
{
	(void)state;
	refuses("{\"schema\": \"assay.profile/2\", \"name\": \"X\"}",
		"another version");
	refuses("{\"name\": \"X\"}", "no schema");
}

static void what_is_not_a_profile_is_refused(void **state)
{
	struct err e = { "" };
	struct profiles *p;
	char *big;

	(void)state;
	refuses("", "line");
	refuses(HEAD, "line");
	refuses(HEAD ", \"hbm_gbps\": {\"val", "line");
	refuses("[]", "not an object");
	refuses("\x7f"
		"ELF\x02\x01",
		"line");
	big = malloc(70000);
	memset(big, ' ', 70000);
	put("bad.json", big, 70000);
	free(big);
	p = profiles_load(dir, &e);
	assert_non_null(strstr(profiles_complaint(p), "larger than"));
	profiles_destroy(p);
	drop("bad.json");
}

static void a_directory_or_fifo_is_refused(void **state)
{
	struct err e = { "" };
	struct profiles *p;
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/bad.json", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	p = profiles_load(dir, &e);
	assert_non_null(strstr(profiles_complaint(p), "regular"));
	profiles_destroy(p);
	drop("bad.json");
	assert_int_equal(symlink("/nowhere", path), 0);
	p = profiles_load(dir, &e);
	assert_non_null(strstr(profiles_complaint(p), "open"));
	profiles_destroy(p);
	drop("bad.json");
}

static void one_bad_file_leaves_the_others(void **state)
{
	struct err e = { "" };
	struct profiles *p;

	(void)state;
	put("a.json", "{", 1);
	put("b.json", HEAD "}", strlen(HEAD "}"));
	put("c.json", HEAD "}", strlen(HEAD "}"));
	put("notes.txt", "x", 1);
	put(".hidden.json", "x", 1);
	p = profiles_load(dir, &e);
	assert_int_equal(profiles_count(p), 1);
	assert_non_null(strstr(profiles_complaint(p), "a.json"));
	assert_non_null(profiles_find(p, 0x233010de, NULL));
	profiles_destroy(p);
	drop("a.json");
	/* Two files that mean the same part: the second is refused. */
	p = profiles_load(dir, &e);
	assert_int_equal(profiles_count(p), 1);
	assert_non_null(strstr(profiles_complaint(p), "taken by"));
	profiles_destroy(p);
	drop("b.json");
	drop("c.json");
	drop("notes.txt");
	drop(".hidden.json");
}

static void no_directory_is_an_error(void **state)
{
	struct err e = { "" };

	(void)state;
	assert_null(profiles_load("/nonexistent/profiles", &e));
	assert_int_equal(errno, ENOENT);
	assert_non_null(strstr(e.text, "/nonexistent/profiles"));
	profiles_destroy(NULL);
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shipped_profiles_load),
		cmocka_unit_test(small_is_enough),
		cmocka_unit_test(unknown_keys_are_refused),
		cmocka_unit_test(wrong_types_are_refused),
		cmocka_unit_test(unit_slips_are_refused),
		cmocka_unit_test(floors_lie_within_half_and_all),
		cmocka_unit_test(own_figures_lie_below_the_datasheet),
		cmocka_unit_test(figures_without_a_key_are_unknown),
		cmocka_unit_test(other_versions_are_refused),
		cmocka_unit_test(what_is_not_a_profile_is_refused),
		cmocka_unit_test(a_directory_or_fifo_is_refused),
		cmocka_unit_test(one_bad_file_leaves_the_others),
		cmocka_unit_test(no_directory_is_an_error),
	};

	return cmocka_run_group_tests_name("profile", tests, make_dir,
					   remove_dir);
}
