# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += libassay.la
libassay_la_SOURCES = \
	lib/clock.h \
	lib/err.c \
	lib/err.h \
	lib/hostlist.c \
	lib/hostlist.h
libassay_la_LIBADD = \
	$(JANSSON_LIBS) \
	$(INIH_LIBS)
