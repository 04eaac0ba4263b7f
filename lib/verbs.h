/* SPDX-License-Identifier: Apache-2.0
 * verbs - what assay calls of libibverbs, which is loaded at run time.
 *
 * Nothing here needs the library's header: its structs are known by name
 * only. What the header has as inline functions (posting, polling, arming)
 * goes through the context and is called there, by files that include it.
 */
#ifndef ASSAY_VERBS_H
#define ASSAY_VERBS_H

#include <stddef.h>
#include <stdint.h>

struct ibv_async_event;
struct ibv_comp_channel;
struct ibv_context;
struct ibv_cq;
struct ibv_device;
struct ibv_mr;
struct ibv_pd;
struct ibv_qp;
struct ibv_qp_attr;
struct ibv_qp_init_attr;
struct _compat_ibv_port_attr;

/* X(need, return type, member, symbol, arguments) */
#define DEVLIBS_VERBS(X) \
	X(REQUIRED, struct ibv_device **, get_device_list, \
	  "ibv_get_device_list", (int *)) \
	X(REQUIRED, void, free_device_list, "ibv_free_device_list", \
	  (struct ibv_device **)) \
	X(REQUIRED, const char *, get_device_name, "ibv_get_device_name", \
	  (struct ibv_device *)) \
	X(REQUIRED, struct ibv_context *, open_device, "ibv_open_device", \
	  (struct ibv_device *)) \
	X(REQUIRED, int, close_device, "ibv_close_device", \
	  (struct ibv_context *)) \
	X(REQUIRED, int, query_port, "ibv_query_port", \
	  (struct ibv_context *, uint8_t, struct _compat_ibv_port_attr *)) \
	X(REQUIRED, int, query_pkey, "ibv_query_pkey", \
	  (struct ibv_context *, uint8_t, int, uint16_t *)) \
	X(REQUIRED, struct ibv_pd *, alloc_pd, "ibv_alloc_pd", \
	  (struct ibv_context *)) \
	X(REQUIRED, int, dealloc_pd, "ibv_dealloc_pd", (struct ibv_pd *)) \
	X(REQUIRED, struct ibv_mr *, reg_mr, "ibv_reg_mr", \
	  (struct ibv_pd *, void *, size_t, int)) \
	X(REQUIRED, int, dereg_mr, "ibv_dereg_mr", (struct ibv_mr *)) \
	X(REQUIRED, struct ibv_comp_channel *, create_comp_channel, \
	  "ibv_create_comp_channel", (struct ibv_context *)) \
	X(REQUIRED, int, destroy_comp_channel, "ibv_destroy_comp_channel", \
	  (struct ibv_comp_channel *)) \
	X(REQUIRED, struct ibv_cq *, create_cq, "ibv_create_cq", \
	  (struct ibv_context *, int, void *, struct ibv_comp_channel *, int)) \
	X(REQUIRED, int, destroy_cq, "ibv_destroy_cq", (struct ibv_cq *)) \
	X(REQUIRED, int, get_cq_event, "ibv_get_cq_event", \
	  (struct ibv_comp_channel *, struct ibv_cq **, void **)) \
	X(REQUIRED, void, ack_cq_events, "ibv_ack_cq_events", \
	  (struct ibv_cq *, unsigned int)) \
	X(REQUIRED, struct ibv_qp *, create_qp, "ibv_create_qp", \
	  (struct ibv_pd *, struct ibv_qp_init_attr *)) \
	X(REQUIRED, int, modify_qp, "ibv_modify_qp", \
	  (struct ibv_qp *, struct ibv_qp_attr *, int)) \
	X(REQUIRED, int, destroy_qp, "ibv_destroy_qp", (struct ibv_qp *)) \
	X(REQUIRED, int, get_async_event, "ibv_get_async_event", \
	  (struct ibv_context *, struct ibv_async_event *)) \
	X(REQUIRED, void, ack_async_event, "ibv_ack_async_event", \
	  (struct ibv_async_event *)) \
	X(OPTIONAL, struct ibv_mr *, reg_mr_iova2, "ibv_reg_mr_iova2", \
	  (struct ibv_pd *, void *, size_t, uint64_t, unsigned int)) \
	X(OPTIONAL, struct ibv_mr *, reg_dmabuf_mr, "ibv_reg_dmabuf_mr", \
	  (struct ibv_pd *, uint64_t, size_t, uint64_t, int, int))

struct devlibs_verbs {
	void *so;		/* NULL: not loaded */
	int missing_required;
	int missing_optional;
#define X(need, type, member, symbol, args) type (*member) args;
	DEVLIBS_VERBS(X)
#undef X
};

#endif
