# SPDX-License-Identifier: Apache-2.0
bin_PROGRAMS += assay
assay_LDADD = libchecks.la libassay.la $(JANSSON_LIBS) -lm
assay_SOURCES =
assay_SOURCES += cmd/check.c
assay_SOURCES += cmd/cmd.h
assay_SOURCES += cmd/main.c
assay_SOURCES += cmd/show.c
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
