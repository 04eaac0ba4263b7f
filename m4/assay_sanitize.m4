# SPDX-License-Identifier: Apache-2.0
# ASSAY_SANITIZE: build with the sanitizers named (address,undefined or thread)?
AC_DEFUN([ASSAY_SANITIZE], [
AC_ARG_ENABLE([sanitize], [AS_HELP_STRING([--enable-sanitize=LIST],
	[build with -fsanitize=LIST, such as address,undefined])],
	[], [enable_sanitize=no])
AS_IF([test "x$enable_sanitize" = xyes],
	[enable_sanitize=address,undefined])
AS_IF([test "x$enable_sanitize" != xno], [
	ASSAY_CPPFLAGS=""
	ASSAY_CFLAGS="$ASSAY_CFLAGS -g -O1 -fno-omit-frame-pointer"
	ASSAY_CFLAGS="$ASSAY_CFLAGS -fsanitize=$enable_sanitize"
	ASSAY_CFLAGS="$ASSAY_CFLAGS -fno-sanitize-recover=all"
	ASSAY_LDFLAGS="$ASSAY_LDFLAGS -fsanitize=$enable_sanitize"
])
AM_CONDITIONAL([SANITIZED], [test "x$enable_sanitize" != xno])
])
