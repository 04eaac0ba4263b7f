/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "checks/probe_low.h"

#include <stddef.h>

const char *low_warns(const struct low_rate *l)
{
	if (l->excuse[0][0])
		return l->excuse[0];
	if (!l->known_model)
		return "of a model without a profile";
	if (!l->repeated)
		return "to be repeated";
	if (!l->measured_again)
		return "and the repeat was not done";
	if (l->excuse[1][0])
		return l->excuse[1];
	return l->again == YARD_LOW ? NULL : LOW_UNCONFIRMED;
}

bool low_is_doubted(const struct low_rate *l)
{
	return l->known_model && !l->excuse[0][0] && !l->repeated;
}

bool low_is_basis(enum yard_sense sense)
{
	return sense == YARD_GOOD || sense == YARD_NOTHING;
}
