# SPDX-License-Identifier: Apache-2.0
# accounting - a real slurmdbd on a MariaDB of its own, in the cluster's
# directory: for suites that set CLUSTER_ACCOUNTING=yes. Sourced by cluster.

accounting_can() {	# prints why not
	local c
	for c in mariadbd mariadb mariadb-install-db slurmdbd sacct sacctmgr; do
		command -v "$c" > /dev/null ||
			{ echo "$c is not installed"; return 1; }
	done
}

_accounting_conf() {	# lines of slurm.conf
	[ -n "$CLUSTER_ACCOUNTING" ] || return 0
	cat <<-C
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=127.0.0.1
	AccountingStoragePort=$((BASE + 48))
	AccountingStoragePass=$LAB/munge/munge.sock
	AccountingStorageTRES=gres/gpu
	C
}

_slurmdbd_conf() {
	cat <<-C
	AuthType=auth/munge
	AuthInfo=socket=$LAB/munge/munge.sock
	DbdHost=localhost
	DbdAddr=127.0.0.1
	DbdPort=$((BASE + 48))
	SlurmUser=root
	DebugLevel=info
	LogFile=$LAB/log/slurmdbd.log
	PidFile=$LAB/state/slurmdbd.pid
	StorageType=accounting_storage/mysql
	StorageHost=127.0.0.1
	StoragePort=$((BASE + 49))
	StorageUser=slurm
	StoragePass=slurm
	StorageLoc=slurm_acct_db
	C
}

_sql() {
	timeout 10 mariadb --no-defaults -S "$LAB/db/sock" -e "$1"
}

_mariadb_start() {
	mkdir -p "$LAB/db"
	mariadb-install-db --no-defaults --user=root --datadir="$LAB/db/data" \
		--auth-root-authentication-method=socket --skip-test-db \
		> "$LAB/log/mariadb-install.out" 2>&1 || return 1
	# newer ones' snapshot isolation ends slurmdbd
	_spawn mariadbd mariadbd --no-defaults --user=root \
		--datadir="$LAB/db/data" --socket="$LAB/db/sock" \
		--port=$((BASE + 49)) --bind-address=127.0.0.1 \
		--pid-file="$LAB/db/pid" --skip-name-resolve \
		--innodb-buffer-pool-size=64M --innodb-lock-wait-timeout=900 \
		--loose-innodb-snapshot-isolation=OFF \
		--innodb-flush-log-at-trx-commit=0 \
		--log-error="$LAB/log/mariadbd.log"
	wait_until 60 _sql 'select 1' || return 1
	_sql "create database slurm_acct_db;
		create user 'slurm'@'127.0.0.1' identified by 'slurm';
		grant all on slurm_acct_db.* to 'slurm'@'127.0.0.1'"
}

slurmdbd_start() {
	_spawn slurmdbd slurmdbd -D
	wait_until 60 timeout 5 sacctmgr -n list cluster
}

slurmdbd_stop() { _stop slurmdbd; }

accounting_start() {
	[ -n "$CLUSTER_ACCOUNTING" ] || return 0
	_slurmdbd_conf > "$LAB/etc/slurmdbd.conf"
	chmod 600 "$LAB/etc/slurmdbd.conf"
	_mariadb_start && slurmdbd_start &&
		sacctmgr -i add cluster lab > "$LAB/log/sacctmgr.out" 2>&1
}

accounting_stop() {
	_stop slurmdbd
	_stop mariadbd
}
