# SPDX-License-Identifier: Apache-2.0
pkglibexec_PROGRAMS += assay-epilog
assay_epilog_SOURCES = epilog/main.c
assay_epilog_LDADD = $(REPORT_LIBS) libchecks.a $(ASSAY_LIBS)

# What is made of a job's story; pure. The Epilog, the sampler and the command
# are linked with it.
noinst_LIBRARIES += libreport.a
REPORT_LIBS = libreport.a
libreport_a_SOURCES = epilog/story.h
libreport_a_SOURCES += epilog/block.h
libreport_a_SOURCES += epilog/members.c epilog/members.h
libreport_a_SOURCES += epilog/merge.h
libreport_a_SOURCES += epilog/summary.h
libreport_a_SOURCES += epilog/series.c epilog/series.h
libreport_a_SOURCES += epilog/records.c epilog/records.h
