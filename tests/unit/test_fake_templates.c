/* SPDX-License-Identifier: Apache-2.0
 * The templates of the fake NVML: each plays, and says where it has it from.
 */
#include "config.h"
#include "tests/unit/fake_nvml.h"

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

static const char *const templates[] = {
	"A100-PCIe", "A100-SXM4-40GB", "A100-SXM4-80GB", "B200-SXM", "GB200",
	"H100-NVL",  "H100-PCIe",      "H100-SXM5",	 "H200-SXM", "L40S",
	"V100-SXM2",
};

#define TEMPLATES (sizeof(templates) / sizeof(templates[0]))

static bool is_identity(const char *key)
{
	return strcmp(key, "GetName") == 0 || strcmp(key, "GetUUID") == 0 ||
	       strcmp(key, "GetPciInfo_v3") == 0 ||
	       strcmp(key, "GetVbiosVersion") == 0 ||
	       strcmp(key, "GetFieldValues") == 0; /* keyed one by one */
}

static void attributes_have_sources(json_t *t, const char *name)
{
	json_t *cuda = json_object_get(t, "cuda"), *v;
	json_t *sources = json_object_get(t, "_sources");
	const char *key;
	char path[80];

	assert_int_equal(json_object_size(cuda), 1);
	json_object_foreach(json_object_get(cuda, "DeviceGetAttribute"), key,
			    v) {
		snprintf(path, sizeof(path), "DeviceGetAttribute.%s", key);
		if (!json_string_value(json_object_get(sources, path)))
			fail_msg("%s: %s has no source", name, path);
	}
}

static void each_template_value_has_a_source(void **state)
{
	const char *src = getenv("SRCDIR"), *key;
	json_t *t, *sources, *v;
	char path[512];
	size_t i;

	(void)state;
	for (i = 0; i < TEMPLATES; i++) {
		snprintf(path, sizeof(path), "%s/tests/fake/templates/%s.json",
			 src ? src : ".", templates[i]);
		t = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
		assert_non_null(t);
		sources = json_object_get(t, "_sources");
		assert_true(json_object_size(sources) > 10);
		json_object_foreach(json_object_get(t, "nvml"), key, v) {
			if (is_identity(key))
				continue;
			if (!json_string_value(json_object_get(sources, key)))
				fail_msg("%s: %s has no source", templates[i],
					 key);
		}
		attributes_have_sources(t, templates[i]);
		json_decref(t);
	}
}

static void see_template(void)
{
	char text[96];
	unsigned int n = 1;

	SAME(init(), 0);
	SAME(by_bus_id("0000:1b:00.0"), 0);
	SAME(CALL("nvmlDeviceGetName",
		  (struct nvml_device *, char *, unsigned int))(gpu(0), text,
								sizeof(text)),
	     0);
	SAME(u32("nvmlDeviceGetPersistenceMode"), 1);
	SAME(u32("nvmlDeviceGetPowerManagementLimit"),
	     u32("nvmlDeviceGetPowerManagementDefaultLimit"));
	SAME(field_number(190, 0), u32("nvmlDeviceGetEnforcedPowerLimit"));
	SAME(field_number(4, 0), 0);
	SAME(CALL("nvmlDeviceGetComputeRunningProcesses_v3",
		  (struct nvml_device *, unsigned int *, void *))(gpu(0), &n,
								  NULL),
	     0);
	SAME(n, 0);
}

static void each_template_plays(void **state)
{
	char text[256];
	size_t i;

	(void)state;
	for (i = 0; i < TEMPLATES; i++) {
		snprintf(text, sizeof(text),
			 "{\"nvml\": {\"gpus\": [{\"like\": \"%s\", " GPU0
			 "}]}}",
			 templates[i]);
		play(text, see_template);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_template_value_has_a_source),
		cmocka_unit_test(each_template_plays),
	};

	return cmocka_run_group_tests_name("fake_templates", tests,
					   fake_set_up, fake_tear_down);
}
