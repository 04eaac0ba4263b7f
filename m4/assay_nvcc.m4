# SPDX-License-Identifier: Apache-2.0
# ASSAY_NVCC: is nvcc here, and for which architectures does it compile?
# Only the kernels of the active probes need it. NVCC_ARCHS: those with native
# code; NVCC_PTX: the newest, whose PTX is added for GPUs to come.

# What has no host code in it is free of the host compiler's version, but nvcc
# wants a C++ compiler to preprocess with.
AC_DEFUN([ASSAY_NVCC_FLAGS],
	[-fatbin -allow-unsupported-compiler -Xfatbin=-compress-all])

# ASSAY_NVCC_TRY(OPTIONS): the exit status of nvcc.
AC_DEFUN([ASSAY_NVCC_TRY], [{
	cat >conftest.cu <<_ASEOF
extern "C" __global__ void assay_conftest(int *p) { *p = 1; }
_ASEOF
	"$NVCC" $NVCCFLAGS ASSAY_NVCC_FLAGS $1 \
		-o conftest.fatbin conftest.cu >conftest.out 2>&1
	assay_status=$?
	cat conftest.out >&AS_MESSAGE_LOG_FD
	rm -f conftest.cu conftest.fatbin conftest.out
	(exit $assay_status)
}])

# A dry run refuses what nvcc does not know; then everything is compiled once.
AC_DEFUN([ASSAY_NVCC_ARCHS], [
AC_MSG_CHECKING([which architectures $NVCC compiles for])
NVCC_ARCHS= NVCC_PTX= NVCC_GENCODE=
for assay_arch in 70 75 80 86 87 88 89 90 100 103 110 120 121; do
	assay_gencode="-gencode=arch=compute_$assay_arch,code=sm_$assay_arch"
	AS_IF([ASSAY_NVCC_TRY([--dryrun $assay_gencode])],
		[NVCC_ARCHS="$NVCC_ARCHS $assay_arch"
		NVCC_GENCODE="$NVCC_GENCODE $assay_gencode"
		NVCC_PTX=$assay_arch])
done
NVCC_ARCHS=`AS_ECHO(["$NVCC_ARCHS"]) | sed 's/^ //'`
NVCC_GENCODE="$NVCC_GENCODE -gencode=arch=compute_$NVCC_PTX,code=compute_$NVCC_PTX"
AS_IF([test -n "$NVCC_PTX" && ASSAY_NVCC_TRY([--threads=0 $NVCC_GENCODE])],
	[have_nvcc=yes
	AC_MSG_RESULT([$NVCC_ARCHS])],
	[AC_MSG_RESULT([none])])
])

AC_DEFUN([ASSAY_NVCC], [
AC_ARG_WITH([nvcc], [AS_HELP_STRING([--with-nvcc@<:@=PATH@:>@],
	[compile the kernels of the active probes (yes, no or auto)])],
	[], [with_nvcc=auto])
AC_ARG_VAR([NVCCFLAGS], [flags for nvcc (default: -O3)])
: ${NVCCFLAGS=-O3}
have_nvcc=no
AS_CASE([$with_nvcc],
	[no], [NVCC=],
	[yes|auto], [AC_PATH_PROG([NVCC], [nvcc], [],
		[$PATH$PATH_SEPARATOR/usr/local/cuda/bin])],
	[NVCC=$with_nvcc])
AS_IF([test -n "$NVCC"], [ASSAY_NVCC_ARCHS])
AS_IF([test "x$have_nvcc" = xyes], [
	NVCC_VERSION=`"$NVCC" --version | sed -n 's/.*release.*, V//p'`
	AC_DEFINE([HAVE_NVCC], [1], [Are the kernels compiled for GPUs?])
	nvcc_summary="CUDA $NVCC_VERSION: $NVCC_ARCHS, PTX $NVCC_PTX"
], [
	AS_CASE([$with_nvcc], [no|auto], [], [AC_MSG_ERROR([nvcc does not work (CUDA 11.4 or later and a C++ compiler are needed; config.log says more); use --without-nvcc to build without kernels])])
	nvcc_summary="no"
	AS_IF([test -n "$NVCC"],
		[nvcc_summary="no ($NVCC does not work, see config.log)"])
	NVCC= NVCC_ARCHS= NVCC_PTX= NVCC_GENCODE=
])
AS_IF([test "x$enable_werror" = xyes],
	[NVCC_GENCODE="--Werror=all-warnings $NVCC_GENCODE"])
AC_SUBST([NVCC])
AC_SUBST([NVCC_ARCHS])
AC_SUBST([NVCC_PTX])
AC_SUBST([NVCC_VERSION])
AC_SUBST([NVCC_OPTIONS], ["ASSAY_NVCC_FLAGS --threads=0 $NVCC_GENCODE"])
AM_CONDITIONAL([HAVE_NVCC], [test "x$have_nvcc" = xyes])
])

# ASSAY_CUDA_HEADERS: the toolkit's headers. Nothing is built with them, they
# are only compared with our own declarations (tests/unit/test_cuda_abi.c, test_cublaslt_abi.c).
AC_DEFUN([ASSAY_CUDA_HEADERS], [
CUDA_CPPFLAGS=
AS_IF([test -n "$NVCC"], [
	assay_dir=`AS_DIRNAME(["$NVCC"])`/../include
	AS_IF([test -f "$assay_dir/cuda.h"],
		[CUDA_CPPFLAGS="-isystem $assay_dir"])
])
ac_save_CPPFLAGS=$CPPFLAGS
CPPFLAGS="$CPPFLAGS $CUDA_CPPFLAGS"
AC_CHECK_HEADERS([cuda.h nccl.h cublasLt.h])
CPPFLAGS=$ac_save_CPPFLAGS
AC_SUBST([CUDA_CPPFLAGS])
])
