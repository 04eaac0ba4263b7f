# SPDX-License-Identifier: Apache-2.0
# ASSAY_SLURM: where are Slurm's headers, its plugins and its commands?
# Only spank/ needs the headers; the rest speaks to Slurm through scontrol.

# Where an installed Slurm looks for plugins: with the prefix /usr that is
# where ours belongs. Any other prefix is a tree of its own.
AC_DEFUN([ASSAY_SLURM_PLUGINDIR], [
AC_MSG_CHECKING([where Slurm's plugins are])
with_slurm_plugindir='${libdir}/slurm'
AS_CASE([$prefix:$cross_compiling], [NONE:no|/usr:no], [
	assay_arch=`$CC -print-multiarch 2>/dev/null`
	for assay_dir in "$with_slurm/lib/slurm" "$with_slurm/lib64/slurm" \
		"`$PKG_CONFIG --variable=plugindir slurm 2>/dev/null`" \
		/usr/lib/$assay_arch/slurm-wlm /usr/lib/$assay_arch/slurm \
		/usr/lib64/slurm /usr/lib/slurm
	do
		set x "$assay_dir"/*.so
		AS_IF([test -f "@S|@2"],
			[with_slurm_plugindir=$assay_dir; break])
	done
])
AC_MSG_RESULT([$with_slurm_plugindir])
])

# Does this release's sacctmgr make small letters of a comment? Then what it
# does is done by its library (cmd/sacctmgr.c). 24.11 does not, nor does its
# library fit.
AC_DEFUN([ASSAY_SLURMDB], [
have_slurmdb=no
AS_IF([test "x$have_slurm" = xyes], [
	ac_save_CPPFLAGS=$CPPFLAGS ac_save_LIBS=$LIBS
	CPPFLAGS="$CPPFLAGS $SLURM_CPPFLAGS" LIBS="-lslurm $LIBS"
	AC_MSG_CHECKING([whether assay-sacctmgr is of use])
	AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <slurm/slurm.h>
#include <slurm/slurmdb.h>
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0)
#error "sacctmgr itself will do"
#endif]], [[List (*f)(void *, slurmdb_job_cond_t *, slurmdb_job_rec_t *) =
	slurmdb_job_modify;
return !f;]])], [have_slurmdb=yes])
	AC_MSG_RESULT([$have_slurmdb])
	CPPFLAGS=$ac_save_CPPFLAGS LIBS=$ac_save_LIBS
])
AM_CONDITIONAL([HAVE_SLURMDB], [test "x$have_slurmdb" = xyes])
])

AC_DEFUN([ASSAY_SLURM], [
AC_ARG_WITH([slurm], [AS_HELP_STRING([--with-slurm@<:@=PREFIX@:>@],
	[build the SPANK plugin against Slurm in PREFIX (yes, no or auto)])],
	[], [with_slurm=auto])
AC_ARG_WITH([slurm-plugindir], [AS_HELP_STRING([--with-slurm-plugindir=DIR],
	[where the SPANK plugin is installed (where Slurm's are)])],
	[], [ASSAY_SLURM_PLUGINDIR])
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
ASSAY_SLURMDB
AC_SUBST([SLURM_CPPFLAGS])
AC_SUBST([slurmplugindir], [$with_slurm_plugindir])
AC_SUBST([SCONTROL], [$with_scontrol])
AM_CONDITIONAL([HAVE_SLURM], [test "x$have_slurm" = xyes])
])
