# SPDX-License-Identifier: Apache-2.0
# ASSAY_UNIT_TESTS: is cmocka here, for make check?
AC_DEFUN([ASSAY_UNIT_TESTS], [
AC_ARG_WITH([cmocka], [AS_HELP_STRING([--with-cmocka],
	[build the unit tests (yes, no or auto)])], [], [with_cmocka=auto])
have_cmocka=no
AS_IF([test "x$with_cmocka" != xno],
	[PKG_CHECK_MODULES([CMOCKA], [cmocka], [have_cmocka=yes], [
	AS_IF([test "x$with_cmocka" = xyes],
		[AC_MSG_ERROR([cmocka not found (Debian: libcmocka-dev)])])])])
AM_CONDITIONAL([HAVE_CMOCKA], [test "x$have_cmocka" = xyes])
AC_REQUIRE_AUX_FILE([tap-driver.sh])
])
