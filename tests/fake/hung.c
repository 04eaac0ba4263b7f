/* SPDX-License-Identifier: Apache-2.0
 * hung DIR COMMAND... - run a command for which DIR is a file system that
 * never answers, as that of a server that has gone. Leaves with the command's
 * exit code, 77 if no such file system can be had: that takes root and FUSE.
 */
#include "config.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#define CANNOT 77

/* What is asked waits in fd, for as long as somebody holds it. */
static int mount_at(const char *dir)
{
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	char options[80];

	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fd);
	if (fd < 0 || unshare(CLONE_NEWNS) < 0 ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("hung", dir, "fuse", 0, options) < 0)
		return -1;
	return fd;
}

int main(int argc, char **argv)
{
	int status;
	pid_t pid;

	if (argc < 3)
		return 2;
	if (mount_at(argv[1]) < 0)
		return CANNOT;
	pid = fork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
