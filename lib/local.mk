# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += libassay.la
libassay_la_LIBADD = $(JANSSON_LIBS) $(INIH_LIBS)
libassay_la_SOURCES =
libassay_la_SOURCES += lib/clock.c lib/clock.h
libassay_la_SOURCES += lib/err.c lib/err.h
libassay_la_SOURCES += lib/facts.h
libassay_la_SOURCES += lib/hostlist.c lib/hostlist.h
libassay_la_SOURCES += lib/job.c lib/job.h
libassay_la_SOURCES += lib/log.c lib/log.h
libassay_la_SOURCES += lib/roots.c lib/roots.h
libassay_la_SOURCES += lib/roots_each.c
libassay_la_SOURCES += lib/roots_resolve.c lib/roots_resolve.h
libassay_la_SOURCES += lib/scrub.c lib/scrub.h
libassay_la_SOURCES += lib/spawn.c lib/spawn.h
libassay_la_SOURCES += lib/spawn_child.h
libassay_la_SOURCES += lib/spawn_run.c
