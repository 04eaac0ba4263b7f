# SPDX-License-Identifier: Apache-2.0
pkglibexec_PROGRAMS += assay-prolog
assay_prolog_SOURCES = prolog/main.c
assay_prolog_LDADD = $(WATCH_LIBS) libchecks.a $(ASSAY_LIBS)
