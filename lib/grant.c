/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/grant.h"

#include <endian.h>
#include <stdint.h>
#include <sys/xattr.h>

/* As the kernel takes it (linux/posix_acl_xattr.h), little-endian. */
#define ACL_NAME "system.posix_acl_access"
#define ACL_VERSION 2
#define MAY_READ 4
#define NO_ID 0xffffffffU

enum tag {
	TAG_OWNER = 0x01,
	TAG_USER = 0x02,
	TAG_GROUP = 0x04,
	TAG_MASK = 0x10,
	TAG_OTHER = 0x20
};

struct entry {
	uint16_t tag, perm;
	uint32_t id;
};

static struct entry entry(enum tag tag, uint16_t perm, uint32_t id)
{
	return (struct entry){ htole16((uint16_t)tag), htole16(perm),
			       htole32(id) };
}

int grant_read(int fd, uid_t user)
{
	const struct {
		uint32_t version;
		struct entry entry[5];
	} list = { htole32(ACL_VERSION),
		   { entry(TAG_OWNER, MAY_READ, NO_ID),
		     entry(TAG_USER, MAY_READ, user), entry(TAG_GROUP, 0, NO_ID),
		     entry(TAG_MASK, MAY_READ, NO_ID),
		     entry(TAG_OTHER, 0, NO_ID) } };

	return fsetxattr(fd, ACL_NAME, &list, sizeof(list), 0);
}
