# SPDX-License-Identifier: Apache-2.0
# ASSAY_SUMMARY: what was decided, for the person at the terminal.
AC_DEFUN([ASSAY_SUMMARY], [
assay_plugin_where=
AS_IF([test "x$have_slurm" = xyes],
	[eval assay_plugin_where=\""$with_slurm_plugindir"\"
	assay_plugin_where=" (${assay_plugin_where})"])
AS_ECHO(["
assay $PACKAGE_VERSION for $host
  compiler          $CC
  sanitizers        $enable_sanitize
  hardening         $enable_hardening
  SPANK plugin      $have_slurm$assay_plugin_where
  GPU kernels       $nvcc_summary
  unit tests        $have_cmocka
  scontrol          $SCONTROL
"])
])
