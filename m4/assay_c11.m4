# SPDX-License-Identifier: Apache-2.0
# ASSAY_C11: does the compiler speak C11 with GNU extensions?
AC_DEFUN([ASSAY_C11], [
AC_MSG_CHECKING([for C11])
AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
#if __STDC_VERSION__ < 201112L
#error "C11 wanted"
#endif
_Static_assert(sizeof(void *) == 8, "64-bit only");
]])], [AC_MSG_RESULT([yes])],
	[AC_MSG_RESULT([no])
	AC_MSG_ERROR([a 64-bit C11 compiler is required])])
])
