# SPDX-License-Identifier: Apache-2.0
pkglibexec_PROGRAMS += assay-watch
assay_watch_LDADD = $(WATCH_LIBS) $(REPORT_LIBS) libchecks.a $(ASSAY_LIBS)
assay_watch_SOURCES =
assay_watch_SOURCES += watch/main.c

# What Prolog and Epilog have to do with the sampler, and the sampler itself.
noinst_LIBRARIES += libwatch.a
WATCH_LIBS = libwatch.a
libwatch_a_SOURCES =
libwatch_a_SOURCES += watch/alarm.c watch/alarm.h
libwatch_a_SOURCES += watch/driver.c watch/driver.h
libwatch_a_SOURCES += watch/driver_child.c
libwatch_a_SOURCES += watch/driver_page.h
libwatch_a_SOURCES += watch/events.c watch/events.h
libwatch_a_SOURCES += watch/figures.c watch/figures.h
libwatch_a_SOURCES += watch/figures_files.c
libwatch_a_SOURCES += watch/figures_rise.h
libwatch_a_SOURCES += watch/gate_side.c watch/gate_side.h
libwatch_a_SOURCES += watch/hook.c watch/hook.h
libwatch_a_SOURCES += watch/keeper.c watch/keeper.h
libwatch_a_SOURCES += watch/kernel.c watch/kernel.h
libwatch_a_SOURCES += watch/look.c watch/look.h
libwatch_a_SOURCES += watch/look_fill.c
libwatch_a_SOURCES += watch/mark.c watch/mark.h
libwatch_a_SOURCES += watch/mark_json.c watch/mark_json.h
libwatch_a_SOURCES += watch/netfs.c watch/netfs.h
libwatch_a_SOURCES += watch/sampler.c watch/sampler.h
libwatch_a_SOURCES += watch/sampler_events.c
libwatch_a_SOURCES += watch/sampler_files.c
libwatch_a_SOURCES += watch/sampler_gpus.c
libwatch_a_SOURCES += watch/sampler_host.c
libwatch_a_SOURCES += watch/sampler_jobs.c
libwatch_a_SOURCES += watch/sampler_state.c
libwatch_a_SOURCES += watch/snapshot.c watch/snapshot.h
