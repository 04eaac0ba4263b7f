/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/pci.h"

#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PCI_DEVICES "sys/bus/pci/devices/"

static bool is_hex(const char *s, size_t min, size_t max, char end)
{
	size_t n = 0;

	while (isxdigit((unsigned char)s[n]))
		n++;
	return n >= min && n <= max && s[n] == end;
}

bool pci_is_address(const char *s)
{
	const char *bus = strchr(s, ':');
	const char *dev = bus ? strchr(bus + 1, ':') : NULL;
	const char *fn = dev ? strchr(dev + 1, '.') : NULL;

	return fn && is_hex(s, 4, 8, ':') && is_hex(bus + 1, 2, 2, ':') &&
	       is_hex(dev + 1, 2, 2, '.') && is_hex(fn + 1, 1, 1, '\0');
}

int32_t pci_speed_mt(const char *text)
{
	char *end;
	double gt = strtod(text, &end);

	if (end == text || strncmp(end, " GT/s", 5) || !(gt > 0 && gt < 1000))
		return 0;
	return (int32_t)(gt * 1000 + 0.5);
}

/* One lane in one direction, by generation: MT/s, and GB/s behind the line
 * code (PCI Express base specification). */
static const struct lane {
	int32_t mt;
	double gbps;
} lanes[] = {
	{ 2500, 0.25 },	 { 5000, 0.5 },	  { 8000, 0.985 },
	{ 16000, 1.97 }, { 32000, 3.94 }, { 64000, 7.56 },
};

#define GENERATIONS ((int)(sizeof(lanes) / sizeof(lanes[0])))

int pci_generation(int32_t mt)
{
	for (int i = 0; i < GENERATIONS; i++)
		if (lanes[i].mt == mt)
			return i + 1;
	return 0;
}

double pci_gbps(int generation, int width)
{
	if (generation < 1 || generation > GENERATIONS || width < 1)
		return NAN;
	return width * lanes[generation - 1].gbps;
}

uint16_t pci_width_read(const struct roots *r, const char *dir,
			const char *file)
{
	static const uint16_t widths[] = { 1, 2, 4, 8, 12, 16, 32 };
	uint64_t n;

	if (roots_read_u64(r, &n, "%s/%s", dir, file) < 0)
		return 0;
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
		if (n == widths[i])
			return widths[i];
	return 0;
}

static int32_t read_speed(const struct roots *r, const char *dir,
			  const char *file)
{
	char text[64];

	if (roots_readf(r, text, sizeof(text), "%s/%s", dir, file) < 0)
		return 0;
	return pci_speed_mt(text);
}

void pci_link_read(const struct roots *r, const char *dir,
		   struct pci_link *out)
{
	out->width = pci_width_read(r, dir, "current_link_width");
	out->width_max = pci_width_read(r, dir, "max_link_width");
	out->speed_mt = read_speed(r, dir, "current_link_speed");
	out->speed_max_mt = read_speed(r, dir, "max_link_speed");
}

/* The link of a device in /sys/bus/pci/devices spells out the way to it:
 * ../../../devices/pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:00.0 */
int pci_parents(const struct roots *r, const char *addr,
		char parents[PCI_PARENTS_MAX][PCI_ADDR_SIZE])
{
	char path[128], target[512];
	char *slash;
	int n = 0;

	if (!pci_is_address(addr))
		return 0;
	snprintf(path, sizeof(path), PCI_DEVICES "%.15s", addr);
	if (roots_readlink(r, path, target, sizeof(target)) < 0)
		return 0;
	/* From the end, without the device itself. */
	slash = strrchr(target, '/');
	while (slash && n < PCI_PARENTS_MAX) {
		*slash = '\0';
		slash = strrchr(target, '/');
		if (!slash || !pci_is_address(slash + 1))
			break;
		snprintf(parents[n++], PCI_ADDR_SIZE, "%.15s", slash + 1);
	}
	return n;
}

#define LOWER(to, from) \
	do { \
		if ((from) && (!(to) || (from) < (to))) \
			(to) = (from); \
	} while (0)

void pci_path_read(const struct roots *r, const char *addr,
		   struct pci_link *out)
{
	char parents[PCI_PARENTS_MAX][PCI_ADDR_SIZE];
	int n = pci_parents(r, addr, parents);

	memset(out, 0, sizeof(*out));
	for (int i = 0; i < n; i++) {
		char dir[128];
		struct pci_link l;

		snprintf(dir, sizeof(dir), PCI_DEVICES "%.15s", parents[i]);
		pci_link_read(r, dir, &l);
		LOWER(out->width, l.width);
		LOWER(out->width_max, l.width_max);
		LOWER(out->speed_mt, l.speed_mt);
		LOWER(out->speed_max_mt, l.speed_max_mt);
	}
}

/* ---- configuration space: PCI Express base specification ------------------ */

enum {
	CFG_CAPABILITIES = 0x34,
	CFG_EXTENDED = 0x100,
	CAP_EXPRESS = 0x10,
	PORT_DOWNSTREAM = 6,	/* of a switch */
	EXT_CAP_ACS = 0x000d,
	ACS_REQUEST_REDIRECT = 1 << 2,
	ACS_COMPLETION_REDIRECT = 1 << 3,
	CAPS_MAX = 48
};

/* A little-endian dword; all ones (no device) counts as unreadable. */
static int read_dword(int fd, unsigned int at, uint32_t *out)
{
	unsigned char b[4];

	if (pread(fd, b, sizeof(b), (off_t)at) != sizeof(b))
		return -1;
	*out = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
	       (uint32_t)b[3] << 24;
	return *out == UINT32_MAX ? -1 : 0;
}

/* Device/port type of the PCI Express capability; -1. */
static int port_type(int fd)
{
	uint32_t w;
	unsigned int at;

	if (read_dword(fd, CFG_CAPABILITIES, &w) < 0)
		return -1;
	at = w & 0xfc;
	for (int i = 0; at >= 0x40 && i < CAPS_MAX; i++) {
		if (read_dword(fd, at, &w) < 0)
			return -1;
		if ((w & 0xff) == CAP_EXPRESS)
			return (int)(w >> 20 & 0xf);
		at = w >> 8 & 0xfc;
	}
	return -1;
}

/* The ACS control register; 0 without the capability, -1 unreadable. */
static int acs_control(int fd)
{
	unsigned int at = CFG_EXTENDED;
	uint32_t w;

	for (int i = 0; at >= CFG_EXTENDED && i < CAPS_MAX; i++) {
		if (read_dword(fd, at, &w) < 0)
			return -1;
		if ((w & 0xffff) == EXT_CAP_ACS)
			return read_dword(fd, at + 4, &w) < 0 ? -1 :
				(int)(w >> 16);
		at = w >> 20 & 0xffc;
	}
	return 0;
}

int pci_acs_redirects(const struct roots *r, const char *addr)
{
	char path[128];
	int fd, type, control = 0;

	snprintf(path, sizeof(path), PCI_DEVICES "%.15s/config", addr);
	fd = roots_openat(r, path, O_RDONLY);
	if (fd < 0)
		return -1;
	type = port_type(fd);
	if (type == PORT_DOWNSTREAM)
		control = acs_control(fd);
	close(fd);
	if (type < 0 || control < 0)
		return -1;
	return !!(control & (ACS_REQUEST_REDIRECT | ACS_COMPLETION_REDIRECT));
}
