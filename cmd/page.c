/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "cmd/page.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

void page_text(FILE *f, int indent, const char *text)
{
	int column = indent;
	bool first = true;
	int len;

	for (; *text; text += len) {
		text += strspn(text, " \n");
		len = (int)strcspn(text, " \n");
		if (!len)
			break;
		if (!first && column + 1 + len > PAGE_WIDTH) {
			fprintf(f, "\n%*s", indent, "");
			column = indent;
			first = true;
		}
		column += fprintf(f, "%s%.*s", first ? "" : " ", len, text);
		first = false;
	}
	fputc('\n', f);
}

void page_item(FILE *f, int indent, const char *label, const char *text)
{
	if (fprintf(f, "%-*s", indent, label) > indent)
		fprintf(f, "\n%*s", indent, "");
	page_text(f, indent, text);
}

void page_itemf(FILE *f, int indent, const char *label, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	page_item(f, indent, label, text);
}
