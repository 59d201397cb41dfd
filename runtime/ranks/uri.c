// SPDX-License-Identifier: MIT
/* Parsing URIs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pimdimm/pimdimm_layout.h>

#include "runtime/base/env.h"
#include "runtime/base/error.h"
#include "runtime/ranks/uri.h"

/* one "key=value" of a URI; both point into it */
struct item {
	const char *key, *value;
	int key_len, value_len;
};

static bool key_is(const struct item *item, const char *key)
{
	return (size_t)item->key_len == strlen(key) &&
	       !strncmp(item->key, key, (size_t)item->key_len);
}

static int bad_value(const struct item *item, const char *expected)
{
	return pd_error(EINVAL, "uri: %.*s is \"%.*s\", expected %s",
			item->key_len, item->key, item->value_len, item->value,
			expected);
}

static int parse_count(const struct item *item, uint32_t *count)
{
	uint64_t n;

	if (!pd_parse_number(item->value, (size_t)item->value_len, false,
			     PD_MAX_RANKS, &n) || !n)
		return bad_value(item, "1 to 1024");
	*count = (uint32_t)n;
	return 0;
}

static int parse_mram(const struct item *item, uint64_t *size)
{
	uint64_t n;

	if (!pd_parse_number(item->value, (size_t)item->value_len, true,
			     PIMDIMM_MRAM_MAX, &n) ||
	    n < PIMDIMM_MRAM_MIN || n % PIMDIMM_MRAM_ALIGN)
		return bad_value(item, "a multiple of 4K from 64K to 64M");
	*size = n;
	return 0;
}

static int parse_layout(const struct item *item, uint32_t *layout)
{
	for (uint32_t i = 0; i < PIMDIMM_NR_LAYOUTS; i++) {
		const char *name = pimdimm_layout_name(i);

		if ((size_t)item->value_len == strlen(name) &&
		    !strncmp(item->value, name, (size_t)item->value_len)) {
			*layout = i;
			return 0;
		}
	}
	return bad_value(item, "linear or xeon_sp");
}

static int parse_flag(const struct item *item, bool *flag)
{
	if (item->value_len != 1 ||
	    (item->value[0] != '0' && item->value[0] != '1'))
		return bad_value(item, "0 or 1");
	*flag = item->value[0] == '1';
	return 0;
}

static int parse_text(const struct item *item, const char *expected,
		      char **text)
{
	if (!item->value_len)
		return bad_value(item, expected);
	*text = strndup(item->value, (size_t)item->value_len);
	if (!*text)
		return pd_error(ENOMEM, "uri: no memory for the value of %.*s",
				item->key_len, item->key);
	return 0;
}

/* a key of the geometry, which is told apart from a default */
static int parse_geometry(const struct item *item, struct pd_uri *uri)
{
	if (key_is(item, "ranks")) {
		uri->given |= PD_URI_RANKS;
		return parse_count(item, &uri->ranks);
	}
	if (key_is(item, "channels")) {
		uri->given |= PD_URI_CHANNELS;
		return parse_count(item, &uri->channels);
	}
	if (key_is(item, "mram")) {
		uri->given |= PD_URI_MRAM;
		return parse_mram(item, &uri->mram_size);
	}
	uri->given |= PD_URI_LAYOUT;
	return parse_layout(item, &uri->layout);
}

static int parse_option(const struct item *item, struct pd_uri *uri)
{
	bool mem = uri->scheme == PD_SCHEME_MEM;

	if (key_is(item, "ranks") ||
	    (mem && (key_is(item, "channels") || key_is(item, "mram") ||
		     key_is(item, "layout"))))
		return parse_geometry(item, uri);
	if (key_is(item, "strict"))
		return parse_flag(item, &uri->strict);
	if (mem && key_is(item, "file"))
		return parse_text(item, "the path of a file", &uri->file);
	if (mem && key_is(item, "reserve"))
		return parse_flag(item, &uri->reserve);
	if (!mem && key_is(item, "system"))
		return parse_text(item, "the name of a system, see pimdimm list",
				  &uri->system);
	if (key_is(item, "inject"))
		return parse_text(item, "faults such as fail_nth:3@0",
				  &uri->inject);
	return pd_error(EINVAL, "uri: unknown key \"%.*s\", expected %s",
			item->key_len, item->key,
			mem ? "channels, ranks, mram, layout, file, reserve, strict or inject" :
			      "a node such as /dev/pimdimm0, ranks, system, strict or inject");
}

static int add_node(const char *path, size_t len, struct pd_uri *uri)
{
	char **nodes;

	if (uri->scheme != PD_SCHEME_DEV || path[0] != '/')
		return pd_error(EINVAL, "uri: \"%.*s\" is not %s", (int)len,
				path, uri->scheme == PD_SCHEME_DEV ?
				"an absolute path or key=value" : "key=value");
	if (uri->nr_nodes == PD_MAX_RANKS)
		return pd_error(EINVAL, "uri: more than %d nodes",
				PD_MAX_RANKS);
	nodes = realloc(uri->nodes, (uri->nr_nodes + 1) * sizeof(*nodes));
	if (!nodes)
		return pd_error(ENOMEM, "uri: no memory for node names");
	uri->nodes = nodes;
	nodes[uri->nr_nodes] = strndup(path, len);
	if (!nodes[uri->nr_nodes])
		return pd_error(ENOMEM, "uri: no memory for node names");
	uri->nr_nodes++;
	return 0;
}

static bool key_repeats(const char *start, const struct item *item)
{
	for (const char *p = start; p < item->key; p += strcspn(p, ",") + 1) {
		if (!strncmp(p, item->key, (size_t)item->key_len + 1))
			return true;
	}
	return false;
}

static int parse_item(const char *start, const char *text, size_t len,
		      struct pd_uri *uri)
{
	const char *equals = memchr(text, '=', len);
	struct item item;

	if (!len)
		return pd_error(EINVAL, "uri: an empty item in \"%s\"", start);
	if (!equals)
		return add_node(text, len, uri);
	item = (struct item){
		.key = text,
		.value = equals + 1,
		.key_len = (int)(equals - text),
		.value_len = (int)(len - (size_t)(equals - text) - 1),
	};
	if (key_repeats(start, &item))
		return pd_error(EINVAL, "uri: %.*s is given twice",
				item.key_len, item.key);
	return parse_option(&item, uri);
}

static int parse_items(const char *text, struct pd_uri *uri)
{
	const char *p = text;
	int ret = 0;

	while (*text && !ret) {
		size_t len = strcspn(p, ",");

		ret = parse_item(text, p, len, uri);
		if (!p[len])
			break;
		p += len + 1;
	}
	if (!ret && uri->channels * (uint64_t)uri->ranks > PD_MAX_RANKS)
		ret = pd_error(EINVAL,
			       "uri: channels=%u times ranks=%u is more than %d ranks",
			       uri->channels, uri->ranks, PD_MAX_RANKS);
	if (!ret && uri->system && uri->nr_nodes)
		ret = pd_error(EINVAL,
			       "uri: system is \"%s\" beside the node %s, expected one or the other",
			       uri->system, uri->nodes[0]);
	return ret;
}

int pd_uri_parse(const char *text, struct pd_uri *uri)
{
	int ret;

	*uri = (struct pd_uri){ .channels = 1 };
	if (!strncmp(text, "mem:", 4)) {
		uri->scheme = PD_SCHEME_MEM;
		uri->ranks = 4;
		uri->mram_size = 64 << 20;
	} else if (!strncmp(text, "dev:", 4)) {
		uri->scheme = PD_SCHEME_DEV;
	} else {
		return pd_error(EINVAL,
				"uri is \"%s\", expected mem:... or dev:...",
				text);
	}
	ret = parse_items(text + 4, uri);
	if (ret)
		pd_uri_free(uri);
	return ret;
}

void pd_uri_free(struct pd_uri *uri)
{
	for (uint32_t i = 0; i < uri->nr_nodes; i++)
		free(uri->nodes[i]);
	free(uri->nodes);
	free(uri->file);
	free(uri->system);
	free(uri->inject);
}
