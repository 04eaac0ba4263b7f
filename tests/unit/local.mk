# SPDX-License-Identifier: Apache-2.0
# Unit tests: one program per module, named test_MODULE, TAP by cmocka.
# Add a test: one line here; its source is tests/unit/test_MODULE.c.
EXTRA_DIST += tests/unit/fixture.h
EXTRA_DIST += tests/unit/gpus.h
EXTRA_DIST += tests/unit/kmsg_faults.h
EXTRA_DIST += tests/unit/kmsgs.h
EXTRA_DIST += tests/unit/nodes.h
EXTRA_DIST += tests/unit/unit.h
if HAVE_CMOCKA
UNIT_LIBS = libassay.la $(CMOCKA_LIBS) $(JANSSON_LIBS) -lm
CHECK_LIBS = libchecks.la $(UNIT_LIBS)
LDADD = $(CHECK_LIBS)

unit_tests =
unit_tests += tests/unit/test_cfg
unit_tests += tests/unit/test_cfg_file
unit_tests += tests/unit/test_cfg_host
unit_tests += tests/unit/test_cpulist
unit_tests += tests/unit/test_devices
unit_tests += tests/unit/test_err
unit_tests += tests/unit/test_facts_fabric
unit_tests += tests/unit/test_gpu_count
unit_tests += tests/unit/test_gpu_driver
unit_tests += tests/unit/test_gpu_ecc
unit_tests += tests/unit/test_gpu_mode
unit_tests += tests/unit/test_gpu_pcie
unit_tests += tests/unit/test_gpu_power
unit_tests += tests/unit/test_gpu_procs
unit_tests += tests/unit/test_gpu_recovery
unit_tests += tests/unit/test_gpu_remap
unit_tests += tests/unit/test_gres
unit_tests += tests/unit/test_gpu_temp
unit_tests += tests/unit/test_gpu_throttle
unit_tests += tests/unit/test_facts_tasks
unit_tests += tests/unit/test_gpu_remap
unit_tests += tests/unit/test_gres
unit_tests += tests/unit/test_host_clock
unit_tests += tests/unit/test_host_cpu
unit_tests += tests/unit/test_host_memory
unit_tests += tests/unit/test_host_shm
unit_tests += tests/unit/test_host_stuck
unit_tests += tests/unit/test_hostlist
unit_tests += tests/unit/test_job
unit_tests += tests/unit/test_nvlink_errors
unit_tests += tests/unit/test_nvlink_fabric
unit_tests += tests/unit/test_nvlink_links
unit_tests += tests/unit/test_kmsg_hw
unit_tests += tests/unit/test_kmsg_offbus
unit_tests += tests/unit/test_kmsg_sxid
unit_tests += tests/unit/test_kmsg_xid
unit_tests += tests/unit/test_profile
unit_tests += tests/unit/test_pci
unit_tests += tests/unit/test_facts_kmsg
unit_tests += tests/unit/test_faults
unit_tests += tests/unit/test_gpu_remap
unit_tests += tests/unit/test_hostlist
unit_tests += tests/unit/test_job
unit_tests += tests/unit/test_kline
unit_tests += tests/unit/test_kmsg
unit_tests += tests/unit/test_fake_nvml
unit_tests += tests/unit/test_gpu_remap
unit_tests += tests/unit/test_hostlist
unit_tests += tests/unit/test_job
unit_tests += tests/unit/test_nvml_abi
unit_tests += tests/unit/test_result
unit_tests += tests/unit/test_roots
unit_tests += tests/unit/test_scrub
unit_tests += tests/unit/test_slurm
unit_tests += tests/unit/test_spawn
unit_tests += tests/unit/test_state
unit_tests += tests/unit/test_sysfacts
unit_tests += tests/unit/test_xid

check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
endif
