# SPDX-License-Identifier: Apache-2.0
# ASSAY_SLURM: where are Slurm's headers, its plugins and its commands?
# Only spank/ needs the headers; the rest speaks to Slurm through scontrol.
AC_DEFUN([ASSAY_SLURM], [
AC_ARG_WITH([slurm], [AS_HELP_STRING([--with-slurm@<:@=PREFIX@:>@],
	[build the SPANK plugin against Slurm in PREFIX (yes, no or auto)])],
	[], [with_slurm=auto])
AC_ARG_WITH([slurm-plugindir], [AS_HELP_STRING([--with-slurm-plugindir=DIR],
	[where the SPANK plugin is installed])],
	[], [with_slurm_plugindir='${libdir}/slurm'])
AC_ARG_WITH([scontrol], [AS_HELP_STRING([--with-scontrol=PATH],
	[the scontrol that root programs execute (/usr/bin/scontrol)])],
	[], [with_scontrol=/usr/bin/scontrol])
have_slurm=no
AS_IF([test "x$with_slurm" != xno], [
	AS_CASE([$with_slurm], [/*],
		[SLURM_CPPFLAGS="-I$with_slurm/include"])
	ac_save_CPPFLAGS=$CPPFLAGS
	CPPFLAGS="$CPPFLAGS $SLURM_CPPFLAGS"
	AC_CHECK_HEADER([slurm/spank.h], [have_slurm=yes], [],
		[[#include <stdint.h>
#include <sys/types.h>]])
	CPPFLAGS=$ac_save_CPPFLAGS
	AS_IF([test "x$have_slurm" = xno && test "x$with_slurm" != xauto],
		[AC_MSG_ERROR([slurm/spank.h not found (Debian: libslurm-dev); use --without-slurm to build without the plugin])])
])
AC_SUBST([SLURM_CPPFLAGS])
AC_SUBST([slurmplugindir], [$with_slurm_plugindir])
AC_SUBST([SCONTROL], [$with_scontrol])
AM_CONDITIONAL([HAVE_SLURM], [test "x$have_slurm" = xyes])
])
