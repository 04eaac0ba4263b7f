# SPDX-License-Identifier: Apache-2.0
# ASSAY_SUMMARY: what was decided, for the person at the terminal.
AC_DEFUN([ASSAY_SUMMARY], [
AS_ECHO(["
assay $PACKAGE_VERSION for $host
  compiler          $CC
  sanitizers        $enable_sanitize
  hardening         $enable_hardening
  SPANK plugin      $have_slurm
  GPU kernels       $nvcc_summary
  unit tests        $have_cmocka
  scontrol          $SCONTROL
"])
])
