/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/kline.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "lib/scrub.h"

/* Machine checks logged this early, outside an exception, are what the banks
 * still held from before the boot. */
#define EARLY_USEC 60000000
/* Parts of one message come one after the other. */
#define PART_DISTANCE 8

#define MCI_STATUS_UC (UINT64_C(1) << 61)

/* How the kernel escapes a newline inside a record. */
#define NEWLINE "\\x0a"

static bool eat(const char **p, const char *literal)
{
	size_t len = strlen(literal);

	if (strncmp(*p, literal, len))
		return false;
	*p += len;
	return true;
}

static bool eat_number(const char **p, uint64_t max, uint64_t *out)
{
	const char *s = *p;
	uint64_t v = 0;

	if (!isdigit((unsigned char)*s))
		return false;
	for (; isdigit((unsigned char)*s); s++) {
		v = v * 10 + (uint64_t)(*s - '0');
		if (v > max)
			return false;
	}
	*p = s;
	*out = v;
	return true;
}

static bool eat_hex(const char **p, int min, int max, uint64_t *out)
{
	const char *s = *p;
	uint64_t v = 0;
	int n;

	for (n = 0; n < max && isxdigit((unsigned char)s[n]); n++)
		v = v << 4 | (uint64_t)(isdigit((unsigned char)s[n]) ?
					s[n] - '0' :
					(s[n] | 0x20) - 'a' + 10);
	if (n < min || isxdigit((unsigned char)s[n]))
		return false;
	*p = s + n;
	*out = v;
	return true;
}

/* "0000:3d:00" with or without ".0", in either case of letters. */
static bool eat_pci(const char **p, char device[24])
{
	uint64_t domain, bus, dev, function = 0;
	const char *s = *p;

	if (!eat_hex(&s, 4, 8, &domain) || !eat(&s, ":") ||
	    !eat_hex(&s, 2, 2, &bus) || !eat(&s, ":") ||
	    !eat_hex(&s, 2, 2, &dev) || dev > 31)
		return false;
	if (eat(&s, ".") && (!eat_hex(&s, 1, 1, &function) || function > 7))
		return false;
	*p = s;
	snprintf(device, 24, "%04x:%02x:%02x.%x", (unsigned int)domain,
		 (unsigned int)bus, (unsigned int)dev, (unsigned int)function);
	return true;
}

/* The last place of needle in text, behind it; NULL if there is none. */
static const char *behind_last(const char *text, const char *needle)
{
	const char *found = NULL, *p = text;

	while ((p = strstr(p, needle))) {
		p += strlen(needle);
		found = p;
	}
	return found;
}

static void set_text(struct fault *f, const char *text)
{
	const char *end = strstr(text, NEWLINE);
	size_t len = end ? (size_t)(end - text) : strlen(text);

	if (len >= sizeof(f->text))
		len = sizeof(f->text) - 1;
	memcpy(f->text, text, len);
	f->text[len] = '\0';
	scrub(f->text);
}

static int found(struct fault *f, enum fault_kind kind, bool fatal,
		 const char *text)
{
	f->kind = kind;
	f->fatal = fatal;
	set_text(f, text);
	return 1;
}

/* ---- XID ---------------------------------------------------------------- */

/* " GPU-I:05 GPU-CI:00" of a MIG instance. */
static void eat_mig(const char **p, struct fault *f)
{
	uint64_t gi, ci;

	if (!eat(p, " GPU-I:") || !eat_number(p, 9999, &gi))
		return;
	if (eat(p, " GPU-CI:") && eat_number(p, 9999, &ci))
		snprintf(f->mig, sizeof(f->mig), "GPU-I:%02u GPU-CI:%02u",
			 (unsigned int)gi, (unsigned int)ci);
	else
		snprintf(f->mig, sizeof(f->mig), "GPU-I:%02u",
			 (unsigned int)gi);
}

/* "pid=4711, name=python3, ": by now the number is known, and what follows
 * may say what it likes. */
static void eat_process(const char **text, struct fault *f)
{
	const char *p = *text, *end;
	uint64_t pid;
	size_t len;

	if (!eat(&p, "pid="))
		return;
	if (eat_number(&p, INT32_MAX, &pid))
		f->pid = (int64_t)pid;
	end = strstr(p, ", ");
	*text = end ? end + 2 : p + strlen(p);
	p = *text;
	if (!eat(&p, "name="))
		return;
	end = strstr(p, ", ");
	len = end ? (size_t)(end - p) : strlen(p);
	*text = end ? end + 2 : p + len;
	if (p[0] != '<' && p[0] != '\'')
		snprintf(f->comm, sizeof(f->comm), "%.*s",
			 len < 16 ? (int)len : 16, p);
	scrub(f->comm);
}

/* "RLW_REMAP Nonfatal XC1 i0 Link 01 (0x00000004 ...": the driver's own words
 * come last, so the last match is the true one. */
static void read_nvlink(struct fault *f, const char *text)
{
	const char *xc = behind_last(text, "atal XC"), *hex;
	uint64_t word;

	if (!xc)
		return;
	f->fatal = xc - text >= 8 && xc[-8] == 'F';
	hex = strstr(xc, "(0x");
	if (!hex)
		return;
	hex += 3;
	if (eat_hex(&hex, 1, 8, &word))
		f->subcode = (int32_t)(word >> 20 & 0x3f);
}

/* "GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot
 * Required)": longer than a process name can be. */
static void read_recovery(struct fault *f, const char *text)
{
	const char *p = behind_last(text, "recovery action changed from 0x");
	uint64_t to;

	if (!p || !(p = strstr(p, " to 0x")))
		return;
	p += strlen(" to 0x");
	if (eat_hex(&p, 1, 4, &to))
		f->recovery_to = (int32_t)to;
}

static void read_previous(struct fault *f, const char *text)
{
	const char *p = behind_last(text, " caused by previous Xid ");
	uint64_t number;

	if (p && eat_number(&p, 99999, &number) && number && !*p)
		f->previous = (int32_t)number;
}

static int xid(struct fault *f, const char *p)
{
	uint64_t number;

	if (!eat(&p, "NVRM: Xid ("))
		return 0;
	eat(&p, "PCI:");
	if (!eat_pci(&p, f->device))
		return 0;
	eat_mig(&p, f);
	if (!eat(&p, "): ") || !eat_number(&p, 99999, &number) || !number ||
	    (*p && *p != ','))
		return 0;
	f->number = (int32_t)number;
	if (eat(&p, ","))
		eat(&p, " ");
	eat_process(&p, f);
	read_previous(f, p);
	found(f, FAULT_XID, false, p);
	if (number >= 144 && number <= 150)
		read_nvlink(f, p);
	if (number == 154)
		read_recovery(f, p);
	return 1;
}

/* ---- off the bus -------------------------------------------------------- */

#define OFFBUS "fallen off the bus"

/* The message in three parts, each its own record or line. */
static int offbus_parts(struct kline *k, const struct kmsg_record *rec,
			struct fault *f, const char *p)
{
	char device[24] = "";

	if (eat(&p, "The NVIDIA GPU ")) {
		if (!eat_pci(&p, device))
			return 0;
		memcpy(k->pending, device, sizeof(device));
		k->pending_seq = rec->seq;
	} else if (rec->seq - k->pending_seq > PART_DISTANCE) {
		k->pending[0] = '\0';
	}
	if (!k->pending[0] || !strstr(p, OFFBUS))
		return 0;
	memcpy(f->device, k->pending, sizeof(f->device));
	k->pending[0] = '\0';
	return found(f, FAULT_OFFBUS, true, "GPU has " OFFBUS);
}

static int offbus(struct kline *k, const struct kmsg_record *rec,
		  struct fault *f)
{
	const char *p = rec->text;

	if (!eat(&p, "NVRM: "))
		return 0;
	if (!strncmp(p, "GPU has " OFFBUS, strlen("GPU has " OFFBUS)))
		return found(f, FAULT_OFFBUS, true, p);
	if (!eat(&p, "GPU "))
		return offbus_parts(k, rec, f, p);
	eat(&p, "at ");
	eat(&p, "PCI:");
	if (!eat_pci(&p, f->device))
		return 0;
	eat(&p, ":");
	eat(&p, " GPU");
	if (strncmp(p, " has " OFFBUS, strlen(" has " OFFBUS)))
		return 0;
	return found(f, FAULT_OFFBUS, true, "GPU has " OFFBUS);
}

/* ---- NVSwitch ----------------------------------------------------------- */

/* "nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Fatal, Link 48 LTSSM
 * Fault Up". Lines with "Severity" or "Data" repeat it. */
static int sxid(struct fault *f, const char *p)
{
	uint64_t minor, number;
	bool fatal;

	if (!eat(&p, "nvidia-nvswitch") || !eat_number(&p, 9999, &minor) ||
	    !eat(&p, ": SXid (PCI:") || !eat_pci(&p, f->device) ||
	    !eat(&p, "): ") || !eat_number(&p, 99999, &number) || !number ||
	    !eat(&p, ", "))
		return 0;
	fatal = eat(&p, "Fatal");
	if (!fatal && !eat(&p, "Non-fatal"))
		return 0;
	f->number = (int32_t)number;
	eat(&p, ", ");
	return found(f, FAULT_SXID, fatal, p);
}

/* ---- PCIe --------------------------------------------------------------- */

/* "Uncorrectable (Fatal)", "Uncorrected (Non-Fatal)": the word differs by
 * kernel release. */
static bool eat_severity(const char **p, bool *fatal)
{
	if (!eat(p, "Uncorrectable (") && !eat(p, "Uncorrected ("))
		return false;
	*fatal = eat(p, "Fatal)");
	return *fatal || eat(p, "Non-Fatal)");
}

/* "pcieport 0000:00:01.0: AER: Multiple Uncorrectable (Fatal) error message
 * received from 0000:3d:00.0" is charged to the sender, "nvidia 0000:3d:00.0:
 * PCIe Bus Error: severity=..." to the device itself. */
static int aer(struct fault *f, const char *p)
{
	const char *text;
	bool fatal;

	while (isalnum((unsigned char)*p) || *p == '_' || *p == '-')
		p++;
	if (!eat(&p, " ") || !eat_pci(&p, f->device) || !eat(&p, ": "))
		return 0;
	text = p;
	if (eat(&p, "DPC: containment event, "))
		return found(f, FAULT_AER, strstr(p, "ERR_FATAL") != NULL,
			     text);
	eat(&p, "AER: ");
	if (eat(&p, "PCIe Bus Error: severity="))
		return eat_severity(&p, &fatal) ?
			found(f, FAULT_AER, fatal, text) : 0;
	eat(&p, "Multiple ");
	if (!eat_severity(&p, &fatal) || !eat(&p, " error "))
		return 0;
	eat(&p, "message ");
	if (!eat(&p, "received"))
		return 0;
	if (eat(&p, " from ") || eat(&p, ": "))
		eat_pci(&p, f->device);
	return found(f, FAULT_AER, fatal, text);
}

/* ---- memory and processor ----------------------------------------------- */

/* "EDAC MC0: 1 UE memory read error on CPU0_DIMM_A1 (... page:0x...": the
 * whole shape is asked for, because "EDAC MC0: 1 UE " just fits into a
 * process name. */
static int edac(struct fault *f, const char *p)
{
	const char *text = p, *on;
	uint64_t n, count;

	if (!eat(&p, "EDAC "))
		return 0;
	if (eat(&p, "DEVICE") && eat_number(&p, 9999, &n) && eat(&p, ": UE: "))
		return found(f, FAULT_EDAC, true, text);
	if (!eat(&p, "MC") || !eat_number(&p, 9999, &n) || !eat(&p, ": ") ||
	    !eat_number(&p, UINT32_MAX, &count) || !eat(&p, " UE "))
		return 0;
	on = strncmp(p, "on ", 3) ? strstr(p, " on ") : p;
	if (!on || !strstr(on, "page:0x"))
		return 0;
	snprintf(f->device, sizeof(f->device), "mc%u", (unsigned int)n);
	return found(f, FAULT_EDAC, true, text);
}

/* "{1}[Hardware Error]: event severity: fatal" from the firmware; without the
 * number it is a record of the boot before this one. */
static int firmware(struct fault *f, const char *p, const char *text)
{
	bool now = *text == '{';

	if (eat(&p, "fatal"))
		return found(f, FAULT_MCE, now, text);
	if (eat(&p, "recoverable"))
		return found(f, FAULT_MCE, false, text);
	return 0;
}

/* "CPU 2: Machine Check Exception: 5 Bank 5: bea0000000000108" */
static int machine_check(struct fault *f, const char *p, const char *text,
			 bool early)
{
	uint64_t n, bank, status;
	bool exception;

	if (!eat_number(&p, 99999, &n) || !eat(&p, ": Machine Check"))
		return 0;
	exception = eat(&p, " Exception");
	if (!eat(&p, ": ") || !eat_hex(&p, 1, 16, &n) || !eat(&p, " Bank ") ||
	    !eat_number(&p, 999, &bank) || !eat(&p, ": ") ||
	    !eat_hex(&p, 1, 16, &status) || !(status & MCI_STATUS_UC))
		return 0;
	return found(f, FAULT_MCE, exception || !early, text);
}

static int mce(struct fault *f, const char *p, bool early)
{
	const char *text = p;
	uint64_t n;

	if (eat(&p, "mce: Uncorrected hardware memory error"))
		return found(f, FAULT_MCE, true, text);
	eat(&p, "mce: ");
	if (eat(&p, "{") && (!eat_number(&p, UINT32_MAX, &n) || !eat(&p, "}")))
		return 0;
	if (!eat(&p, "[Hardware Error]: "))
		return 0;
	if (eat(&p, "CPU "))
		return machine_check(f, p, text, early);
	if (eat(&p, "event severity: "))
		return firmware(f, p, text);
	if (eat(&p, "System Fatal error.") || eat(&p, "Uncorrected, software "))
		return found(f, FAULT_MCE, !early, text);
	return 0;
}

/* Only when the node itself ran out: a job that meets its own limit is not
 * the node's matter. */
static int oom(struct fault *f, const char *p)
{
	const char *text = p, *end;
	uint64_t pid;

	if (!eat(&p, "Out of memory: Kill"))
		return 0;
	eat(&p, "ed");
	if (!eat(&p, " process ") || !eat_number(&p, INT32_MAX, &pid))
		return 0;
	f->pid = (int64_t)pid;
	end = strchr(p, ')');
	if (eat(&p, " (") && end)
		snprintf(f->comm, sizeof(f->comm), "%.*s",
			 end - p < 16 ? (int)(end - p) : 16, p);
	scrub(f->comm);
	return found(f, FAULT_OOM, false, text);
}

/* "NAME[4711]: segfault at ...": some of the kernel's own lines start with
 * the name of a process, at most 15 bytes of its choosing. */
static bool starts_with_process(const char *text)
{
	const char *p = text, *open = strchr(text, '[');
	uint64_t pid;

	while (open && open - text <= 15) {
		p = open + 1;
		if (eat_number(&p, INT32_MAX, &pid) && *p == ']')
			return true;
		open = strchr(open + 1, '[');
	}
	return false;
}

int kline_fault(struct kline *k, const struct kmsg_record *rec,
		struct fault *out)
{
	bool early = rec->usec < EARLY_USEC;
	struct fault *f = out;

	memset(f, 0, sizeof(*f));
	f->number = f->subcode = f->previous = f->recovery_to = -1;
	f->pid = -1;
	f->count = 1;
	f->first_seq = f->seq = rec->seq;
	f->usec = rec->usec;
	if (starts_with_process(rec->text))
		return 0;
	if (xid(f, rec->text) || offbus(k, rec, f) || sxid(f, rec->text) ||
	    edac(f, rec->text) || mce(f, rec->text, early) ||
	    oom(f, rec->text) || aer(f, rec->text))
		return 1;
	/* A failed parser may have left half of a fault. */
	memset(f, 0, sizeof(*f));
	return 0;
}
