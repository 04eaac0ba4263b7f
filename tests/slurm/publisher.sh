# SPDX-License-Identifier: Apache-2.0
# publisher - assay publish as slurmctld's EpilogSlurmctld, for suites with
# CLUSTER_ACCOUNTING=yes. Sourced behind suite_assay. Its programs lie in CTL:
# slurm.conf names them before the cluster's directory has a name.

CTL=$(mktemp -d "${TMPDIR:-/tmp}/assay-ctl.XXXXXX") || exit 1
chmod 755 "$CTL"
ON_END='rm -rf "$CTL"'
CLUSTER_EPILOGCTLD=$CTL/epilog.slurmctld

program() {	# NAME : stdin is its body
	{
		printf '#!/bin/bash\nPATH=/usr/sbin:/usr/bin:/sbin:/bin\n'
		printf 'CTL=%q\n' "$CTL"
		cat
	} > "$CTL/$1"
	chmod 755 "$CTL/$1"
}

program epilog.slurmctld <<P
exec "$ASSAY" --config "$CTL/assay.conf" publish
P

# Ours writes capital letters, that of 22.05 does not.
SACCTMGR=$(find "$ASSAY_PREFIX" -name assay-sacctmgr -type f | head -n 1)
SACCTMGR=${SACCTMGR:-$(command -v sacctmgr)}

conf_publish() {	# SACCTMGR SHARED-DIR USER : to stdout, [report] begun
	cat <<-C
	[paths]
	state = $CTL/state
	run = $CTL/run
	spool = $CTL/spool
	shared_dir = $2
	shared_user = $3
	[slurm]
	sacct = $(command -v sacct)
	sacctmgr = $1
	conf = $LAB/etc/slurm.conf
	[report]
	publish = yes
	C
}

comment() { timeout 10 sacct -nPX -j "$1" -o AdminComment; }
has_comment() { [[ $(comment "$1") == JS1:H4sI* ]]; }
unpacked() { comment "$1" | cut -c 5- | base64 -d | gzip -dc; }
told() { unpacked "$1" | jq -rc "$2"; }	# JOB JQ-PROGRAM
