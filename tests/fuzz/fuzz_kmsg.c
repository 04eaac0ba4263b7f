/* SPDX-License-Identifier: Apache-2.0
 * Attacks everything between the bytes of the kernel log and the table of
 * open faults: the reader of records, the parser of lines, merging, and the
 * document that keeps the table between runs.
 */
#include "config.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/faults.h"
#include "lib/kline.h"
#include "lib/kmsg.h"
#include "tests/fuzz/fuzz.h"

const char fuzz_name[] = "kmsg";
const char *const fuzz_words[] = { "\n4,1,2,-;",
				   "\n12,1,2,-;",
				   ",c;",
				   ",caller=T1;",
				   "\n SUBSYSTEM=pci\n",
				   "\\x0a",
				   "NVRM: Xid (PCI:0000:4e:00): 79, ",
				   " GPU-I:05 GPU-CI:00",
				   "): 154, ",
				   "recovery action changed from 0x0",
				   " to 0x0 ",
				   "pid=4711, name=",
				   " caused by previous Xid 95",
				   " Fatal XC0 (0x02600011",
				   "fallen off the bus",
				   "NVRM: The NVIDIA GPU 0000:b3:00.0",
				   "nvidia-nvswitch0: SXid (PCI:",
				   "AER: Uncorrected (Fatal) error ",
				   "EDAC MC0: 1 UE ",
				   "[Hardware Error]: ",
				   "18446744073709551615",
				   "0x",
				   "ffffffff",
				   NULL };

static struct xid_table *xids;

static void check_fault(const struct fault *f)
{
	FUZZ_HOLDS(memchr(f->device, 0, sizeof(f->device)) != NULL);
	FUZZ_HOLDS(memchr(f->mig, 0, sizeof(f->mig)) != NULL);
	FUZZ_HOLDS(memchr(f->comm, 0, sizeof(f->comm)) != NULL);
	FUZZ_HOLDS(memchr(f->text, 0, sizeof(f->text)) != NULL);
	FUZZ_HOLDS(faults_class(f, xids) != XID_FOLLOW);
	FUZZ_HOLDS(faults_name(f, xids) != NULL);
	FUZZ_HOLDS(f->pid_count >= 0 && f->pid_count <= FACTS_FAULT_PIDS);
}

static void read_log(struct kmsg *kmsg, struct facts_kmsg *k)
{
	struct kline kline = { .pending = "" };
	struct kmsg_record rec;
	struct fault f;

	while (kmsg_next(kmsg, &rec) > 0) {
		/* Lines that only the kernel may write are tried as well. */
		if (!kline_fault(&kline, &rec, &f))
			continue;
		check_fault(&f);
		if (!kmsg_is_kernels(&rec))
			continue;
		faults_merge(k, &f, xids);
		FUZZ_HOLDS(k->fault_count >= 0 &&
			   k->fault_count <= FACTS_FAULTS_MAX);
	}
}

/* What was kept is what comes back. */
static void round_trip(const struct facts_kmsg *k)
{
	static struct facts_kmsg again;
	json_t *doc = faults_save(k);
	int i;

	FUZZ_HOLDS(doc != NULL);
	memset(&again, 0, sizeof(again));
	faults_load(&again, doc);
	json_decref(doc);
	FUZZ_HOLDS(again.fault_count == k->fault_count);
	for (i = 0; i < k->fault_count; i++)
		FUZZ_HOLDS(!memcmp(&again.fault[i], &k->fault[i],
				   sizeof(k->fault[i])));
}

/* The bytes as a state document, too. */
static void as_document(const uint8_t *data, size_t size)
{
	static struct facts_kmsg k;
	json_t *doc = json_loadb((const char *)data, size, JSON_DECODE_ANY, NULL);
	int i;

	faults_load(&k, doc);
	json_decref(doc);
	for (i = 0; i < k.fault_count; i++)
		check_fault(&k.fault[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct facts_kmsg k;
	static struct kmsg kmsg;

	if (!xids)
		xids = xid_load(NULL, NULL);
	FUZZ_HOLDS(xids != NULL);
	memset(&k, 0, sizeof(k));
	memset(&kmsg, 0, sizeof(kmsg));
	kmsg.fd = memfd_create("kmsg", MFD_CLOEXEC);
	kmsg.deadline_ms = clock_mono_ms() + KMSG_TIME_MS;
	FUZZ_HOLDS(kmsg.fd >= 0);
	FUZZ_HOLDS(write(kmsg.fd, data, size) == (ssize_t)size);
	FUZZ_HOLDS(lseek(kmsg.fd, 0, SEEK_SET) == 0);
	read_log(&kmsg, &k);
	kmsg_close(&kmsg);
	round_trip(&k);
	as_document(data, size);
	return 0;
}
