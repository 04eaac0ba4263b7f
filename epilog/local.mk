# SPDX-License-Identifier: Apache-2.0
pkglibexec_PROGRAMS += assay-epilog
assay_epilog_SOURCES = epilog/main.c
assay_epilog_LDADD = $(WATCH_LIBS) $(REPORT_LIBS) libchecks.a $(ASSAY_LIBS)

# What is made of a job's story; pure. The Epilog, the sampler and the command
# are linked with it.
noinst_LIBRARIES += libreport.a
REPORT_LIBS = libreport.a

# For those who write or read an AdminComment.
JS1_LIBS = $(ZLIB_LIBS)
libreport_a_SOURCES = epilog/story.h
libreport_a_SOURCES += epilog/advice.c
libreport_a_SOURCES += epilog/blame.c
libreport_a_SOURCES += epilog/block.c epilog/block.h
libreport_a_SOURCES += epilog/block_found.c
libreport_a_SOURCES += epilog/block_host.c
libreport_a_SOURCES += epilog/block_job.c
libreport_a_SOURCES += epilog/block_line.c
libreport_a_SOURCES += epilog/block_private.h
libreport_a_SOURCES += epilog/clients.c epilog/clients.h
libreport_a_SOURCES += epilog/gate_rows.c epilog/gate_rows.h
libreport_a_SOURCES += epilog/block.h
libreport_a_SOURCES += epilog/job_metrics.c epilog/job_metrics.h
libreport_a_SOURCES += epilog/job_metrics_file.c
libreport_a_SOURCES += epilog/js1.c epilog/js1.h epilog/js1_private.h
libreport_a_SOURCES += epilog/js1_check.c
libreport_a_SOURCES += epilog/js1_gpus.c
libreport_a_SOURCES += epilog/js1_nodes.c
libreport_a_SOURCES += epilog/js1_own.c
libreport_a_SOURCES += epilog/js1_record.c
libreport_a_SOURCES += epilog/js1_text.c
libreport_a_SOURCES += epilog/members.c epilog/members.h
libreport_a_SOURCES += epilog/merge.c epilog/merge.h
libreport_a_SOURCES += epilog/merge_stalls.c epilog/merge_stalls.h
libreport_a_SOURCES += epilog/outlier.c epilog/outlier.h
libreport_a_SOURCES += epilog/comment.c epilog/comment.h
libreport_a_SOURCES += epilog/comment_run.c
libreport_a_SOURCES += epilog/queue.c epilog/queue.h
libreport_a_SOURCES += epilog/records.c epilog/records.h
libreport_a_SOURCES += epilog/section_fabric.c
libreport_a_SOURCES += epilog/section_gpus.c
libreport_a_SOURCES += epilog/section_where.c
libreport_a_SOURCES += epilog/sections.h
libreport_a_SOURCES += epilog/series.c epilog/series.h
libreport_a_SOURCES += epilog/sheet.c epilog/sheet.h
libreport_a_SOURCES += epilog/sheet_read.c
libreport_a_SOURCES += epilog/sheet_record.c
libreport_a_SOURCES += epilog/sheet_rows.c
libreport_a_SOURCES += epilog/slow.c
libreport_a_SOURCES += epilog/summary.c epilog/summary.h
libreport_a_SOURCES += epilog/summary_faults.c
libreport_a_SOURCES += epilog/summary_gate.c
libreport_a_SOURCES += epilog/summary_gpu.c
libreport_a_SOURCES += epilog/summary_host.c
libreport_a_SOURCES += epilog/summary_private.h
libreport_a_SOURCES += epilog/summary_stalls.c
libreport_a_SOURCES += epilog/summary_thirds.c
libreport_a_SOURCES += epilog/summary_where.c
libreport_a_SOURCES += epilog/totals.c
libreport_a_SOURCES += epilog/html.c epilog/html.h epilog/html_page.h epilog/html_style.h
libreport_a_SOURCES += epilog/html_heat.c
libreport_a_SOURCES += epilog/html_lanes.c
libreport_a_SOURCES += epilog/html_page.c
libreport_a_SOURCES += epilog/publisher.c epilog/publisher.h
libreport_a_SOURCES += epilog/spool.c epilog/spool.h
libreport_a_SOURCES += epilog/spool_prune.c
