# SPDX-License-Identifier: Apache-2.0
pkglibexec_PROGRAMS += assay-prolog
assay_prolog_SOURCES = prolog/main.c
assay_prolog_LDADD = libchecks.a $(ASSAY_LIBS)
