# SPDX-License-Identifier: Apache-2.0
# ASSAY_SUMMARY: what was decided, for the person at the terminal.
# ASSAY_EXPAND(VARIABLE, TEXT): the text with its ${prefix} and so on.
AC_DEFUN([ASSAY_EXPAND], [
$1=$2
while AS_CASE([$$1], [*'${'*], [:], [false]); do
	eval $1=\""$$1"\"
done
])
AC_DEFUN([ASSAY_SUMMARY], [
ASSAY_EXPAND([assay_conf], ["$sysconfdir/assay"])
ASSAY_EXPAND([assay_state], ["$localstatedir/lib/assay"])
ASSAY_EXPAND([assay_run], ["$runstatedir/assay"])
ASSAY_EXPAND([assay_libexec], ["$libexecdir/assay"])
assay_plugin=$have_slurm
AS_IF([test "x$have_slurm" = xyes], [
	ASSAY_EXPAND([assay_plugin], ["$with_slurm_plugindir"])])
AS_ECHO(["
assay $PACKAGE_VERSION for $host
  prefix            $prefix
  gates             $assay_libexec
  configuration     $assay_conf
  state of a node   $assay_state
  run time          $assay_run
  SPANK plugin      $assay_plugin
  scontrol          $SCONTROL
  compiler          $CC
  sanitizers        $enable_sanitize
  hardening         $enable_hardening
  GPU kernels       $nvcc_summary
  RDMA probes       $have_verbs
  unit tests        $have_cmocka
"])
])
