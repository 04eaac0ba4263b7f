# SPDX-License-Identifier: Apache-2.0
# ASSAY_DIRS: where configuration, run-time and kept files live.
# With the prefix /usr the system's own places are meant, not /usr/etc.
AC_DEFUN([ASSAY_DIRS], [
AS_IF([test "x$prefix" = xNONE || test "x$prefix" = x/usr], [
	AS_IF([test "x$sysconfdir" = 'x${prefix}/etc'], [sysconfdir=/etc])
	AS_IF([test "x$localstatedir" = 'x${prefix}/var'], [localstatedir=/var])
])
AS_IF([test "x$runstatedir" = 'x${localstatedir}/run'], [runstatedir=/run])
AC_SUBST([assay_sysconfdir], ['${sysconfdir}/assay'])
AC_SUBST([assay_rundir], ['${runstatedir}/assay'])
AC_SUBST([assay_statedir], ['${localstatedir}/lib/assay'])
AC_SUBST([assay_libexecdir], ['${libexecdir}/assay'])
])
