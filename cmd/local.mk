# SPDX-License-Identifier: Apache-2.0
bin_PROGRAMS += assay
assay_LDADD = $(REPORT_LIBS) $(JS1_LIBS) libchecks.a $(ASSAY_LIBS)
assay_SOURCES =
assay_SOURCES += cmd/check.c
assay_SOURCES += cmd/cmd.h
assay_SOURCES += cmd/help.c
assay_SOURCES += cmd/main.c
assay_SOURCES += cmd/show.c
assay_SOURCES += cmd/show_measured.c
assay_SOURCES += cmd/health.c
assay_SOURCES += cmd/explain.c
assay_SOURCES += cmd/explain.h
assay_SOURCES += cmd/explain_check.c
assay_SOURCES += cmd/explain_reason.c
assay_SOURCES += cmd/explain_xid.c
assay_SOURCES += cmd/page.c
assay_SOURCES += cmd/page.h
assay_SOURCES += cmd/reason.c
assay_SOURCES += cmd/reason.h
assay_SOURCES += cmd/ack.c
assay_SOURCES += cmd/audit.c
assay_SOURCES += cmd/audit.h
assay_SOURCES += cmd/policy.c
assay_SOURCES += cmd/publish.c
assay_SOURCES += cmd/report.c cmd/report.h
assay_SOURCES += cmd/report_find.c
assay_SOURCES += cmd/report_sacct.c
assay_SOURCES += cmd/report_show.c
assay_SOURCES += cmd/doctor.c
assay_SOURCES += cmd/doctor.h
assay_SOURCES += cmd/doctor_flags.c
assay_SOURCES += cmd/doctor_gpu.c
assay_SOURCES += cmd/doctor_node.c
assay_SOURCES += cmd/doctor_plugin.c
assay_SOURCES += cmd/doctor_scripts.c
assay_SOURCES += cmd/doctor_slurm.c
assay_SOURCES += cmd/slurmconf.c
assay_SOURCES += cmd/slurmconf.h

# Writes a comment where Slurm's own command cannot: tied to its release.
if HAVE_SLURMDB
pkglibexec_PROGRAMS += assay-sacctmgr
assay_sacctmgr_SOURCES = cmd/sacctmgr.c
assay_sacctmgr_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
assay_sacctmgr_LDADD = -lslurm
else
EXTRA_DIST += cmd/sacctmgr.c
endif

# slurm.conf gives HealthCheckProgram and EpilogSlurmctld no arguments.
exec_hooks += install-health
uninstall_hooks += uninstall-health
install-health:
	$(MKDIR_P) '$(DESTDIR)$(pkglibexecdir)'
	$(LN_S) -f '$(bindir)/assay' '$(DESTDIR)$(pkglibexecdir)/assay-health'
	$(LN_S) -f '$(bindir)/assay' '$(DESTDIR)$(pkglibexecdir)/assay-publish'
uninstall-health:
	rm -f '$(DESTDIR)$(pkglibexecdir)/assay-health'
	rm -f '$(DESTDIR)$(pkglibexecdir)/assay-publish'
