# SPDX-License-Identifier: Apache-2.0
dist_doc_DATA += doc/block.md
EXTRA_DIST += doc/cases.md
EXTRA_DIST += doc/architecture.md
EXTRA_DIST += doc/contracts.md
EXTRA_DIST += doc/report-example.html
EXTRA_DIST += doc/measurements/README.md
dist_man_MANS += doc/assay.1
dist_man_MANS += doc/assay-record.5
dist_man_MANS += doc/assay.conf.5
dist_man_MANS += doc/assay-checks.7
dist_man_MANS += doc/assay-epilog.8
dist_man_MANS += doc/assay-prolog.8
dist_man_MANS += doc/assay-watch.8
dist_man_MANS += doc/assay-spank.8

# The pages name the usual places; what is installed names those of this build.
data_hooks += install-pages
install-pages:
	cd '$(DESTDIR)$(mandir)' && for p in $(dist_man_MANS); do \
		f=$${p##*/}; $(name_places) "man$${f##*.}/$$f" || exit 1; \
	done
	$(name_places) '$(DESTDIR)$(docdir)/assay.conf.example' \
		'$(DESTDIR)$(tmpfilesdir)/assay.conf'
name_places = sed -i \
	-e 's|/usr/libexec/assay|$(assay_libexecdir)|g' \
	-e 's|/usr/bin/assay|$(bindir)/assay|g' \
	-e 's|/usr/share/doc/assay|$(docdir)|g' \
	-e 's|/var/lib/assay|$(assay_statedir)|g' \
	-e 's|/run/assay|$(assay_rundir)|g' \
	-e 's|/usr/bin/scontrol|$(SCONTROL)|g' \
	-e 's|/etc/assay|$(assay_sysconfdir)|g'
