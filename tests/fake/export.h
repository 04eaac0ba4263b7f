/* SPDX-License-Identifier: Apache-2.0
 * export - a function of a stand-in, which a scenario can make disappear.
 *
 * Each function is an indirect one, resolved when it is looked up: so that
 * dlsym() answers NULL for what the scenario's section lists as missing. Each
 * file defines FAKE_SECTION ("nvml") before it uses EXPORT_AS(nvml, ...).
 */
#ifndef ASSAY_FAKE_EXPORT_H
#define ASSAY_FAKE_EXPORT_H

#include <stddef.h>

#include "tests/fake/scenario.h"

#define EXPORT_TEXT(word) #word
#define EXPORT_AS(prefix, ret, name, params) \
	static ret impl_##name params; \
	static ret(*find_##name(void)) params \
	{ \
		return scn_lacks(FAKE_SECTION, EXPORT_TEXT(prefix) #name, \
				 EXPORT_TEXT(prefix)) \
			       ? NULL \
			       : impl_##name; \
	} \
	ret prefix##name params \
		__attribute__((ifunc("find_" #name), visibility("default"))); \
	static ret impl_##name params

#endif
