# SPDX-License-Identifier: Apache-2.0
# ASSAY_VERBS: is libibverbs's header here? The probes of RDMA ports are
# compiled with it; the library itself is loaded at run time, never linked.
AC_DEFUN([ASSAY_VERBS], [
AC_ARG_WITH([verbs], [AS_HELP_STRING([--with-verbs],
	[compile the probes of RDMA ports (yes, no or auto)])],
	[], [with_verbs=auto])
have_verbs=no
AS_CASE([$with_verbs],
	[no], [],
	[yes|auto], [AC_CHECK_HEADER([infiniband/verbs.h], [have_verbs=yes])],
	[AC_MSG_ERROR([--with-verbs is yes, no or auto])])
AS_IF([test "x$have_verbs" = xyes],
	[AC_DEFINE([HAVE_VERBS], [1], [Are the probes of RDMA ports built?])],
	[test "x$with_verbs" = xyes],
	[AC_MSG_ERROR([infiniband/verbs.h not found (Debian: libibverbs-dev)])])
AM_CONDITIONAL([HAVE_VERBS], [test "x$have_verbs" = xyes])
])
