# SPDX-License-Identifier: Apache-2.0
# The stand-in for scontrol and sacctmgr; tests/run-case copies it.
noinst_PROGRAMS += tests/fake/scontrol
tests_fake_scontrol_SOURCES = tests/fake/scontrol.c
tests_fake_scontrol_LDADD = $(JANSSON_LIBS)
# Stand-ins for vendor libraries; see README.md here. They are shared objects
# in tests/fake/.libs, loaded by path, never linked.
fake_templates = \
	tests/fake/templates/A100-PCIe.json \
	tests/fake/templates/A100-SXM4-40GB.json \
	tests/fake/templates/A100-SXM4-80GB.json \
	tests/fake/templates/B200-SXM.json \
	tests/fake/templates/GB200.json \
	tests/fake/templates/H100-NVL.json \
	tests/fake/templates/H100-PCIe.json \
	tests/fake/templates/H100-SXM5.json \
	tests/fake/templates/H200-SXM.json \
	tests/fake/templates/L40S.json \
	tests/fake/templates/V100-SXM2.json

EXTRA_DIST += \
	$(fake_templates) \
	tests/fake/README.md

noinst_LTLIBRARIES += tests/fake/libnvidia-ml.la
tests_fake_libnvidia_ml_la_SOURCES = \
	tests/fake/counters.c \
	tests/fake/counters.h \
	tests/fake/nvml.c \
	tests/fake/nvml_answer.c \
	tests/fake/nvml_answer.h \
	tests/fake/nvml_fields.c \
	tests/fake/nvml_fields.h \
	tests/fake/scenario.c \
	tests/fake/scenario.h \
	tests/fake/templates.c \
	tests/fake/templates.h
tests_fake_libnvidia_ml_la_CPPFLAGS = \
	$(AM_CPPFLAGS) \
	-DFAKE_TEMPLATES='"$(abs_top_srcdir)/tests/fake/templates"'
# An rpath makes libtool build a library of the tree as a shared one; nothing is
# ever installed there.
tests_fake_libnvidia_ml_la_LDFLAGS = \
	$(AM_LDFLAGS) \
	-rpath /nonexistent \
	-version-info 1:0:0
tests_fake_libnvidia_ml_la_LIBADD = $(JANSSON_LIBS) -lm

# (By a variable: a rule for the name itself would replace automake's.)
fake_templates_object = tests/fake/libnvidia_ml_la-templates.lo
$(fake_templates_object): $(fake_templates)
