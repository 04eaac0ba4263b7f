/* SPDX-License-Identifier: Apache-2.0
 * rdma_fail - what it means when a call of libibverbs, a write or a port
 * fails: the node lacks something (UNABLE), we asked for nonsense (BROKEN), or
 * the device does not do what it is for (FAULT). */
#include "config.h"
#include "probes/rdma_link.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "probes/crew.h"

void rdma_enter(struct rdma_port *p, const char *call)
{
	snprintf(p->progress->call, sizeof(p->progress->call), "%s", call);
}

void rdma_leave(struct rdma_port *p)
{
	rdma_enter(p, "");
}

static void end(struct probe_shot *shot, enum probe_end how, const char *call)
{
	shot->end = how;
	snprintf(shot->call, sizeof(shot->call), "%s", call);
}

int rdma_fault(struct probe_shot *shot, int rc, const char *call,
	       const char *why, ...)
{
	va_list ap;

	end(shot, PROBE_FAULT, call);
	shot->rc = rc;
	va_start(ap, why);
	vsnprintf(shot->why, sizeof(shot->why), why, ap);
	va_end(ap);
	return -1;
}

/* A device that is unplugged, or falls off its bus, goes from the list. */
static bool is_gone(const struct rdma_port *p)
{
	return !roots_exists(p->plan->roots, "sys/class/infiniband/%s",
			     p->hca->name);
}

static int gone(struct rdma_port *p, struct probe_shot *shot, const char *call)
{
	return rdma_fault(shot, RDMA_RC_GONE, call, "%s has gone (%s)",
			  p->hca->name, call);
}

/* ---- calls ----------------------------------------------------------------- */

/* The kernel counts memory that a device may write to against a limit. */
static void no_memory(struct probe_shot *shot, const char *call)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

	getrlimit(RLIMIT_MEMLOCK, &limit);
	if (limit.rlim_cur == RLIM_INFINITY)
		device_unable(shot, "%s: %s", call, strerror(ENOMEM));
	else
		device_unable(shot, "%s: %s; locked memory is limited to %llu "
				    "KiB (ulimit -l)", call, strerror(ENOMEM),
			      (unsigned long long)limit.rlim_cur / 1024);
}

/* Of device contexts and of what is made on them; nothing else answers so. */
static void no_share(struct probe_shot *shot, const char *call)
{
	device_unable(shot, "%s: %s: the cgroup's limit of RDMA resources "
			    "(rdma.max) is reached", call, strerror(EAGAIN));
}

static enum probe_end meaning(int code)
{
	switch (code) {
	case EPERM:
	case EACCES:
	case ENOMEM:
	case EAGAIN:
	case EMFILE:
	case ENFILE:
	case ENOSYS:
	case EOPNOTSUPP:
	case EPROTONOSUPPORT:
		return PROBE_UNABLE;
	case EIO:
	case ENODEV:
	case ENXIO:
	case ETIMEDOUT:
		return PROBE_FAULT;
	default:
		return PROBE_BROKEN;
	}
}

int rdma_failed(struct rdma_port *p, struct probe_shot *shot, const char *call,
		int code)
{
	rdma_leave(p);
	if (is_gone(p))
		return gone(p, shot, call);
	if (code == ENOMEM)
		no_memory(shot, call);
	else if (code == EAGAIN)
		no_share(shot, call);
	else
		snprintf(shot->why, sizeof(shot->why), "%s: %s", call,
			 code ? strerror(code) : "failed");
	end(shot, meaning(code), call);
	if (shot->end == PROBE_FAULT)
		shot->rc = RDMA_RC_CALL;
	return -1;
}

/* ---- the port -------------------------------------------------------------- */

const char *rdma_state_name(enum ibv_port_state state)
{
	static const char *const names[] = {
		[IBV_PORT_NOP] = "NOP", [IBV_PORT_DOWN] = "DOWN",
		[IBV_PORT_INIT] = "INIT", [IBV_PORT_ARMED] = "ARMED",
		[IBV_PORT_ACTIVE] = "ACTIVE",
		[IBV_PORT_ACTIVE_DEFER] = "ACTIVE_DEFER",
	};

	return (size_t)state < sizeof(names) / sizeof(*names) ? names[state] :
								"unknown";
}

/* The header's inline function, but for calls of the library itself. */
int rdma_query(struct rdma_port *p, struct probe_shot *shot,
	       struct ibv_port_attr *attr)
{
	struct verbs_context *v = verbs_get_ctx_op(p->context, query_port);
	uint8_t number = (uint8_t)p->number;
	int rc;

	memset(attr, 0, sizeof(*attr));
	RDMA_ENTER(p, query_port);
	rc = v ? v->query_port(p->context, number, attr, sizeof(*attr)) :
		 p->verbs.query_port(p->context, number,
				     (struct _compat_ibv_port_attr *)attr);
	if (rc)
		return rdma_failed(p, shot, devlibs_verbs_names.query_port,
				   rc > 0 ? rc : errno);
	rdma_leave(p);
	return 0;
}

/* ---- writes ---------------------------------------------------------------- */

static const char *status_name(enum ibv_wc_status status)
{
	static const char *const names[] = {
#define X(name) [IBV_WC_##name] = #name,
		X(SUCCESS) X(LOC_LEN_ERR) X(LOC_QP_OP_ERR) X(LOC_EEC_OP_ERR)
		X(LOC_PROT_ERR) X(WR_FLUSH_ERR) X(MW_BIND_ERR) X(BAD_RESP_ERR)
		X(LOC_ACCESS_ERR) X(REM_INV_REQ_ERR) X(REM_ACCESS_ERR)
		X(REM_OP_ERR) X(RETRY_EXC_ERR) X(RNR_RETRY_EXC_ERR)
		X(LOC_RDD_VIOL_ERR) X(REM_INV_RD_REQ_ERR) X(REM_ABORT_ERR)
		X(INV_EECN_ERR) X(INV_EEC_STATE_ERR) X(FATAL_ERR)
		X(RESP_TIMEOUT_ERR) X(GENERAL_ERR)
#undef X
	};

	return (size_t)status < sizeof(names) / sizeof(*names) ?
		       names[status] : "unknown status";
}

/* A write fails, too, where its port or device goes: that is then told. */
int rdma_write_failed(struct rdma_link *l, const struct ibv_wc *wc)
{
	struct rdma_port *p = l->port;
	struct ibv_port_attr attr;
	struct probe_shot other;

	rdma_leave(p);
	if (is_gone(p))
		return gone(p, l->shot, RDMA_WRITE);
	if (rdma_query(p, &other, &attr) == 0 &&
	    attr.state != IBV_PORT_ACTIVE)
		return rdma_fault(l->shot, RDMA_RC_PORT_DOWN, RDMA_WRITE,
				  "port %d went %s while it was measured",
				  p->number, rdma_state_name(attr.state));
	return rdma_fault(l->shot, (int)wc->status, RDMA_WRITE,
			  "RDMA write failed: %s (status %d, vendor's %#x)",
			  status_name(wc->status), (int)wc->status,
			  wc->vendor_err);
}

void rdma_shot_begin(struct rdma_shot *how)
{
	memset(how, 0, sizeof(*how));
	how->qps = how->msg_bytes = how->depth = how->mtu = -1;
	how->gid_index = how->relaxed = -1;
	how->bytes = how->cpu_us = -1;
	how->other_gbps = NAN;
}
