# SPDX-License-Identifier: Apache-2.0
# Unit tests: one program per module, named test_MODULE, TAP by cmocka.
# Add a test: one line here; its source is tests/unit/test_MODULE.c.
EXTRA_DIST += tests/unit/fabric.h
EXTRA_DIST += tests/unit/fixture.h
EXTRA_DIST += tests/unit/fake.h
EXTRA_DIST += tests/unit/fake_cuda.h
EXTRA_DIST += tests/unit/fake_nvml.h
EXTRA_DIST += tests/unit/gpus.h
EXTRA_DIST += tests/unit/kmsg_faults.h
EXTRA_DIST += tests/unit/kmsgs.h
EXTRA_DIST += tests/unit/nodes.h
EXTRA_DIST += tests/unit/probes.h
EXTRA_DIST += tests/unit/unit.h
if HAVE_CMOCKA
UNIT_LIBS = $(ASSAY_LIBS) $(CMOCKA_LIBS)
CHECK_LIBS = libchecks.a $(UNIT_LIBS)
LDADD = $(CHECK_LIBS)

unit_tests =
unit_tests += tests/unit/test_brakes
unit_tests += tests/unit/test_cfg
unit_tests += tests/unit/test_cfg_file
unit_tests += tests/unit/test_cfg_host
unit_tests += tests/unit/test_cpulist
unit_tests += tests/unit/test_crew
unit_tests += tests/unit/test_cuda_abi
unit_tests += tests/unit/test_devices
unit_tests += tests/unit/test_devlibs
unit_tests += tests/unit/test_doctor_flags
unit_tests += tests/unit/test_err
unit_tests += tests/unit/test_evidence
unit_tests += tests/unit/test_exec
unit_tests += tests/unit/test_explain
unit_tests += tests/unit/test_facts_fabric
unit_tests += tests/unit/test_facts_gpu
unit_tests += tests/unit/test_facts_host
unit_tests += tests/unit/test_facts_kmsg
unit_tests += tests/unit/test_facts_storage
unit_tests += tests/unit/test_facts_tasks
unit_tests += tests/unit/test_fake_cuda
unit_tests += tests/unit/test_fake_cuda_kernels
unit_tests += tests/unit/test_fake_cuda_time
unit_tests += tests/unit/test_fake_nccl
unit_tests += tests/unit/test_fake_nvml
unit_tests += tests/unit/test_fake_templates
unit_tests += tests/unit/test_fan
unit_tests += tests/unit/test_faults
unit_tests += tests/unit/test_fdio
unit_tests += tests/unit/test_fuse
unit_tests += tests/unit/test_gather_stuck
unit_tests += tests/unit/test_gpu_context
unit_tests += tests/unit/test_gpu_count
unit_tests += tests/unit/test_gpu_driver
unit_tests += tests/unit/test_gpu_ecc
unit_tests += tests/unit/test_gpu_gemm
unit_tests += tests/unit/test_gpu_membw
unit_tests += tests/unit/test_gpu_mode
unit_tests += tests/unit/test_gpu_pcie
unit_tests += tests/unit/test_gpu_pcie_bw
unit_tests += tests/unit/test_gpu_power
unit_tests += tests/unit/test_gpu_procs
unit_tests += tests/unit/test_gpu_recovery
unit_tests += tests/unit/test_gpu_remap
unit_tests += tests/unit/test_gpu_temp
unit_tests += tests/unit/test_gpu_throttle
unit_tests += tests/unit/test_gres
unit_tests += tests/unit/test_headroom
unit_tests += tests/unit/test_host_clock
unit_tests += tests/unit/test_host_cpu
unit_tests += tests/unit/test_host_memory
unit_tests += tests/unit/test_host_shm
unit_tests += tests/unit/test_host_stuck
unit_tests += tests/unit/test_hostlist
unit_tests += tests/unit/test_ib_errors
unit_tests += tests/unit/test_ib_gdr
unit_tests += tests/unit/test_ib_pcie
unit_tests += tests/unit/test_ib_ports
unit_tests += tests/unit/test_job
unit_tests += tests/unit/test_kernels
unit_tests += tests/unit/test_kernels_native
unit_tests += tests/unit/test_kernels_sm
unit_tests += tests/unit/test_kernels_sm70
unit_tests += tests/unit/test_kernels_sm75
unit_tests += tests/unit/test_kline
unit_tests += tests/unit/test_kmsg
unit_tests += tests/unit/test_kmsg_hw
unit_tests += tests/unit/test_kmsg_offbus
unit_tests += tests/unit/test_kmsg_sxid
unit_tests += tests/unit/test_kmsg_xid
unit_tests += tests/unit/test_log
unit_tests += tests/unit/test_memo
unit_tests += tests/unit/test_nvlink_bw
unit_tests += tests/unit/test_nvlink_errors
unit_tests += tests/unit/test_nvlink_fabric
unit_tests += tests/unit/test_nvlink_links
unit_tests += tests/unit/test_nvml_abi
unit_tests += tests/unit/test_page
unit_tests += tests/unit/test_pci
unit_tests += tests/unit/test_policy
unit_tests += tests/unit/test_probe_each
unit_tests += tests/unit/test_probe_past
unit_tests += tests/unit/test_profile
unit_tests += tests/unit/test_reason
unit_tests += tests/unit/test_record
unit_tests += tests/unit/test_result
unit_tests += tests/unit/test_retest
unit_tests += tests/unit/test_roots
unit_tests += tests/unit/test_scrub
unit_tests += tests/unit/test_slurm
unit_tests += tests/unit/test_slurmconf
unit_tests += tests/unit/test_spawn
unit_tests += tests/unit/test_state
unit_tests += tests/unit/test_storage_mounts
unit_tests += tests/unit/test_supervise
unit_tests += tests/unit/test_sysfacts
unit_tests += tests/unit/test_tally
unit_tests += tests/unit/test_words
unit_tests += tests/unit/test_xid
unit_tests += tests/unit/test_yardstick

# Parts of the command, which are in no library.
tests_unit_test_doctor_flags_SOURCES = tests/unit/test_doctor_flags.c
tests_unit_test_doctor_flags_SOURCES += cmd/doctor_flags.c cmd/slurmconf.c
tests_unit_test_explain_SOURCES = tests/unit/test_explain.c
tests_unit_test_explain_SOURCES += cmd/explain_check.c
tests_unit_test_explain_SOURCES += cmd/explain_reason.c
tests_unit_test_explain_SOURCES += cmd/explain_xid.c
tests_unit_test_explain_SOURCES += cmd/page.c
tests_unit_test_explain_SOURCES += cmd/reason.c
tests_unit_test_page_SOURCES = tests/unit/test_page.c cmd/page.c
tests_unit_test_reason_SOURCES = tests/unit/test_reason.c cmd/reason.c
tests_unit_test_slurmconf_SOURCES = tests/unit/test_slurmconf.c cmd/slurmconf.c

tests_unit_test_cuda_abi_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)

# The same for the tensor cores of older architectures.
tests_unit_test_kernels_sm70_SOURCES = tests/unit/test_kernels_sm.c
tests_unit_test_kernels_sm70_CPPFLAGS = $(AM_CPPFLAGS) -DARCH=700
tests_unit_test_kernels_sm75_SOURCES = tests/unit/test_kernels_sm.c
tests_unit_test_kernels_sm75_CPPFLAGS = $(AM_CPPFLAGS) -DARCH=750

check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
endif
