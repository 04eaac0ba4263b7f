/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "lib/become.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

int become_user(const char *user)
{
	const struct passwd *pw;

	if (geteuid())
		return 0;
	errno = 0;
	pw = getpwnam(user);
	if (!pw) {
		errno = errno ? errno : ENOENT;
		return -1;
	}
	if (setgroups(0, NULL) < 0 || setgid(pw->pw_gid) < 0 ||
	    setuid(pw->pw_uid) < 0)
		return -1;
	return 0;
}
