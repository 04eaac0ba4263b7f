# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += etc/plugstack.conf.d/assay.conf
EXTRA_DIST += etc/xid.json
schemadir = $(pkgdatadir)/schema
dist_schema_DATA = etc/schema/assay.job-1.json
profilesdir = $(assay_sysconfdir)/profiles
dist_profiles_DATA =
dist_profiles_DATA += etc/profiles/A100-PCIe-40GB.json
dist_profiles_DATA += etc/profiles/A100-PCIe-80GB.json
dist_profiles_DATA += etc/profiles/A100-SXM4-40GB.json
dist_profiles_DATA += etc/profiles/A100-SXM4-80GB.json
dist_profiles_DATA += etc/profiles/B200-SXM.json
dist_profiles_DATA += etc/profiles/GB200.json
dist_profiles_DATA += etc/profiles/GH200-144GB.json
dist_profiles_DATA += etc/profiles/GH200-96GB.json
dist_profiles_DATA += etc/profiles/H100-NVL.json
dist_profiles_DATA += etc/profiles/H100-PCIe.json
dist_profiles_DATA += etc/profiles/H100-SXM5.json
dist_profiles_DATA += etc/profiles/H200-SXM.json
dist_profiles_DATA += etc/profiles/L40S.json
dist_profiles_DATA += etc/profiles/V100-SXM2.json
dist_doc_DATA += etc/assay.conf.example
grafanadir = $(pkgdatadir)/grafana
dist_grafana_DATA = etc/grafana/assay.json
# The programs create the last directory of these, not those above, which
# another prefix than /usr lacks. /run is the system's to fill.
install-data-local: install-places
install-places:
	$(MKDIR_P) '$(DESTDIR)$(assay_statedir)'
	chmod 0711 '$(DESTDIR)$(assay_statedir)'
	test '$(runstatedir)' = /run || $(MKDIR_P) '$(DESTDIR)$(runstatedir)'
uninstall-local:
	-rmdir '$(DESTDIR)$(assay_statedir)'
tmpfilesdir = $(prefix)/lib/tmpfiles.d
dist_tmpfiles_DATA = etc/tmpfiles.d/assay.conf
