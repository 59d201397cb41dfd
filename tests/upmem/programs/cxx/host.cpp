// SPDX-License-Identifier: MIT
/*
 * The host interface for C++: sets, loading, copying and asynchronous launches as
 * objects.
 */
#include <algorithm>
#include <atomic>
#include <dpu>
#include <iostream>
#include <numeric>
#include <sstream>
#include <stdexcept>

using namespace dpu;

static unsigned failures;

static void check(bool good, const char *what)
{
	if (good)
		return;
	std::cout << "not so: " << what << std::endl;
	failures++;
}

static uint32_t sum(const std::vector<uint32_t> &results)
{
	return std::accumulate(results.begin(), results.end(), 0u);
}

/* sets as members, moved about with what has them */
struct Group {
	explicit Group(unsigned nrDpus) : set(DpuSet::allocate(nrDpus))
	{
	}

	Group(Group &&) noexcept = default;
	Group &operator=(Group &&) noexcept = default;

	DpuSet set;
};

/* a copy is the same set, which lives as long as the last of them */
static void copies()
{
	std::vector<Group> groups;
	std::vector<uint64_t> seed = { 1 };
	std::vector<std::vector<uint64_t>> back(2, std::vector<uint64_t>(1));

	for (unsigned i = 0; i < 3; i++)
		groups.emplace_back(i + 1);
	groups[2] = Group(2);
	for (size_t i = 0; i < groups.size(); i++)
		check(groups[i].set.dpus().size() == std::min<size_t>(i + 1, 2), "DPUs of a set that was moved");

	DpuSet copy = groups[1].set;
	auto async = groups[1].set.async();

	copy.load("bin/checksum.dpu");
	groups.clear();
	seed[0] = 77;
	async.copy("seed", seed);
	async.call([&](DpuSet &, unsigned) { seed[0]++; });
	async.sync();
	copy.copy(back, "seed");
	check(back[0][0] == 77 && back[1][0] == 77 && seed[0] == 78, "the copy of a set");
	copy = DpuSet::allocate(1);
	check(copy.dpus().size() == 1 && copy.ranks().size() == 1, "another set in its place");
}

int main()
try {
	copies();

	auto system = DpuSet::allocate(NR_DPUS, "nrJobsPerRank=32");
	auto program = system.load("bin/checksum.dpu");
	const auto nrDpus = system.dpus().size();
	std::vector<uint8_t> buffer(4096);
	std::vector<uint64_t> seed = { 5 };
	std::vector<std::vector<uint8_t>> own(nrDpus, std::vector<uint8_t>(256, 1));
	std::vector<std::vector<uint32_t>> results(nrDpus, std::vector<uint32_t>(NR_TASKLETS));
	std::atomic<unsigned> calls(0), visited(0);
	uint32_t expected = 5;

	check(nrDpus == NR_DPUS, "as many DPUs as were asked for");
	check(system.ranks().size() == (NR_DPUS + 63) / 64, "as many ranks as these need");
	for (size_t i = 0; i < buffer.size(); i++)
		expected += buffer[i] = static_cast<uint8_t>(i * 7);
	system.copy("buffer", buffer);
	system.copy("seed", 0, seed);
	system.exec();
	system.copy(results, "results");
	for (auto &result : results)
		check(sum(result) == expected, "checksum");

	/* the same, queued, with other bytes in the first block */
	for (size_t i = 0; i < 256; i++)
		expected += 1 - buffer[i];
	auto symbol = program.get("buffer");
	auto async = system.async();
	async.copy(symbol, 0, own);
	async.exec();
	async.call([&](DpuSet &rank, unsigned index) {
		calls++;
		visited += static_cast<unsigned>(rank.dpus().size()) + 0 * index;
		rank.exec();
	});
	async.call([&](DpuSet &set, unsigned) { visited += 1000 * static_cast<unsigned>(set.ranks().size()); }, true, true);
	async.copy(results, NR_TASKLETS * sizeof(uint32_t), "results");
	async.sync();
	for (auto &result : results)
		check(sum(result) == expected, "checksum of other bytes");
	check(calls == system.ranks().size(), "a call for each rank");
	check(visited == nrDpus + 1000 * system.ranks().size(), "all DPUs in the calls");

	/* one DPU, its log, what it says of errors */
	std::ostringstream log;
	system.dpus().back()->log(log);
	check(log.str().find("checksum of 4096 bytes\n") != std::string::npos, "log");
	check(log.str().find("=== DPU#0x") == 0, "heading of the log");
	try {
		program.get("nothing");
		check(false, "an exception");
	} catch (const DpuError &error) {
		check(std::string(error.what()).find("undefined symbol") == 0, "its text");
	}
	try {
		own[0].resize(8);
		if (nrDpus > 1)
			system.copy("buffer", own);
		else
			throw std::runtime_error("one DPU has no differing sizes");
		check(false, "an exception for sizes that differ");
	} catch (const std::exception &) {
	}
	return failures != 0;
} catch (const DpuError &error) {
	std::cout << error.what() << std::endl;
	return 1;
}
