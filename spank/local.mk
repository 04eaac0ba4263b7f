# SPDX-License-Identifier: Apache-2.0
# The SPANK plugin. Not linked with -lslurm, which would bring a second
# libslurm into slurmd; not with -z now, because what a hook needs is not in
# every program that loads it.
EXTRA_DIST += spank/plugin.map
EXTRA_DIST += tests/slurm/plugin.sh
if HAVE_SLURM
slurmplugin_LTLIBRARIES = spank/spank_assay.la
spank_spank_assay_la_SOURCES = spank/plugin.c
spank_spank_assay_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
spank_spank_assay_la_LDFLAGS = \
	$(ASSAY_LDFLAGS) \
	-Wl,-z,lazy \
	-module -avoid-version -shared \
	-Wl,--version-script=$(srcdir)/spank/plugin.map
EXTRA_spank_spank_assay_la_DEPENDENCIES = $(srcdir)/spank/plugin.map

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
