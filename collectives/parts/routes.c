// SPDX-License-Identifier: MIT
/*
 * Who hands an item to whom. Accumulators go from host to host in their order. What is to
 * come to many hosts goes to one host of each machine, which hands it on to the machine's
 * others: from who has it to all of these at once, or to one after the other. What is handed
 * on goes to hosts of higher numbers alone, so that nobody waits in a circle.
 */
#include "collectives/parts/routes.h"

void pc_routes_begin(struct pc_routes *r, const struct pc_call *call)
{
	r->call = call;
	r->set = PC_NOBODY;
}

static void find_hosts(struct pc_routes *r, uint32_t set)
{
	const struct pc_crew *crew = r->call->req->crew;
	const uint32_t *machines = crew->mail->machines;
	uint32_t first, end;

	if (r->set == set)
		return;
	r->set = set;
	r->hosts = 0;
	for (uint32_t i = 0; i < crew->hosts; i++) {
		pc_crew_egs_of(crew, i, r->call->req->shape, set, &first, &end);
		if (first < end)
			r->host[r->hosts++] = i;
	}
	for (uint32_t i = 0; i < r->hosts; i++) {
		r->leads[i] = true;
		for (uint32_t j = 0; j < i; j++)
			r->leads[i] &= machines[r->host[j]] != machines[r->host[i]];
	}
}

static void fold_route(const struct pc_routes *r, uint32_t me, struct pc_route *route)
{
	for (uint32_t i = 0; i < r->hosts; i++) {
		if (r->host[i] != me)
			continue;
		route->folds = true;
		route->fold_from = i ? r->host[i - 1] : PC_NOBODY;
		route->fold_to = i + 1 < r->hosts ? r->host[i + 1] : PC_NOBODY;
	}
}

static void add_host(struct pc_route *route, uint32_t to)
{
	route->to[route->hosts++] = to;
}

/* To the others of a host's machine, who has it and hands it over. */
static void to_locals(const struct pc_routes *r, uint32_t from, struct pc_route *route)
{
	const uint32_t *machines = r->call->req->crew->mail->machines;

	for (uint32_t i = 0; i < r->hosts; i++) {
		if (r->host[i] != from && machines[r->host[i]] == machines[from])
			add_host(route, r->host[i]);
	}
}

/* To other machines' leaders than of who has it first, from place `at` on: all, or one. */
static void to_leaders(const struct pc_routes *r, uint32_t from, uint32_t at, bool all,
		       struct pc_route *route)
{
	const uint32_t *machines = r->call->req->crew->mail->machines;

	for (uint32_t i = at; i < r->hosts; i++) {
		if (machines[r->host[i]] == machines[from] || !r->leads[i])
			continue;
		add_host(route, r->host[i]);
		if (!all)
			return;
	}
}

/* Of whom a host gets it: `i` is its place among those that do. */
static void come_from(const struct pc_routes *r, const struct pc_errand *e, uint32_t from,
		      uint32_t i, struct pc_route *route)
{
	const uint32_t *machines = r->call->req->crew->mail->machines;
	const uint32_t machine = machines[r->host[i]];

	route->from = from;
	route->way = PC_MAIL_FIRST;
	if (machine == machines[from])
		return;
	for (uint32_t j = i; j--;) {
		const bool leader = r->leads[j];

		if (r->leads[i] ? leader && !e->spreads && machines[r->host[j]] != machines[from] :
				      leader && machines[r->host[j]] == machine) {
			route->from = r->host[j];
			route->way = PC_MAIL_ONWARD;
			return;
		}
	}
}

static void route_to_all(const struct pc_routes *r, const struct pc_errand *e, uint32_t from,
			 uint32_t me, struct pc_route *route)
{
	const uint32_t *machines = r->call->req->crew->mail->machines;

	for (uint32_t i = 0; i < r->hosts; i++)
		route->takes = route->takes || r->host[i] == me;
	if (me == from) {
		to_locals(r, me, route);
		to_leaders(r, me, 0, e->spreads, route);
		return;
	}
	for (uint32_t i = 0; i < r->hosts; i++) {
		if (r->host[i] != me)
			continue;
		come_from(r, e, from, i, route);
		if (machines[me] == machines[from] || !r->leads[i])
			continue;
		to_locals(r, me, route);
		if (!e->spreads)
			to_leaders(r, from, i + 1, false, route);
	}
}

static void route_to_one(const struct pc_errand *e, uint32_t from, uint32_t me,
			 struct pc_route *route)
{
	route->takes = e->to == me;
	if (me == from && !route->takes)
		add_host(route, e->to);
	if (me != from && route->takes) {
		route->from = from;
		route->way = PC_MAIL_FIRST;
	}
}

bool pc_routes_find(struct pc_routes *r, const struct pc_errand *e, struct pc_route *route)
{
	const uint32_t me = r->call->req->crew->host;
	uint32_t from;

	find_hosts(r, e->set);
	from = e->folds ? r->host[r->hosts - 1] : e->from;
	route->folds = route->takes = false;
	route->hosts = 0;
	route->fold_from = route->fold_to = route->from = PC_NOBODY;
	route->makes = me == from;
	route->to_way = route->makes ? PC_MAIL_FIRST : PC_MAIL_ONWARD;
	if (e->folds)
		fold_route(r, me, route);
	if (e->to == PC_EVERYBODY)
		route_to_all(r, e, from, me, route);
	else
		route_to_one(e, from, me, route);
	return route->folds || route->makes || route->takes;
}
