/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/kline.h"

#include <string.h>

#include "tests/unit/unit.h"

static struct fault f;

/* A record of a kernel that has been up for a day. */
static int line_of(struct kline *k, uint64_t seq, const char *text)
{
	const struct kmsg_record rec = { .prio = 4,
					 .flag = '-',
					 .seq = seq,
					 .usec = INT64_C(86400000000),
					 .text = text };

	return kline_fault(k, &rec, &f);
}

static int line(const char *text)
{
	struct kline k = { .pending = "" };

	return line_of(&k, 1000, text);
}

static void xid(const char *text, int number, const char *device)
{
	if (!line(text))
		fail_msg("not seen: %s", text);
	assert_int_equal(f.kind, FAULT_XID);
	assert_int_equal(f.number, number);
	assert_string_equal(f.device, device);
}

static void xid_with_process(void **state)
{
	(void)state;
	xid("NVRM: Xid (PCI:0000:1b:00): 13, pid=4711, name=python3, Graphics "
	    "SM Warp Exception on (GPC 1, TPC 2, SM 0): Illegal Instruction",
	    13, "0000:1b:00.0");
	assert_int_equal(f.pid, 4711);
	assert_string_equal(f.comm, "python3");
	assert_memory_equal(f.text, "Graphics SM Warp", 16);
	assert_int_equal(f.seq, 1000);
	assert_int_equal(f.first_seq, 1000);
	assert_int_equal(f.count, 1);
}

static void xid_without_process(void **state)
{
	(void)state;
	xid("NVRM: Xid (PCI:0000:3d:00): 79, GPU has fallen off the bus.", 79,
	    "0000:3d:00.0");
	assert_int_equal(f.pid, -1);
	xid("NVRM: Xid (PCI:0000:3D:00): 79, pid='<unknown>', "
	    "name=<unknown>, GPU has fallen off the bus.",
	    79, "0000:3d:00.0");
	assert_int_equal(f.pid, -1);
	assert_string_equal(f.comm, "");
	assert_string_equal(f.text, "GPU has fallen off the bus.");
	xid("NVRM: Xid (PCI:0008:01:00): 62", 62, "0008:01:00.0");
	xid("NVRM: Xid (0000:02:00): 31, Ch 1", 31, "0000:02:00.0");
	xid("NVRM: Xid (PCI:00000000:02:00.0): 31, Ch", 31, "0000:02:00.0");
	xid("NVRM: Xid (PCI:0000:02:00): 43, pid=1", 43, "0000:02:00.0");
	assert_int_equal(f.pid, 1);
}

static void mig_suffix_goes_to_its_gpu(void **state)
{
	(void)state;
	xid("NVRM: Xid (PCI:0000:4e:00 GPU-I:05 GPU-CI:00): 48, pid=99, "
	    "name=python, DBE (double bit error) ECC Error",
	    48, "0000:4e:00.0");
	assert_string_equal(f.mig, "GPU-I:05 GPU-CI:00");
	assert_int_equal(f.pid, 99);
	xid("NVRM: Xid (PCI:0000:4e:00 GPU-I:05): 94, x", 94, "0000:4e:00.0");
	assert_string_equal(f.mig, "GPU-I:05");
}

static void previous_xid_is_told(void **state)
{
	(void)state;
	xid("NVRM: Xid (PCI:0000:1b:00): 45, pid=1, name=a, Ch 00000008 "
	    "caused by previous Xid 95",
	    45, "0000:1b:00.0");
	assert_int_equal(f.previous, 95);
	xid("NVRM: Xid (PCI:0000:1b:00): 45, pid=1, name=a, Ch 1", 45,
	    "0000:1b:00.0");
	assert_int_equal(f.previous, -1);
	xid("NVRM: Xid (PCI:0000:1b:00): 45,  caused by previous Xid 95 or so",
	    45, "0000:1b:00.0");
	assert_int_equal(f.previous, -1);
}

static void recovery_action_is_read(void **state)
{
	(void)state;
	xid("NVRM: Xid (PCI:0008:01:00): 154, GPU recovery action changed from "
	    "0x0 (None) to 0x2 (Node Reboot Required)",
	    154, "0008:01:00.0");
	assert_int_equal(f.recovery_to, 2);
	xid("NVRM: Xid (PCI:0008:01:00): 154, pid=7, name= to 0x0 (None), GPU "
	    "recovery action changed from 0x0 (None) to 0x1 (GPU Reset)",
	    154, "0008:01:00.0");
	assert_int_equal(f.recovery_to, 1);
	xid("NVRM: Xid (PCI:0008:01:00): 154, garbled", 154, "0008:01:00.0");
	assert_int_equal(f.recovery_to, -1);
}

static void nvlink_subcode_and_severity(void **state)
{
	(void)state;
	xid("NVRM: Xid (PCI:0000:04:00): 145, RLW_REMAP Nonfatal XC1 i0 Link "
	    "-1 (0x00000004 0x00000001 0x0 0x0)",
	    145, "0000:04:00.0");
	assert_false(f.fatal);
	assert_int_equal(f.subcode, 0);
	xid("NVRM: Xid (PCI:0000:04:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link "
	    "07 (0x02600011 0x00000000 0x0)",
	    149, "0000:04:00.0");
	assert_true(f.fatal);
	assert_int_equal(f.subcode, 38);
	xid("NVRM: Xid (PCI:0000:04:00): 144, pid=1, name=a, Fatal XC (0x1, "
	    "SAW_MVB Nonfatal XC0 i0 Link 00 (0x00000001 0x1)",
	    144, "0000:04:00.0");
	assert_false(f.fatal);
	xid("NVRM: Xid (PCI:0000:04:00): 150, odd", 150, "0000:04:00.0");
	assert_int_equal(f.subcode, -1);
}

static void no_fault(const char *text)
{
	if (line(text))
		fail_msg("taken for a fault: %s", text);
	assert_string_equal(f.device, "");
}

static void names_do_not_forge(void **state)
{
	(void)state;
	xid("NVRM: Xid (PCI:0000:1b:00): 13, pid=1, name=x): 79, pid=1, GPU",
	    13, "0000:1b:00.0");
	xid("NVRM: Xid (PCI:0000:1b:00): 43, pid=1, name=a, NVRM: Xid "
	    "(PCI:0000:4e:00): 79, b",
	    43, "0000:1b:00.0");
	no_fault("python3[77]: NVRM: Xid (PCI:0000:1b:00): 79, x");
	no_fault(" NVRM: Xid (PCI:0000:1b:00): 79, x");
	no_fault("audit: comm=\"NVRM: Xid (PCI:0000:1b:00): 79\"");
	no_fault("EDAC MC0: 1 UE [77]: segfault at 0 on x (page:0x0)");
	no_fault("EDAC MC0: 1 UE  invoked oom-killer: gfp_mask=0xcc0, order=0");
	no_fault("a 0000:00:00.0:[7]: segfault AER: Uncorrected (Fatal)");
}

static void half_lines_are_nothing(void **state)
{
	static const char full[] =
		"NVRM: Xid (PCI:0000:1b:00 GPU-I:05 GPU-CI:00): 79, pid=1, n";
	char text[sizeof(full)];
	size_t i, end = (size_t)(strstr(full, "79") - full);

	(void)state;
	for (i = 0; i <= end; i++) {
		memcpy(text, full, i);
		text[i] = '\0';
		no_fault(text);
	}
	no_fault("NVRM: Xid (PCI:0000:1b:00): abc, pid=1");
	no_fault("NVRM: Xid (PCI:0000:1b:00): 0, pid=1");
	no_fault("NVRM: Xid (PCI:0000:1b:00): 99999999999, pid=1");
	no_fault("NVRM: Xid (PCI:0000:1b:00): 79x");
	no_fault("NVRM: Xid (PCI:0000:1b:40): 79, x");
	no_fault("NVRM: Xid (PCI:0000:1b:00.9): 79, x");
	no_fault("NVRM: Xid (PCI:0000:1b0:00): 79, x");
}

static void offbus(const char *text, const char *device)
{
	if (!line(text))
		fail_msg("not seen: %s", text);
	assert_int_equal(f.kind, FAULT_OFFBUS);
	assert_string_equal(f.device, device);
	assert_true(f.fatal);
}

static void off_the_bus_without_a_number(void **state)
{
	(void)state;
	offbus("NVRM: GPU 0000:3d:00.0: GPU has fallen off the bus.",
	       "0000:3d:00.0");
	offbus("NVRM: GPU at 0000:01:00.0 has fallen off the bus.",
	       "0000:01:00.0");
	offbus("NVRM: GPU at PCI:0000:01:00: GPU has fallen off the bus",
	       "0000:01:00.0");
	offbus("NVRM: GPU has fallen off the bus", "");
	offbus("NVRM: The NVIDIA GPU 0000:b3:00.0\\x0aNVRM: (PCI ID: "
	       "10de:26b5) installed in this system has\\x0aNVRM: fallen off "
	       "the bus and is not responding to commands.",
	       "0000:b3:00.0");
	no_fault("NVRM: GPU 0000:3d:00.0: GPU serial number is 165.");
	no_fault("NVRM: GPU at PCI:0000:b3:00: GPU-6d1c");
	no_fault("NVRM: a process has fallen off the bus");
}

static void off_the_bus_in_three_records(void **state)
{
	struct kline k = { .pending = "" };

	(void)state;
	assert_false(line_of(&k, 10, "NVRM: The NVIDIA GPU 0000:b3:00.0"));
	assert_false(line_of(&k, 11,
			     "NVRM: (PCI ID: 10de:26b5) installed in "
			     "this system has"));
	assert_true(line_of(&k, 12,
			    "NVRM: fallen off the bus and is not "
			    "responding to commands."));
	assert_int_equal(f.kind, FAULT_OFFBUS);
	assert_string_equal(f.device, "0000:b3:00.0");
	assert_false(line_of(&k, 13,
			     "NVRM: fallen off the bus and is not "
			     "responding to commands."));
	assert_false(line_of(&k, 20, "NVRM: The NVIDIA GPU 0000:b3:00.0"));
	assert_false(line_of(&k, 90,
			     "NVRM: fallen off the bus and is not "
			     "responding to commands."));
}

static void nvswitch_errors(void **state)
{
	(void)state;
	assert_true(line("nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, "
			 "Fatal, Link 48 LTSSM Fault Up"));
	assert_int_equal(f.kind, FAULT_SXID);
	assert_int_equal(f.number, 20034);
	assert_true(f.fatal);
	assert_string_equal(f.device, "0000:06:00.0");
	assert_string_equal(f.text, "Link 48 LTSSM Fault Up");
	assert_true(line("nvidia-nvswitch3: SXid (PCI:0000:05:00.0): 12028, "
			 "Non-fatal, Link 32 egress non-posted PRIV error"));
	assert_false(f.fatal);
	no_fault("nvidia-nvswitch2: SXid (PCI:0000:07:00.0): 20034, Severity 1 "
		 "Engine instance 60");
	no_fault("nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 20034, Data {0x1");
	no_fault("nvidia-nvswitch0: open (major=510)");
}

static void hw(const char *text, enum fault_kind kind, bool fatal,
	       const char *device)
{
	if (!line(text))
		fail_msg("not seen: %s", text);
	assert_int_equal(f.kind, kind);
	assert_int_equal(f.fatal, fatal);
	assert_string_equal(f.device, device);
}

static void pcie_errors(void **state)
{
	(void)state;
	hw("pcieport 0000:80:1b.4: AER: Uncorrectable (Fatal) error message "
	   "received from 0000:81:00.0",
	   FAULT_AER, true, "0000:81:00.0");
	hw("pcieport 0000:80:1b.4: AER: Multiple Uncorrected (Fatal) error "
	   "received: 0000:81:00.0",
	   FAULT_AER, true, "0000:81:00.0");
	hw("pcieport 0000:80:1b.4: AER: Uncorrected (Non-Fatal) error "
	   "received: id=00e5",
	   FAULT_AER, false, "0000:80:1b.4");
	hw("nvidia 0000:3d:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), "
	   "type=Transaction Layer",
	   FAULT_AER, true, "0000:3d:00.0");
	hw("nvidia 0000:3d:00.0: AER: PCIe Bus Error: severity=Uncorrectable "
	   "(Non-Fatal), type=x",
	   FAULT_AER, false, "0000:3d:00.0");
	hw("pcieport 0015:00:00.0: DPC: containment event, status:0x200d, "
	   "ERR_FATAL received from 0015:01:00.0",
	   FAULT_AER, true, "0015:00:00.0");
	hw("pcieport 0000:00:03.2: DPC: containment event, status:0x1f01 "
	   "source:0x0000",
	   FAULT_AER, false, "0000:00:03.2");
	assert_false(line("pcieport 0000:00:1c.5: AER: Corrected error "
			  "received: id=00e5"));
	assert_false(line("pcieport 0000:00:1c.0: AER: PCIe Bus Error: "
			  "severity=Correctable, type=Data Link Layer"));
	assert_false(line("pcieport 0000:00:1c.0: AER: device recovery failed"));
}

static void memory_errors(void **state)
{
	(void)state;
	hw("EDAC MC0: 1 UE memory read error on CPU_SrcID#0_Chan#0_DIMM#0 "
	   "(channel:0 slot:0 page:0x1021ad offset:0x180 grain:32)",
	   FAULT_EDAC, true, "mc0");
	hw("EDAC MC12: 2 UE on any memory ( page:0x0 offset:0x0 grain:0)",
	   FAULT_EDAC, true, "mc12");
	hw("EDAC DEVICE0: UE: x instance: 0", FAULT_EDAC, true, "");
	no_fault("EDAC MC0: 4858 CE memory read error on CPU_SrcID#0_Ha#0 "
		 "(channel:0 slot:0 page:0x1021ad offset:0x180)");
	no_fault("EDAC MC0: Giving out device to module skx_edac");
	no_fault("EDAC sbridge MC0: HANDLING MCE MEMORY ERROR");
}

static void machine_checks(void **state)
{
	(void)state;
	hw("mce: [Hardware Error]: CPU 2: Machine Check Exception: 5 Bank 5: "
	   "bea0000000000108",
	   FAULT_MCE, true, "");
	hw("mce: [Hardware Error]: CPU 2: Machine Check: 0 Bank 5: "
	   "bea0000000000108",
	   FAULT_MCE, true, "");
	hw("mce: Uncorrected hardware memory error in user-access at af342142",
	   FAULT_MCE, true, "");
	hw("[Hardware Error]: System Fatal error.", FAULT_MCE, true, "");
	hw("[Hardware Error]: Uncorrected, software restartable error.",
	   FAULT_MCE, true, "");
	hw("{1}[Hardware Error]: event severity: fatal", FAULT_MCE, true, "");
	hw("{2}[Hardware Error]: event severity: recoverable", FAULT_MCE, false,
	   "");
	hw("[Hardware Error]: event severity: fatal", FAULT_MCE, false, "");
	no_fault("mce: [Hardware Error]: CPU 2: Machine Check: 0 Bank 5: "
		 "8c20004000000108");
	no_fault("mce: [Hardware Error]: Machine check events logged");
	no_fault("[Hardware Error]: Corrected error, no action required.");
	no_fault("[Hardware Error]: Deferred error, no action required.");
	no_fault("{1}[Hardware Error]: event severity: corrected");
	no_fault("mce: CPU0: Thermal monitoring enabled (TM1)");
}

static void what_the_boot_found_is_old(void **state)
{
	struct kmsg_record rec = {
		.flag = '-',
		.usec = 107023,
		.text = "mce: [Hardware Error]: CPU 2: Machine Check: 0 Bank "
			"5: bea0000000000108"
	};
	struct kline k = { .pending = "" };

	(void)state;
	assert_true(kline_fault(&k, &rec, &f));
	assert_false(f.fatal);
	rec.text = "[Hardware Error]: System Fatal error.";
	assert_true(kline_fault(&k, &rec, &f));
	assert_false(f.fatal);
}

static void only_the_nodes_own_oom(void **state)
{
	(void)state;
	hw("Out of memory: Killed process 812 (python3) total-vm:1kB, anon-rss",
	   FAULT_OOM, false, "");
	assert_int_equal(f.pid, 812);
	assert_string_equal(f.comm, "python3");
	no_fault("Memory cgroup out of memory: Killed process 812 (python3)");
	no_fault("oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null)");
}

static void ordinary_lines(void **state)
{
	(void)state;
	no_fault("");
	no_fault("nvidia 0000:1b:00.0: enabling device (0000 -> 0002)");
	no_fault("NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64");
	no_fault("mlx5_core 0000:ab:00.0 mlx5_5: Port: 1 Link ACTIVE");
	no_fault("python3[77]: segfault at 0 ip 0 sp 0 error 4 in libc.so.6");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(xid_with_process),
		cmocka_unit_test(xid_without_process),
		cmocka_unit_test(mig_suffix_goes_to_its_gpu),
		cmocka_unit_test(previous_xid_is_told),
		cmocka_unit_test(recovery_action_is_read),
		cmocka_unit_test(nvlink_subcode_and_severity),
		cmocka_unit_test(names_do_not_forge),
		cmocka_unit_test(half_lines_are_nothing),
		cmocka_unit_test(off_the_bus_without_a_number),
		cmocka_unit_test(off_the_bus_in_three_records),
		cmocka_unit_test(nvswitch_errors),
		cmocka_unit_test(pcie_errors),
		cmocka_unit_test(memory_errors),
		cmocka_unit_test(machine_checks),
		cmocka_unit_test(what_the_boot_found_is_old),
		cmocka_unit_test(only_the_nodes_own_oom),
		cmocka_unit_test(ordinary_lines),
	};

	return cmocka_run_group_tests_name("kline", tests, NULL, NULL);
}
