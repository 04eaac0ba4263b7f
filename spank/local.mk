# SPDX-License-Identifier: Apache-2.0
# What the plugin does with what Slurm has told it: knows nothing of Slurm, and
# is built and tested without its headers. Objects of its own, as the plugin
# takes no library with it into srun, sbatch and slurmd.
noinst_LTLIBRARIES += spank/libspank.la
spank_libspank_la_CFLAGS = $(AM_CFLAGS)
spank_libspank_la_LIBADD = spank/libground.la
spank_libspank_la_SOURCES = $(spank_pure)
spank_pure =
spank_pure += spank/block.c spank/block.h
spank_pure += spank/choice.c spank/choice.h
spank_pure += spank/event.c spank/event.h
spank_pure += spank/faults.h
spank_pure += spank/jsonw.c spank/jsonw.h
spank_pure += spank/leaf.c spank/leaf.h
spank_pure += spank/note.c spank/note.h
spank_pure += spank/rundir.c spank/rundir.h

noinst_LTLIBRARIES += spank/libground.la
spank_libground_la_CFLAGS = $(AM_CFLAGS)
spank_libground_la_SOURCES =
spank_libground_la_SOURCES += lib/cgroup.c lib/cgroup.h
spank_libground_la_SOURCES += lib/cgroup_read.c
spank_libground_la_SOURCES += lib/clock.c lib/clock.h
spank_libground_la_SOURCES += lib/err.c lib/err.h
spank_libground_la_SOURCES += lib/fdio.c lib/fdio.h
spank_libground_la_SOURCES += lib/roots.c lib/roots.h
spank_libground_la_SOURCES += lib/roots_each.c
spank_libground_la_SOURCES += lib/roots_resolve.c lib/roots_resolve.h
spank_libground_la_SOURCES += lib/scrub.c lib/scrub.h
spank_libground_la_SOURCES += lib/spawn.c lib/spawn.h
spank_libground_la_SOURCES += lib/spawn_child.h
spank_libground_la_SOURCES += lib/words.c lib/words.h

# The SPANK plugin. Not linked with -lslurm, which would bring a second
# libslurm into slurmd; not with -z now, because what a hook needs is not in
# every program that loads it.
EXTRA_DIST += spank/plugin.map
EXTRA_DIST += tests/slurm/plugin.sh
spank_slurm =
spank_slurm += spank/hooks.h
spank_slurm += spank/plugin.c
spank_slurm += spank/step.c
spank_slurm += spank/submit.c
spank_ldflags = \
	$(ASSAY_LDFLAGS) \
	-Wl,-z,lazy \
	-module -avoid-version -shared \
	-Wl,--version-script=$(srcdir)/spank/plugin.map
if HAVE_SLURM
slurmplugin_LTLIBRARIES = spank/spank_assay.la
spank_spank_assay_la_SOURCES = $(spank_slurm)
spank_spank_assay_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
spank_spank_assay_la_LIBADD = spank/libspank.la
spank_spank_assay_la_LDFLAGS = $(spank_ldflags)
EXTRA_spank_spank_assay_la_DEPENDENCIES = $(srcdir)/spank/plugin.map

# The same, going wrong on command: never installed (spank/faults.h).
noinst_LTLIBRARIES += tests/slurm/spank_faults.la
tests_slurm_spank_faults_la_SOURCES = $(spank_pure) $(spank_slurm)
tests_slurm_spank_faults_la_SOURCES += spank/faults.c
tests_slurm_spank_faults_la_CPPFLAGS = \
	$(spank_spank_assay_la_CPPFLAGS) -DSPANK_FAULTS
tests_slurm_spank_faults_la_LIBADD = spank/libground.la
tests_slurm_spank_faults_la_LDFLAGS = $(spank_ldflags) -rpath /nonexistent
EXTRA_tests_slurm_spank_faults_la_DEPENDENCIES = $(srcdir)/spank/plugin.map

# Slurm loads the plugin by itself: nobody links with it.
data_hooks += install-plugin
uninstall_hooks += uninstall-plugin
install-plugin:
	rm -f '$(DESTDIR)$(slurmplugindir)/spank_assay.la'
uninstall-plugin:
	rm -f '$(DESTDIR)$(slurmplugindir)/spank_assay.so'

TESTS += tests/slurm/plugin.sh
tests/slurm/plugin.log: spank/spank_assay.la
endif
