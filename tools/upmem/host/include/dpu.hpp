/* SPDX-License-Identifier: MIT */
/*
 * The host interface for C++: sets that free themselves, vectors for buffers,
 * exceptions for errors. DpuSet waits for each of its operations;
 * DpuSet::async() has the same ones, which join the queues of the ranks.
 * A copy of a DpuSet is the same set, which is freed with the last of them.
 */
#ifndef DPU_HPP
#define DPU_HPP

#include <atomic>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <dpu.h>
#include <dpu_log_internals.h>
#include <dpu_management.h>

namespace dpu
{

const unsigned ALLOCATE_ALL = DPU_ALLOCATE_ALL;

/* what() is the error's text and, where there is one, a sentence */
class DpuError : public std::exception
{
public:
	explicit DpuError(dpu_error_t error) : error_(error)
	{
		char *text = dpu_error_to_string(error);
		const char *detail = dpu_error_detail();

		text_ = text ? text : "unknown error";
		std::free(text);
		if (detail[0])
			text_ += std::string(": ") + detail;
	}

	const char *what() const noexcept override
	{
		return text_.c_str();
	}

	dpu_error_t error() const noexcept
	{
		return error_;
	}

	static void throwOnErr(dpu_error_t error)
	{
		if (error != DPU_OK)
			throw DpuError(error);
	}

private:
	dpu_error_t error_;
	std::string text_;
};

/* an object of a program */
class DpuSymbol
{
	friend class DpuProgram;
	friend class DpuSetOps;

public:
	DpuSymbol(unsigned address, unsigned size)
	{
		symbol_.address = address;
		symbol_.size = size;
	}

private:
	explicit DpuSymbol(const struct dpu_symbol_t &symbol) : symbol_(symbol)
	{
	}

	struct dpu_symbol_t symbol_;
};

class DpuProgram
{
	friend class DpuSet;

public:
	DpuSymbol get(const std::string &name)
	{
		struct dpu_symbol_t symbol;

		DpuError::throwOnErr(
			dpu_get_symbol(program_, name.c_str(), &symbol));
		return DpuSymbol(symbol);
	}

private:
	struct dpu_program_t *program_ = nullptr;
};

class DpuSet;
class DpuSetAsync;

using CallbackFn = std::function<void(DpuSet &, unsigned)>;

/* what sets do at once and, asynchronously, at their turn */
class DpuSetOps
{
	friend class DpuSet;
	friend class DpuSetAsync;

public:
	/* one buffer to all DPUs: (symbol[, offset], buffer[, bytes]) */
	template <typename T>
	void copy(const std::string &symbol, unsigned offset,
		  const std::vector<T> &buffer, unsigned bytes)
	{
		DpuError::throwOnErr(dpu_broadcast_to(set_, symbol.c_str(),
						      offset, buffer.data(),
						      bytes, flags()));
	}

	template <typename T>
	void copy(DpuSymbol &symbol, unsigned offset,
		  const std::vector<T> &buffer, unsigned bytes)
	{
		DpuError::throwOnErr(dpu_broadcast_to_symbol(
			set_, symbol.symbol_, offset, buffer.data(), bytes,
			flags()));
	}

	/* a buffer to each DPU: (symbol[, offset], buffers[, bytes]) */
	template <typename T>
	void copy(const std::string &symbol, unsigned offset,
		  const std::vector<std::vector<T>> &buffers, unsigned bytes)
	{
		prepare(buffers);
		DpuError::throwOnErr(dpu_push_xfer(set_, DPU_XFER_TO_DPU,
						   symbol.c_str(), offset,
						   bytes, flags()));
	}

	template <typename T>
	void copy(DpuSymbol &symbol, unsigned offset,
		  const std::vector<std::vector<T>> &buffers, unsigned bytes)
	{
		prepare(buffers);
		DpuError::throwOnErr(dpu_push_xfer_symbol(
			set_, DPU_XFER_TO_DPU, symbol.symbol_, offset, bytes,
			flags()));
	}

	/* the same without a size: as long as the buffers are */
	template <typename T>
	void copy(const std::string &symbol, unsigned offset,
		  const std::vector<T> &buffer)
	{
		copy(symbol, offset, buffer, sizeOf(buffer));
	}

	template <typename T>
	void copy(DpuSymbol &symbol, unsigned offset,
		  const std::vector<T> &buffer)
	{
		copy(symbol, offset, buffer, sizeOf(buffer));
	}

	/* and without an offset */
	template <typename T>
	void copy(const std::string &symbol, const std::vector<T> &buffer,
		  unsigned bytes)
	{
		copy(symbol, 0, buffer, bytes);
	}

	template <typename T>
	void copy(DpuSymbol &symbol, const std::vector<T> &buffer,
		  unsigned bytes)
	{
		copy(symbol, 0, buffer, bytes);
	}

	template <typename T>
	void copy(const std::string &symbol, const std::vector<T> &buffer)
	{
		copy(symbol, 0, buffer, sizeOf(buffer));
	}

	template <typename T>
	void copy(DpuSymbol &symbol, const std::vector<T> &buffer)
	{
		copy(symbol, 0, buffer, sizeOf(buffer));
	}

	/* from each DPU to a buffer: (buffers[, bytes], symbol[, offset]) */
	template <typename T>
	void copy(std::vector<std::vector<T>> &buffers, unsigned bytes,
		  const std::string &symbol, unsigned offset = 0)
	{
		prepare(buffers);
		DpuError::throwOnErr(dpu_push_xfer(set_, DPU_XFER_FROM_DPU,
						   symbol.c_str(), offset,
						   bytes, flags()));
	}

	template <typename T>
	void copy(std::vector<std::vector<T>> &buffers, unsigned bytes,
		  DpuSymbol &symbol, unsigned offset = 0)
	{
		prepare(buffers);
		DpuError::throwOnErr(dpu_push_xfer_symbol(
			set_, DPU_XFER_FROM_DPU, symbol.symbol_, offset, bytes,
			flags()));
	}

	template <typename T>
	void copy(std::vector<std::vector<T>> &buffers,
		  const std::string &symbol, unsigned offset = 0)
	{
		copy(buffers, sizeOf(buffers), symbol, offset);
	}

	template <typename T>
	void copy(std::vector<std::vector<T>> &buffers, DpuSymbol &symbol,
		  unsigned offset = 0)
	{
		copy(buffers, sizeOf(buffers), symbol, offset);
	}

	/* run the loaded program */
	void exec()
	{
		DpuError::throwOnErr(dpu_launch(
			set_, async_ ? DPU_ASYNCHRONOUS : DPU_SYNCHRONOUS));
	}

	/* the set for C */
	struct dpu_set_t &unsafe()
	{
		return set_;
	}

private:
	DpuSetOps(struct dpu_set_t set, bool async) : set_(set), async_(async)
	{
	}

	dpu_xfer_flags_t flags() const
	{
		return async_ ? DPU_XFER_ASYNC : DPU_XFER_DEFAULT;
	}

	template <typename T>
	static unsigned sizeOf(const std::vector<T> &buffer)
	{
		return static_cast<unsigned>(buffer.size() * sizeof(T));
	}

	/* there must be one, and they must all be of a size */
	template <typename T>
	static unsigned sizeOf(const std::vector<std::vector<T>> &buffers)
	{
		if (buffers.empty())
			throw DpuError(DPU_ERR_INVALID_MEMORY_TRANSFER);
		for (const auto &buffer : buffers)
			if (buffer.size() != buffers[0].size())
				throw DpuError(DPU_ERR_INVALID_MEMORY_TRANSFER);
		return sizeOf(buffers[0]);
	}

	template <typename T>
	void prepare(const std::vector<std::vector<T>> &buffers)
	{
		struct dpu_set_t dpu;
		unsigned i;

		DPU_FOREACH (set_, dpu, i) {
			if (i >= buffers.size())
				throw DpuError(DPU_ERR_INVALID_MEMORY_TRANSFER);
			DpuError::throwOnErr(dpu_prepare_xfer(
				dpu, const_cast<T *>(buffers[i].data())));
		}
	}

	struct dpu_set_t set_;
	bool async_;
};

class DpuSet : public DpuSetOps
{
	friend class DpuSetAsync;

public:
	static DpuSet allocate(unsigned nrDpus = ALLOCATE_ALL,
			       const std::string &profile = "")
	{
		struct dpu_set_t set;

		DpuError::throwOnErr(dpu_alloc(nrDpus, profile.c_str(), &set));
		return DpuSet(set, true);
	}

	static DpuSet allocateRanks(unsigned nrRanks = ALLOCATE_ALL,
				    const std::string &profile = "")
	{
		struct dpu_set_t set;

		DpuError::throwOnErr(
			dpu_alloc_ranks(nrRanks, profile.c_str(), &set));
		return DpuSet(set, true);
	}

	/* each DPU as a set */
	std::vector<DpuSet *> &dpus()
	{
		return dpus_;
	}

	/* each rank as a set */
	std::vector<DpuSet *> &ranks()
	{
		return ranks_;
	}

	DpuProgram load(const std::string &executable)
	{
		DpuProgram program;

		DpuError::throwOnErr(
			dpu_load(set_, executable.c_str(), &program.program_));
		return program;
	}

	/* what the DPUs printed */
	void log(std::ostream &stream)
	{
		for (DpuSet *set : dpus_) {
			struct dpu_t *dpu = dpu_from_set(set->set_);

			DpuError::throwOnErr(print(&stream,
						   DPU_LOG_FORMAT_HEADER,
						   dpu_get_id(dpu)));
			DpuError::throwOnErr(
				dpulog_read_for_dpu_(dpu, print, &stream));
		}
	}

	DpuSetAsync async();

private:
	/* what the copies of a set have in common: its end */
	struct Shared {
		~Shared()
		{
			for (DpuSet *child : children)
				delete child;
			if (owned)
				dpu_free(set);
		}

		struct dpu_set_t set;
		bool owned;
		std::vector<DpuSet *> children;
	};

	/* a rank or a DPU of another set */
	explicit DpuSet(struct dpu_set_t set) : DpuSetOps(set, false)
	{
	}

	DpuSet(struct dpu_set_t set, bool owned)
		: DpuSetOps(set, false), shared_(new Shared())
	{
		shared_->set = set;
		shared_->owned = owned;
		addChildren();
	}

	void addChildren()
	{
		struct dpu_set_t rank;

		DPU_RANK_FOREACH (set_, rank) {
			DpuSet *child = addChild(rank);

			child->ranks_.push_back(child);
			ranks_.push_back(child);
			addDpus(rank, child);
		}
	}

	void addDpus(struct dpu_set_t &rank, DpuSet *parent)
	{
		struct dpu_set_t dpu;

		DPU_FOREACH (rank, dpu) {
			DpuSet *child = addChild(dpu);

			child->dpus_.push_back(child);
			child->ranks_.push_back(parent);
			parent->dpus_.push_back(child);
			dpus_.push_back(child);
		}
	}

	DpuSet *addChild(struct dpu_set_t &set)
	{
		std::unique_ptr<DpuSet> child(new DpuSet(set));

		shared_->children.push_back(child.get());
		return child.release();
	}

	static dpu_error_t print(void *stream, const char *format, ...)
	{
		std::va_list args, again;
		int bytes;

		va_start(args, format);
		va_copy(again, args);
		bytes = std::vsnprintf(nullptr, 0, format, args);
		va_end(args);
		if (bytes < 0) {
			va_end(again);
			return DPU_ERR_SYSTEM;
		}
		std::vector<char> text(static_cast<std::size_t>(bytes) + 1);
		std::vsnprintf(text.data(), text.size(), format, again);
		va_end(again);
		*static_cast<std::ostream *>(stream) << text.data();
		return DPU_OK;
	}

	std::shared_ptr<Shared> shared_;
	std::vector<DpuSet *> dpus_;
	std::vector<DpuSet *> ranks_;
};

class DpuSetAsync : public DpuSetOps
{
	friend class DpuSet;

public:
	/*
	 * Call a function for each rank, or once for the set. Blocking: what
	 * was queued later waits for its end.
	 */
	void call(const CallbackFn &function, bool isBlocking, bool singleCall)
	{
		unsigned flags = DPU_CALLBACK_ASYNC;
		Call *call = new Call;

		if (!isBlocking)
			flags |= DPU_CALLBACK_NONBLOCKING;
		if (singleCall)
			flags |= DPU_CALLBACK_SINGLE_CALL;
		call->function = function;
		call->left = singleCall ? 1 : nrRanks_;
		DpuError::throwOnErr(
			dpu_callback(set_, callFunction, call,
				     static_cast<dpu_callback_flags_t>(flags)));
	}

	void call(const CallbackFn &function)
	{
		call(function, true, false);
	}

	/* wait for everything queued; throws what failed of it */
	void sync()
	{
		DpuError::throwOnErr(dpu_sync(set_));
	}

private:
	struct Call {
		CallbackFn function;
		std::atomic<unsigned> left;
	};

	explicit DpuSetAsync(const DpuSet &set)
		: DpuSetOps(set.set_, true),
		  nrRanks_(static_cast<unsigned>(set.ranks_.size()))
	{
	}

	static dpu_error_t callFunction(struct dpu_set_t set, uint32_t index,
					void *arg)
	{
		Call *call = static_cast<Call *>(arg);
		dpu_error_t status = DPU_OK;

		try {
			DpuSet own(set, false);

			call->function(own, index);
		} catch (const DpuError &error) {
			status = error.error();
		}
		if (--call->left == 0)
			delete call;
		return status;
	}

	unsigned nrRanks_;
};

inline DpuSetAsync DpuSet::async()
{
	return DpuSetAsync(*this);
}

} /* namespace dpu */

#endif /* DPU_HPP */
