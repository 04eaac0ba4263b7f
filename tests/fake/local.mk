# SPDX-License-Identifier: Apache-2.0
# The stand-in for scontrol and sacctmgr; tests/run-case copies it.
noinst_PROGRAMS += tests/fake/scontrol
tests_fake_scontrol_SOURCES = tests/fake/scontrol.c
tests_fake_scontrol_LDADD = $(JANSSON_LIBS)
