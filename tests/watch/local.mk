# SPDX-License-Identifier: Apache-2.0
# The sampler on a simulated node, in real time: Python, TAP by tap.py.
watch_tests =
watch_tests += tests/watch/events.py
watch_tests += tests/watch/files.py
watch_tests += tests/watch/lifetime.py
watch_tests += tests/watch/sampling.py
watch_tests += tests/watch/sharing.py
watch_tests += tests/watch/story.py

TESTS += $(watch_tests)
EXTRA_DIST += $(watch_tests)
EXTRA_DIST += tests/watch/node.py
tests/watch/events.log: assay-watch assay-prolog assay-epilog
tests/watch/files.log: assay-watch assay-prolog assay-epilog
tests/watch/lifetime.log: assay-watch assay-prolog assay-epilog
tests/watch/sampling.log: assay-watch assay-prolog assay-epilog
tests/watch/sharing.log: assay-watch assay-prolog assay-epilog
tests/watch/story.log: assay-watch assay-prolog assay-epilog
