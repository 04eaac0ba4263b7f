/* SPDX-License-Identifier: Apache-2.0
 * unit - what every unit test includes. */
#ifndef ASSAY_TESTS_UNIT_H
#define ASSAY_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
