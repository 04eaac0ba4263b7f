# SPDX-License-Identifier: Apache-2.0
pkglibexec_PROGRAMS += assay-epilog
assay_epilog_SOURCES = epilog/main.c epilog/story.h
assay_epilog_LDADD = libchecks.a $(ASSAY_LIBS)
