// SPDX-License-Identifier: MIT
/*
 * Files of every format that applications read, mutated and cut off: none makes a reader
 * crash or hang, and each that is refused is so in one printable line with the file's name,
 * and where it is text the line's number. LOADER_SEED=N and LOADER_CASES=N, of each format,
 * take other files than those of `make check`.
 */
#include "tests/unit/unit.h"

#include <ctype.h>
#include <sys/stat.h>
#include <sys/mman.h>
#include <zlib.h>
#include <zstd.h>

#include "tools/apps/common/graph/graph_load.h"
#include "tools/apps/common/npy.h"
#include "tools/apps/common/random.h"
#include "tools/apps/dlrm/samples.h"
#include "tools/apps/mlp/idx.h"
#include "tools/tool.h"

#define MOST_BYTES (1u << 20)

struct bytes {
	size_t length;
	char at[MOST_BYTES];
};

/* A kind of file. `make` writes a good one, some number of them. */
struct format {
	const char *name;	/* and how the file is called */
	void (*make)(struct bytes *file, uint64_t number);
	int (*load)(const char *path);
	bool text;		/* its lines have numbers */
	const char *folder;	/* it is one file of this folder of the tests' */
	unsigned int share;	/* of the cases, one in so many */
};

static char work[] = "/tmp/loaders.XXXXXX";
static uint64_t drawn;	/* numbers so far */
static uint64_t seed_of_all;

static uint64_t draw(uint64_t below)
{
	return app_random_below(app_random(seed_of_all, 1, drawn++), below);
}

__attribute__((format(printf, 2, 3)))
static void add(struct bytes *file, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	file->length += (size_t)vsnprintf(file->at + file->length,
					  MOST_BYTES - file->length, format, args);
	va_end(args);
	assert_true(file->length < MOST_BYTES);
}

static void add_bytes(struct bytes *file, const void *bytes, size_t length)
{
	assert_true(length <= MOST_BYTES - file->length);
	memcpy(file->at + file->length, bytes, length);
	file->length += length;
}

/* --- good files --- */

static void make_mtx(struct bytes *file, uint64_t number)
{
	static const char *const kinds[] = {
		"pattern symmetric", "real general", "complex hermitian",
	};
	static const char *const values[] = { "", " 0.25", " 1e3 -2" };

	add(file, "%%%%MatrixMarket matrix coordinate %s\n%% a comment\n\n9 9 12\n",
	    kinds[number % 3]);
	for (unsigned int i = 0; i < 12; i++)
		add(file, "%u %u%s\n", 1 + (unsigned int)draw(9),
		    1 + (unsigned int)draw(9), values[number % 3]);
}

static void make_snap_of(struct bytes *file, unsigned int edges, uint64_t ids)
{
	add(file, "# Nodes: 9 Edges: %u\n", edges);
	for (unsigned int i = 0; i < edges; i++)
		add(file, "%u%s%u\n", (unsigned int)draw(ids), i % 2 ? "\t" : " ",
		    (unsigned int)draw(ids));
}

static void make_snap(struct bytes *file, uint64_t number)
{
	make_snap_of(file, 15, number % 2 ? 30 : UINT32_MAX);
}

/* what threads read */
static void make_large(struct bytes *file, uint64_t number)
{
	make_snap_of(file, 9000, number % 2 ? 3000 : UINT32_MAX);
}

static void make_metis(struct bytes *file, uint64_t number)
{
	if (number % 2)
		add(file, "%% a ring\n6 6\n");
	else
		add(file, "6 6 111 2\n");
	for (unsigned int v = 0; v < 6; v++) {
		if (number % 2)
			add(file, "%u %u\n", (v + 1) % 6 + 1, (v + 5) % 6 + 1);
		else
			add(file, "7 1 2 %u 5 %u 5\n", (v + 1) % 6 + 1, (v + 5) % 6 + 1);
	}
}

/* One of WordNet's files: synsets that point to each other. */
static void make_wordnet(struct bytes *file, uint64_t number)
{
	size_t first[3];

	(void)number;
	add(file, "  1 a licence\n");
	for (unsigned int i = 0; i < 3; i++) {
		first[i] = file->length;
		add(file, "%08zu 02 r 02 ever 0 so 1 002 ! %08zu r 0101 \\ %08zu r 0000 | a gloss; \"so\"\n",
		    first[i], first[0], first[i]);
	}
}

static void make_tsv(struct bytes *file, uint64_t number)
{
	for (unsigned int line = 0; line < 4; line++) {
		add(file, "%u", line % 2);
		for (unsigned int i = 0; i < 13; i++)
			add(file, draw(4) ? "\t%d" : "\t", (int)draw(3000) - 20);
		for (unsigned int i = 0; i < 26; i++)
			add(file, draw(4) ? "\t%08x" : "\t", (unsigned int)draw(UINT32_MAX));
		add(file, number % 2 ? "\r\n" : "\n");
	}
}

static void make_npy(struct bytes *file, uint64_t number)
{
	static const uint32_t values[12] = { 1, 2, 0x7f7fffff, 0x80000000 };
	size_t header = file->length;

	add_bytes(file, "\x93NUMPY\1\0\x76\0", 10);
	add(file, "{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }",
	    number % 2 ? "3, 4" : "12, 1");
	while (file->length < header + 127)
		add(file, " ");
	add(file, "\n");
	add_bytes(file, values, sizeof(values));
}

static void make_idx(struct bytes *file, uint64_t number)
{
	static const uint8_t images[16 + 2 * 3 * 4] = {
		[2] = 8, [3] = 3, [7] = 2, [11] = 3, [15] = 4,
	};

	(void)number;
	add_bytes(file, images, sizeof(images));
}

static void make_gzip(struct bytes *file, uint64_t number)
{
	static struct bytes plain;
	z_stream z = { 0 };

	plain.length = 0;
	make_snap(&plain, number);
	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8,
				      Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (Bytef *)plain.at;
	z.avail_in = (uInt)plain.length;
	z.next_out = (Bytef *)file->at;
	z.avail_out = MOST_BYTES;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	file->length = z.total_out;
	deflateEnd(&z);
}

static void make_zstd(struct bytes *file, uint64_t number)
{
	static struct bytes plain;

	plain.length = 0;
	make_snap(&plain, number);
	file->length = ZSTD_compress(file->at, MOST_BYTES, plain.at, plain.length, 3);
	assert_false(ZSTD_isError(file->length));
}

/* --- readers --- */

static int load_graph(const char *path)
{
	const struct graph_wish wish = {
		.path = path, .threads = 3, .directed = draw(2),
	};
	struct graph graph;
	int ret = graph_load(&wish, &graph);

	if (!ret)
		graph_free(&graph);
	return ret;
}

static int load_tsv(const char *path)
{
	struct dlrm_samples samples;
	uint32_t rows[DLRM_MAX_TABLES];
	int ret;

	for (unsigned int i = 0; i < DLRM_MAX_TABLES; i++)
		rows[i] = 1 + i * 7;
	ret = dlrm_read_tsv(path, rows, 1000, &samples);
	dlrm_samples_free(&samples);
	return ret;
}

static int load_npy(const char *path)
{
	struct npy npy;
	int ret = npy_load(path, "<f4", NPY_ANY, NPY_ANY, &npy);

	free(npy.data);
	return ret;
}

static int load_idx(const char *path)
{
	struct idx idx;
	int ret = idx_load(path, 3, &idx);

	free(idx.data);
	return ret;
}

static const struct format formats[] = {
	{ "matrix.mtx", make_mtx, load_graph, true, NULL, 1 },
	{ "snap", make_snap, load_graph, true, NULL, 1 },
	{ "large", make_large, load_graph, true, NULL, 8 },
	{ "mesh.graph", make_metis, load_graph, true, NULL, 1 },
	{ "data.adv", make_wordnet, load_graph, true, "wn", 1 },
	{ "samples.tsv", make_tsv, load_tsv, true, NULL, 1 },
	{ "snap.gz", make_gzip, load_graph, true, NULL, 1 },
	{ "snap.zst", make_zstd, load_graph, true, NULL, 1 },
	{ "matrix.npy", make_npy, load_npy, false, NULL, 1 },
	{ "images", make_idx, load_idx, false, NULL, 1 },
};

/* --- mutations --- */

static void cut(struct bytes *file, size_t from, size_t length)
{
	memmove(file->at + from, file->at + from + length,
		file->length - from - length);
	file->length -= length;
}

static void insert(struct bytes *file, size_t at, const void *what, size_t length)
{
	if (length > MOST_BYTES - file->length)
		return;
	memmove(file->at + at + length, file->at + at, file->length - at);
	memcpy(file->at + at, what, length);
	file->length += length;
}

/* Another number in the place of one behind here. */
static void change_number(struct bytes *file, size_t at)
{
	static const char *const numbers[] = {
		"0", "-1", "4294967295", "4294967296", "18446744073709551615",
		"18446744073709551616", "99999999999999999999999", "1e9", "nan", "",
	};
	const char *number = numbers[draw(ARRAY_SIZE(numbers))];
	size_t digits = 0;

	while (at < file->length && !isdigit((unsigned char)file->at[at]))
		at++;
	while (at + digits < file->length && isdigit((unsigned char)file->at[at + digits]))
		digits++;
	cut(file, at, digits);
	insert(file, at, number, strlen(number));
}

static void mutate(struct bytes *file)
{
	static const char bytes[] = "\0\n\r\t %#|-9a\x7f\xff";
	static char run[70000];
	size_t at = draw(file->length + 1), left = file->length - at;
	size_t length = draw((left < 40 ? left : 40) + 1);

	switch (draw(8)) {
	case 0:
		file->at[at] = (char)(file->at[at] ^ 1 << draw(8));
		break;
	case 1:
		file->at[at] = bytes[draw(sizeof(bytes) - 1)];
		break;
	case 2:
		cut(file, at, length);
		break;
	case 3:
		memcpy(run, file->at + at, length);
		insert(file, draw(file->length + 1), run, length);
		break;
	case 4:
		file->length = at;
		break;
	case 5:
		insert(file, at, &bytes[draw(sizeof(bytes) - 1)], 1);
		break;
	case 6:
		/* a line without an end, now and then */
		memset(run, bytes[draw(sizeof(bytes) - 1)], sizeof(run));
		insert(file, at, run, draw(4) ? length : sizeof(run));
		break;
	default:
		change_number(file, at);
	}
}

/* --- cases --- */

static void path_of(const struct format *format, char *path, size_t bytes)
{
	snprintf(path, bytes, "%s%s%s/%s", work, format->folder ? "/" : "",
		 format->folder ? format->folder : "", format->name);
}

static void put_file(const char *path, const struct bytes *file)
{
	FILE *stream = fopen(path, "w");

	assert_non_null(stream);
	assert_int_equal(fwrite(file->at, 1, file->length, stream), file->length);
	assert_int_equal(fclose(stream), 0);
}

/* What is said of a file: a line, its name, the number of a line if it has any. */
static bool is_told(const struct format *format, const char *said, const char *path)
{
	size_t length = strlen(said), named = strlen("pimdimm: ") + strlen(path);
	const char *at = said + named;

	if (length <= named || said[length - 1] != '\n' ||
	    strncmp(said, "pimdimm: ", 9) || strncmp(said + 9, path, strlen(path)))
		return false;
	for (const char *c = said; c < said + length - 1; c++) {
		if (*c < ' ' || *c > '~')
			return false;
	}
	if (!format->text)
		return !strncmp(at, ": ", 2);
	if (*at++ != ':' || !isdigit((unsigned char)*at))
		return false;
	return !strncmp(at + strspn(at, "0123456789"), ": ", 2);
}

/* Reads it with what is said kept; how it ended. */
static int load_quietly(const struct format *format, const char *path, char *said,
			size_t bytes)
{
	int kept = dup(STDERR_FILENO), fd = memfd_create("said", MFD_CLOEXEC), ret;
	char folder[64];
	ssize_t length;

	assert_true(kept >= 0 && fd >= 0);
	snprintf(folder, sizeof(folder), "%s/%s", work,
		 format->folder ? format->folder : "");
	dup2(fd, STDERR_FILENO);
	ret = format->load(format->folder ? folder : path);
	dup2(kept, STDERR_FILENO);
	length = pread(fd, said, bytes - 1, 0);
	assert_true(length >= 0);
	said[length] = '\0';
	close(kept);
	close(fd);
	return ret;
}

/* A file that is read, or refused; it stays where it is if neither is done well. */
static bool take_case(const struct format *format, uint64_t number, bool good)
{
	static struct bytes file;
	char path[64], said[2048];
	int ret;

	drawn = number << 32;
	file.length = 0;
	format->make(&file, number);
	for (uint64_t i = draw(2) + 1; !good && i; i--)
		mutate(&file);
	path_of(format, path, sizeof(path));
	put_file(path, &file);
	ret = load_quietly(format, path, said, sizeof(said));
	if (good ? ret || *said : ret ? !is_told(format, said, path) : *said != '\0')
		fail_msg("%s, case %u: %d after: %s", path, (unsigned int)number, ret, said);
	return ret;
}

static uint64_t number_of(const char *variable, uint64_t otherwise)
{
	const char *text = getenv(variable);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

/* The other three files of WordNet are good ones. */
static void make_folder(void)
{
	static const char *const names[] = { "noun", "verb", "adj" };
	static const char parts[] = "nva";
	char path[64];

	snprintf(path, sizeof(path), "%s/wn", work);
	assert_int_equal(mkdir(path, 0700), 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct bytes *file = calloc(1, sizeof(*file));

		snprintf(path, sizeof(path), "%s/wn/data.%s", work, names[i]);
		add(file, "00000000 02 %c 01 so 0 000 | a gloss\n", parts[i]);
		put_file(path, file);
		free(file);
	}
}

static int begin(void **state)
{
	(void)state;
	seed_of_all = number_of("LOADER_SEED", 1);
	print_message("# seed %llu\n", (unsigned long long)seed_of_all);
	if (!mkdtemp(work))
		return -1;
	make_folder();
	/* what hangs ends here */
	alarm(500);
	return 0;
}

static int end(void **state)
{
	static const char *const others[] = { "wn/data.noun", "wn/data.verb", "wn/data.adj" };
	char path[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		path_of(&formats[i], path, sizeof(path));
		unlink(path);
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		snprintf(path, sizeof(path), "%s/%s", work, others[i]);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/wn", work);
	rmdir(path);
	rmdir(work);
	return 0;
}

static void mutations(void **state)
{
	uint64_t cases = number_of("LOADER_CASES", 250);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		uint64_t count = cases / formats[i].share, refused = 0;

		for (uint64_t number = 0; number < 6; number++)
			take_case(&formats[i], number, true);
		for (uint64_t number = 0; number < count; number++)
			refused += take_case(&formats[i], number, false);
		print_message("# %s: %llu of %llu refused\n", formats[i].name,
			      (unsigned long long)refused, (unsigned long long)count);
		/* mutations do spoil files */
		assert_true(refused > count / 10);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(mutations),
};

int main(void)
{
	unit_start();
	return cmocka_run_group_tests(tests, begin, end);
}
