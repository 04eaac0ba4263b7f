# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += libassay.a

# What every program that uses libassay is linked with.
ASSAY_LIBS = libassay.a $(JANSSON_LIBS) $(INIH_LIBS) -lm
libassay_a_SOURCES =
libassay_a_SOURCES += lib/accounting.c lib/accounting.h
libassay_a_SOURCES += lib/accounting_row.c lib/accounting_row.h
libassay_a_SOURCES += lib/base64.c lib/base64.h
libassay_a_SOURCES += lib/become.c lib/become.h
libassay_a_SOURCES += lib/cfg.c lib/cfg.h lib/cfg_private.h
libassay_a_SOURCES += lib/cfg_file.c
libassay_a_SOURCES += lib/cfg_get.c
libassay_a_SOURCES += lib/cfg_host.c
libassay_a_SOURCES += lib/cfg_scan.c
libassay_a_SOURCES += lib/cfg_value.c
libassay_a_SOURCES += lib/cgroup.c lib/cgroup.h
libassay_a_SOURCES += lib/cgroup_read.c
libassay_a_SOURCES += lib/clock.c lib/clock.h
libassay_a_SOURCES += lib/cpulist.c lib/cpulist.h
libassay_a_SOURCES += lib/devices.c lib/devices.h
libassay_a_SOURCES += lib/cublaslt.h
libassay_a_SOURCES += lib/cuda.h
libassay_a_SOURCES += lib/devlibs.c lib/devlibs.h
libassay_a_SOURCES += lib/err.c lib/err.h
libassay_a_SOURCES += lib/facts.h
libassay_a_SOURCES += lib/facts_exec.c lib/facts_exec.h
libassay_a_SOURCES += lib/facts_fabric.c lib/facts_fabric.h
libassay_a_SOURCES += lib/facts_gpu.c lib/facts_gpu.h
libassay_a_SOURCES += lib/facts_gpu.h
libassay_a_SOURCES += lib/facts_gpu_ask.c lib/facts_gpu_ask.h
libassay_a_SOURCES += lib/facts_gpu_nvml.c
libassay_a_SOURCES += lib/facts_host.c lib/facts_host.h
libassay_a_SOURCES += lib/facts_kmsg.c lib/facts_kmsg.h
libassay_a_SOURCES += lib/facts_netdev.c lib/facts_netdev.h
libassay_a_SOURCES += lib/facts_port.c lib/facts_port.h
libassay_a_SOURCES += lib/facts_probe.c lib/facts_probe.h
libassay_a_SOURCES += lib/facts_rdma.h
libassay_a_SOURCES += lib/facts_shot.c lib/facts_shot.h
libassay_a_SOURCES += lib/facts_storage.c lib/facts_storage.h
libassay_a_SOURCES += lib/facts_tasks.c lib/facts_tasks.h
libassay_a_SOURCES += lib/fan.c lib/fan.h
libassay_a_SOURCES += lib/faults.c lib/faults.h
libassay_a_SOURCES += lib/faults_json.c
libassay_a_SOURCES += lib/fdio.c lib/fdio.h
libassay_a_SOURCES += lib/grant.c lib/grant.h
libassay_a_SOURCES += lib/gres.c lib/gres.h
libassay_a_SOURCES += lib/headroom.c lib/headroom.h
libassay_a_SOURCES += lib/hostlist.c lib/hostlist.h
libassay_a_SOURCES += lib/job.c lib/job.h
libassay_a_SOURCES += lib/jsonfile.c lib/jsonfile.h
libassay_a_SOURCES += lib/kline.c lib/kline.h
libassay_a_SOURCES += lib/kmsg.c lib/kmsg.h
libassay_a_SOURCES += lib/log.c lib/log.h
libassay_a_SOURCES += lib/nccl.h
libassay_a_SOURCES += lib/nvml.h
libassay_a_SOURCES += lib/nvml_gpm.h
libassay_a_SOURCES += lib/options.c lib/options.h
libassay_a_SOURCES += lib/pci.c lib/pci.h
libassay_a_SOURCES += lib/pci_distance.c lib/pci_distance.h
libassay_a_SOURCES += lib/profile.c lib/profile.h
libassay_a_SOURCES += lib/profile_read.c lib/profile_read.h
libassay_a_SOURCES += lib/roots.c lib/roots.h
libassay_a_SOURCES += lib/roots_each.c
libassay_a_SOURCES += lib/roots_resolve.c lib/roots_resolve.h
libassay_a_SOURCES += lib/scrub.c lib/scrub.h
libassay_a_SOURCES += lib/slurm.c lib/slurm.h
libassay_a_SOURCES += lib/slurm_node.c
libassay_a_SOURCES += lib/spawn.c lib/spawn.h
libassay_a_SOURCES += lib/spawn_child.h
libassay_a_SOURCES += lib/spawn_run.c
libassay_a_SOURCES += lib/state.c lib/state.h
libassay_a_SOURCES += lib/supervise.c lib/supervise.h
libassay_a_SOURCES += lib/sysfacts.c lib/sysfacts.h
libassay_a_SOURCES += lib/track.h
libassay_a_SOURCES += lib/verbs.h
libassay_a_SOURCES += lib/track.c lib/track.h
libassay_a_SOURCES += lib/track_file.h
libassay_a_SOURCES += lib/track_read.c
libassay_a_SOURCES += lib/words.c lib/words.h
libassay_a_SOURCES += lib/xid.c lib/xid.h
nodist_libassay_a_SOURCES = lib/xid_builtin.c

# The table as bytes, so that it needs no escaping and no program of the
# target machine has to run.
lib/xid_builtin.c: $(srcdir)/etc/xid.json
	$(AM_V_GEN)$(MKDIR_P) lib && { \
	  echo '#include <stddef.h>'; \
	  echo 'extern const char xid_builtin[];'; \
	  echo 'extern const size_t xid_builtin_len;'; \
	  echo 'const char xid_builtin[] = {'; \
	  od -An -v -to1 $(srcdir)/etc/xid.json | \
	    sed 's/[0-7][0-7]*/0&,/g'; \
	  echo '};'; \
	  echo 'const size_t xid_builtin_len = sizeof(xid_builtin);'; \
	  } >$@.tmp && mv $@.tmp $@
CLEANFILES += lib/xid_builtin.c
