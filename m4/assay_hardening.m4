# SPDX-License-Identifier: Apache-2.0
# ASSAY_HARDENING: which hardening and warning flags do compiler and linker
# take? The answers land in ASSAY_CFLAGS and ASSAY_LDFLAGS.
AC_DEFUN([ASSAY_TRY_CFLAG], [
ac_save_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS -Werror $1"
AC_MSG_CHECKING([whether $CC takes $1])
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <string.h>]])],
	[AC_MSG_RESULT([yes]); ASSAY_CFLAGS="$ASSAY_CFLAGS $1"],
	[AC_MSG_RESULT([no])])
CFLAGS=$ac_save_CFLAGS
])
AC_DEFUN([ASSAY_TRY_LDFLAG], [
ac_save_LDFLAGS=$LDFLAGS
LDFLAGS="$LDFLAGS $1"
AC_MSG_CHECKING([whether the linker takes $1])
AC_LINK_IFELSE([AC_LANG_PROGRAM([])],
	[AC_MSG_RESULT([yes]); ASSAY_LDFLAGS="$ASSAY_LDFLAGS $1"],
	[AC_MSG_RESULT([no])])
LDFLAGS=$ac_save_LDFLAGS
])
AC_DEFUN([ASSAY_HARDENING], [
AC_ARG_ENABLE([hardening], [AS_HELP_STRING([--disable-hardening],
	[no stack protector, fortify and read-only relocations])],
	[], [enable_hardening=yes])
AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror],
	[treat compiler warnings as errors (for developers)])],
	[], [enable_werror=no])
ASSAY_CFLAGS="-fvisibility=hidden"
ASSAY_LDFLAGS=""
m4_foreach_w([flag], [-Wall -Wextra -Wshadow -Wstrict-prototypes
	-Wmissing-prototypes -Wpointer-arith -Wwrite-strings -Wvla
	-Wformat=2 -Wno-format-truncation -Wundef], [ASSAY_TRY_CFLAG(flag)])
AS_IF([test "x$enable_werror" = xyes],
	[ASSAY_CFLAGS="$ASSAY_CFLAGS -Werror"])
AS_IF([test "x$enable_hardening" = xyes], [
	m4_foreach_w([flag], [-fstack-protector-strong
		-fstack-clash-protection -fno-strict-overflow
		-fno-delete-null-pointer-checks], [ASSAY_TRY_CFLAG(flag)])
	# Quoted: these have commas, at which m4 would part its arguments.
	m4_foreach_w([flag], [-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack],
		[ASSAY_TRY_LDFLAG(m4_defn([flag]))])
	# glibc warns when it is asked to fortify without optimisation, and
	# the sanitizers intercept what it would check.
	AS_CASE([" $CFLAGS "], [*" -O0 "*|*" -fsanitize"*], [],
		[ASSAY_CPPFLAGS="-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2"])
])
AC_SUBST([enable_hardening])
AC_SUBST([ASSAY_CFLAGS])
AC_SUBST([ASSAY_CPPFLAGS])
AC_SUBST([ASSAY_LDFLAGS])
])
