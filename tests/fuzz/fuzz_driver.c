/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define INPUT_MAX 16384
#define SEEDS_MAX 64
#define SLOW_S 10

struct input {
	size_t len;
	uint8_t byte[INPUT_MAX];
};

static struct input seed[SEEDS_MAX];
static int seeds;
static uint64_t random_state;

static uint64_t next_random(void)
{
	/* splitmix64: any state is good, so runs can be numbered. */
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* 0 <= result < n; n > 0 */
static size_t below(size_t n)
{
	return (size_t)(next_random() % n);
}

/* Put len bytes in at a random place, as far as there is room. */
static void insert(struct input *in, const void *bytes, size_t len)
{
	size_t at = below(in->len + 1);

	if (len > INPUT_MAX - in->len)
		return;
	memmove(in->byte + at + len, in->byte + at, in->len - at);
	memcpy(in->byte + at, bytes, len);
	in->len += len;
}

static void cut(struct input *in)
{
	size_t at = below(in->len);
	size_t len = 1 + below(in->len - at);

	memmove(in->byte + at, in->byte + at + len, in->len - at - len);
	in->len -= len;
}

static void insert_word(struct input *in)
{
	size_t n = 0;
	const char *word;

	while (fuzz_words[n])
		n++;
	if (!n)
		return;
	word = fuzz_words[below(n)];
	insert(in, word, strlen(word));
}

static void insert_run(struct input *in)
{
	uint8_t run[300];

	memset(run, (int)below(256), sizeof(run));
	insert(in, run, 1 + below(sizeof(run)));
}

static void insert_other(struct input *in)
{
	const struct input *other = &seed[below((size_t)seeds)];
	size_t at = below(other->len + 1);

	insert(in, other->byte + at, below(other->len - at + 1));
}

static void mutate(struct input *in)
{
	size_t times = 1 + below(6);

	while (times--) {
		switch (below(in->len ? 7 : 4)) {
		case 0:
			insert_word(in);
			break;
		case 1:
			insert_run(in);
			break;
		case 2:
			insert_other(in);
			break;
		case 3:
			insert(in, "\0\xff\n\r" + below(4), 1);
			break;
		case 4:
			in->byte[below(in->len)] ^= (uint8_t)(1 << below(8));
			break;
		case 5:
			in->byte[below(in->len)] = (uint8_t)below(256);
			break;
		case 6:
			cut(in);
			break;
		}
	}
}

static bool load(const char *dir, const char *name, struct input *in)
{
	char path[PATH_MAX + 256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "rb");
	if (!f)
		return false;
	in->len = fread(in->byte, 1, INPUT_MAX, f);
	fclose(f);
	return true;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void load_all(const char *dir)
{
	struct dirent **name = NULL;
	int n = scandir(dir, &name, NULL, by_name);
	int i;

	for (i = 0; i < n; i++) {
		if (name[i]->d_name[0] != '.' && seeds < SEEDS_MAX &&
		    load(dir, name[i]->d_name, &seed[seeds]))
			seeds++;
		free(name[i]);
	}
	free(name);
}

/* An exact copy, so that the sanitizer sees a read behind the end. */
static void run(const struct input *in)
{
	uint8_t *copy = malloc(in->len ? in->len : 1);

	FUZZ_HOLDS(copy);
	memcpy(copy, in->byte, in->len);
	alarm(SLOW_S);
	LLVMFuzzerTestOneInput(copy, in->len);
	alarm(0);
	free(copy);
}

static unsigned long number(const char *name, unsigned long def)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 10) : def;
}

static unsigned long current;

static void tell(int sig)
{
	char text[100];
	int len = snprintf(text, sizeof(text),
			   "Bail out! signal %d in run FUZZ_FROM=%lu\n", sig,
			   current);

	if (write(STDOUT_FILENO, text, (size_t)len) < 0)
		_exit(2);
	signal(sig, SIG_DFL);
	raise(sig);
}

int main(void)
{
	const char *top = getenv("SRCDIR");
	unsigned long from = number("FUZZ_FROM", 0);
	unsigned long runs = number("FUZZ_RUNS", 1000);
	unsigned long base = number("FUZZ_SEED", 1);
	static struct input in;
	char dir[PATH_MAX];
	int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGALRM, tell);
	signal(SIGABRT, tell);
	signal(SIGSEGV, tell);
	snprintf(dir, sizeof(dir), "%s/tests/fuzz/corpus/%s", top ? top : ".",
		 fuzz_name);
	load_all(dir);
	printf("1..2\n%sok 1 - %s: corpus of %d\n", seeds ? "" : "not ",
	       fuzz_name, seeds);
	for (i = 0; i < seeds; i++)
		run(&seed[i]);
	for (current = from; seeds && current < from + runs; current++) {
		random_state = base * UINT64_C(1000003) + current;
		in = seed[below((size_t)seeds)];
		mutate(&in);
		run(&in);
	}
	printf("ok 2 - %s: %lu mutations of seed %lu\n", fuzz_name, runs,
	       base);
	return seeds ? 0 : 1;
}
