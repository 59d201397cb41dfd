# SPDX-License-Identifier: MIT
"""
Sets of DPUs, on top of libdpu.

The objects of a loaded program are attributes of the set: assigning bytes writes
them, reading gives a DpuVariable.
"""

import ctypes
import os
import subprocess
import sys
import tempfile
import traceback

ALLOCATE_ALL = 0xffffffff

_HOME = os.path.abspath(os.path.join(os.path.dirname(os.path.realpath(__file__)),
                                     '..', '..', '..'))
_dpu = ctypes.CDLL(os.path.join(_HOME, 'lib', 'libdpu.so'))
_libc = ctypes.CDLL(None)

_ERR_SYSTEM = 2
_ASYNC = 1  # of launches and of callbacks
_XFER_ASYNC = 2
_NONBLOCKING = 2
_SINGLE_CALL = 4
_TO_DPU, _FROM_DPU = 0, 1
_KIND_RANKS = 0


class _Set(ctypes.Structure):
    """struct dpu_set_t: of one DPU, `word` is its pointer"""
    _fields_ = [('kind', ctypes.c_uint32), ('word', ctypes.c_uint64),
                ('ranks', ctypes.POINTER(ctypes.c_void_p))]


class _Ranks(ctypes.Structure):
    _fields_ = [('set', ctypes.POINTER(_Set)), ('count', ctypes.c_uint32),
                ('next_idx', ctypes.c_uint32), ('has_next', ctypes.c_bool),
                ('next', _Set)]


class _Dpus(ctypes.Structure):
    _fields_ = [('ranks', _Ranks), ('count', ctypes.c_uint32),
                ('next_idx', ctypes.c_uint32), ('has_next', ctypes.c_bool),
                ('next', _Set)]


class _Symbol(ctypes.Structure):
    _fields_ = [('address', ctypes.c_uint32), ('size', ctypes.c_uint32)]


_Callback = ctypes.CFUNCTYPE(ctypes.c_uint32, _Set, ctypes.c_uint32,
                             ctypes.c_void_p)

_u32, _size, _void, _text = (ctypes.c_uint32, ctypes.c_size_t, ctypes.c_void_p,
                             ctypes.c_char_p)
for _name, _result, _args in (
        ('dpu_alloc', _u32, [_u32, _text, ctypes.POINTER(_Set)]),
        ('dpu_alloc_ranks', _u32, [_u32, _text, ctypes.POINTER(_Set)]),
        ('dpu_free', _u32, [_Set]),
        ('dpu_load', _u32, [_Set, _text, ctypes.POINTER(_void)]),
        ('dpu_load_from_memory', _u32, [_Set, _text, _size,
                                        ctypes.POINTER(_void)]),
        ('dpu_get_symbol', _u32, [_void, _text, ctypes.POINTER(_Symbol)]),
        ('dpu_prepare_xfer', _u32, [_Set, _void]),
        ('dpu_push_xfer', _u32, [_Set, _u32, _text, _u32, _size, _u32]),
        ('dpu_push_xfer_symbol', _u32, [_Set, _u32, _Symbol, _u32, _size, _u32]),
        ('dpu_broadcast_to', _u32, [_Set, _text, _u32, _void, _size, _u32]),
        ('dpu_broadcast_to_symbol', _u32, [_Set, _Symbol, _u32, _void, _size,
                                           _u32]),
        ('dpu_launch', _u32, [_Set, _u32]),
        ('dpu_sync', _u32, [_Set]),
        ('dpu_callback', _u32, [_Set, _Callback, _void, _u32]),
        ('dpu_log_read', _u32, [_Set, _void]),
        ('dpu_error_to_string', _void, [_u32]),
        ('dpu_error_detail', _text, []),
        ('dpu_set_rank_iterator_from', _Ranks, [ctypes.POINTER(_Set)]),
        ('dpu_set_rank_iterator_next', None, [ctypes.POINTER(_Ranks)]),
        ('dpu_set_dpu_iterator_from', _Dpus, [ctypes.POINTER(_Set)]),
        ('dpu_set_dpu_iterator_next', None, [ctypes.POINTER(_Dpus)])):
    _function = getattr(_dpu, _name)
    _function.restype, _function.argtypes = _result, _args
_libc.open_memstream.restype = _void
_libc.open_memstream.argtypes = [ctypes.POINTER(_void), ctypes.POINTER(_size)]
_libc.fclose.argtypes = [_void]
_libc.free.argtypes = [_void]


class DpuError(Exception):
    """What a call came to, and a sentence where there is one"""


def _check(error):
    if not error:
        return
    string = _dpu.dpu_error_to_string(error)
    text = ctypes.string_at(string).decode() if string else 'unknown error'
    _libc.free(string)
    detail = _dpu.dpu_error_detail()
    raise DpuError(text + (': ' + detail.decode() if detail else ''))


def _each(start, step, c_set):
    """copies of what an iterator of libdpu comes by"""
    at = start(ctypes.byref(c_set))
    while at.has_next:
        yield _Set.from_buffer_copy(at.next)
        step(ctypes.byref(at))


def _one_or_all(things):
    return things[0] if len(things) == 1 else things


class DpuSymbol:
    """An object of a program"""

    def __init__(self, name, c_symbol):
        self.name = name
        self.c_symbol = (c_symbol if isinstance(c_symbol, _Symbol)
                         else _Symbol(*c_symbol))

    def value(self):
        return self.c_symbol.address

    def size(self):
        return self.c_symbol.size


class DpuProgram:
    """A loaded program"""

    def __init__(self, c_program):
        self._program = c_program
        self._symbols = {}

    def get_symbol(self, symbol):
        """The object of that name, or None"""
        if symbol not in self._symbols:
            found = _Symbol()
            error = _dpu.dpu_get_symbol(self._program, symbol.encode(),
                                        ctypes.byref(found))
            self._symbols[symbol] = None if error else DpuSymbol(symbol, found)
        return self._symbols[symbol]


class DpuVariable:
    """What an object of a program was: of one DPU, or a list of all of them"""

    def __init__(self, contents):
        self.contents = contents

    def data(self):
        return _one_or_all(self.contents)

    def _as(self, code):
        return _one_or_all([_one_or_all(content.cast(code))
                            for content in self.contents])

    def int8(self):
        return self._as('b')

    def uint8(self):
        return self._as('B')

    def int16(self):
        return self._as('h')

    def uint16(self):
        return self._as('H')

    def int32(self):
        return self._as('i')

    def uint32(self):
        return self._as('I')

    def int64(self):
        return self._as('q')

    def uint64(self):
        return self._as('Q')

    def float(self):
        return self._as('f')

    def double(self):
        return self._as('d')


def _c_bytes(buffer, written):
    """a buffer for C; one that is only read may be constant"""
    view = memoryview(buffer).cast('B')
    array = ctypes.c_char * view.nbytes
    if view.readonly:
        if written:
            raise DpuError('the buffer is not writable')
        return array.from_buffer_copy(view)
    return array.from_buffer(view)


class DpuSet:
    """
    DPUs: by number, by ranks, or all there are.

    binary: a program's file or bytes; c_source: C to be compiled, a path or a
    stream, or a list of them; log: a stream for what DPUs print, or a list of one
    for each; async_mode: copy() and exec() return at once, see sync().
    """

    def __init__(self, nr_dpus=None, nr_ranks=None, profile='', binary=None,
                 c_source=None, asm_source=None, log=None, async_mode=False,
                 _child=None):
        self._c_set = _child or _Set()
        self._program = None
        self._dpus, self._ranks, self._parents = [], [], []
        self._async_mode = async_mode
        self._kept = []  # what operations under way refer to
        self._log = None if isinstance(log, list) else log
        if _child:
            return
        if nr_dpus is not None and nr_ranks is not None:
            raise DpuError('either nr_dpus or nr_ranks')
        if nr_ranks is None:
            _check(_dpu.dpu_alloc(ALLOCATE_ALL if nr_dpus is None else nr_dpus,
                                  profile.encode(), ctypes.byref(self._c_set)))
        else:
            _check(_dpu.dpu_alloc_ranks(nr_ranks, profile.encode(),
                                        ctypes.byref(self._c_set)))
        try:
            self._add_children(log)
            if not (binary is None and c_source is None and asm_source is None):
                self.load(binary, c_source, asm_source)
        except BaseException:
            self.free()
            raise

    def _add_children(self, log):
        for c_rank in _each(_dpu.dpu_set_rank_iterator_from,
                            _dpu.dpu_set_rank_iterator_next, self._c_set):
            rank = DpuSet(log=log, async_mode=self._async_mode, _child=c_rank)
            rank._ranks, rank._parents = [rank], [self]
            self._ranks.append(rank)
            for c_dpu in _each(_dpu.dpu_set_dpu_iterator_from,
                               _dpu.dpu_set_dpu_iterator_next, c_rank):
                dpu = DpuSet(log=log, async_mode=self._async_mode, _child=c_dpu)
                dpu._dpus, dpu._ranks = [dpu], [rank]
                dpu._parents = [rank, self]
                rank._dpus.append(dpu)
                self._dpus.append(dpu)
        if isinstance(log, list):
            self._streams(log)
            for dpu, stream in zip(self._dpus, log):
                dpu._log = stream

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.free()

    def __iter__(self):
        return iter(self._dpus)

    def __len__(self):
        return len(self._dpus)

    def _symbol(self, name):
        program = self.__dict__.get('_program')
        return program.get_symbol(name) if program else None

    def __getattr__(self, name):
        symbol = self._symbol(name)
        if symbol is None:
            raise AttributeError(f'no {name} in a set of DPUs or its program')
        contents = [memoryview(bytearray(symbol.size())) for _ in self._dpus]
        self.copy(contents, symbol, async_mode=False)
        return DpuVariable(contents)

    def __setattr__(self, name, value):
        symbol = None if name.startswith('_') else self._symbol(name)
        if symbol is None:
            super().__setattr__(name, value)
        else:
            self.copy(symbol, value)

    def dpus(self):
        """Each DPU as a set"""
        return self._dpus

    def ranks(self):
        """Each rank as a set"""
        return self._ranks

    def free(self):
        """Give the DPUs back"""
        _check(_dpu.dpu_free(self._c_set))
        self._kept.clear()

    def load(self, binary=None, c_source=None, asm_source=None):
        """Load a program; returns what is known of it"""
        if asm_source is not None:
            raise DpuError('there is no assembler for DPUs here')
        if (binary is None) == (c_source is None):
            raise DpuError('one program, either binary or c_source')
        program = _void()
        with tempfile.TemporaryDirectory() as folder:
            if binary is None:
                binary = self._compile(c_source, folder)
            if isinstance(binary, (str, os.PathLike)):
                _check(_dpu.dpu_load(self._c_set, os.fsencode(binary),
                                     ctypes.byref(program)))
            else:
                _check(_dpu.dpu_load_from_memory(
                    self._c_set, bytes(binary), len(binary),
                    ctypes.byref(program)))
        for parent in self._parents:
            parent._program = None
        loaded = DpuProgram(program)
        for part in [self] + self._ranks * (not self._parents) + self._dpus:
            part._program = loaded
        return loaded

    @staticmethod
    def _compile(sources, folder):
        files = []
        for source in sources if isinstance(sources, list) else [sources]:
            if not isinstance(source, (str, os.PathLike)):
                text, source = source.read(), os.path.join(
                    folder, f'source{len(files)}.c')
                with open(source, 'w', encoding='utf-8') as stream:
                    stream.write(text)
            files.append(source)
        output = os.path.join(folder, 'program.dpu')
        try:
            subprocess.run([os.path.join(_HOME, 'bin', 'dpu-upmem-dpurte-clang'),
                            '-O2', '-o', output] + files, check=True)
        except subprocess.CalledProcessError as error:
            raise DpuError('the program does not compile') from error
        return output

    def _is_async(self, async_mode):
        return self._async_mode if async_mode is None else async_mode

    def _prepare(self, buffers, written):
        """the buffers of the DPUs, None where a DPU has none; their bytes"""
        if len(buffers) != len(self._dpus):
            raise DpuError(f'{len(buffers)} buffers for {len(self._dpus)} DPUs')
        held = [None if buffer is None else _c_bytes(buffer, written)
                for buffer in buffers]
        sizes = {len(buffer) for buffer in held if buffer is not None}
        if len(sizes) != 1:
            raise DpuError('buffers of different sizes' if sizes else 'no buffer')
        for dpu, buffer in zip(self._dpus, held):
            if buffer is not None:
                _check(_dpu.dpu_prepare_xfer(dpu._c_set, buffer))
        return held, sizes.pop()

    def copy(self, dst, src, size=None, offset=0, async_mode=None):
        """
        Copy to an object of the program, from bytes for all DPUs or a list of
        them; or from an object. Objects are names or DpuSymbols.
        """
        to_dpus = isinstance(dst, (str, DpuSymbol))
        if to_dpus == isinstance(src, (str, DpuSymbol)):
            raise DpuError('copies are between the host and DPUs')
        symbol, host = (dst, src) if to_dpus else (src, dst)
        named = isinstance(symbol, str)
        device = symbol.encode() if named else symbol.c_symbol
        flags = _XFER_ASYNC if self._is_async(async_mode) else 0

        if isinstance(host, list):
            held, there = self._prepare(host, not to_dpus)
        else:
            held = _c_bytes(host, not to_dpus)
            there = len(held)
        if size is None:
            size = there
        elif size > there:
            raise DpuError(f'a buffer of {there} bytes for {size}')
        if flags:
            self._kept.append(held)
        if to_dpus and not isinstance(host, list):
            function = (_dpu.dpu_broadcast_to if named
                        else _dpu.dpu_broadcast_to_symbol)
            _check(function(self._c_set, device, offset, held, size, flags))
            return
        if not isinstance(host, list):
            _check(_dpu.dpu_prepare_xfer(self._c_set, held))
        function = _dpu.dpu_push_xfer if named else _dpu.dpu_push_xfer_symbol
        _check(function(self._c_set, _TO_DPU if to_dpus else _FROM_DPU, device,
                        offset, size, flags))

    def exec(self, log=None, async_mode=None):
        """Run the loaded program, and log what it prints"""
        if self._is_async(async_mode):
            _check(_dpu.dpu_launch(self._c_set, _ASYNC))
            return
        _check(_dpu.dpu_launch(self._c_set, 0))
        self._write_log(log, None)

    def log(self, stream=None):
        """What the DPUs printed last; by default to the set's stream, or stdout"""
        self._write_log(stream, sys.stdout)

    def _streams(self, log):
        if len(log) != len(self._dpus):
            raise DpuError(f'{len(log)} logs for {len(self._dpus)} DPUs')
        return dict(zip(self._dpus, log))

    def _write_log(self, log, default):
        if isinstance(log, list):
            log = self._streams(log)
        elif not isinstance(log, dict):
            log = {dpu: log for dpu in self._dpus}
        for dpu in self._dpus:
            stream = log.get(dpu)
            if stream is None:
                stream = dpu._log if dpu._log is not None else default
            if stream is not None:
                stream.write(dpu._printed())

    def _printed(self):
        text, size = _void(), _size()
        stream = _libc.open_memstream(ctypes.byref(text), ctypes.byref(size))
        if not stream:
            raise MemoryError
        error = _dpu.dpu_log_read(self._c_set, stream)
        _libc.fclose(stream)
        printed = ctypes.string_at(text, size.value).decode(errors='replace')
        _libc.free(text)
        _check(error)
        return printed

    def sync(self):
        """Wait for all that is under way; raises what failed of it"""
        _check(_dpu.dpu_sync(self._c_set))
        self._kept.clear()

    def call(self, fn, arg, async_mode=None, is_blocking=True, single_call=False):
        """Call fn(set, index, arg) for each rank, or once for the set"""
        flags = ((_ASYNC if self._is_async(async_mode) else 0)
                 | (0 if is_blocking else _NONBLOCKING)
                 | (_SINGLE_CALL if single_call else 0))

        def callback(c_set, index, _):
            part = self
            if not single_call and c_set.kind == _KIND_RANKS:
                part = next(rank for rank in self._ranks
                            if rank._c_set.ranks[0] == c_set.ranks[0])
            try:
                fn(part, index, arg)
            except Exception:
                traceback.print_exc()
                return _ERR_SYSTEM
            return 0

        c_callback = _Callback(callback)
        self._kept.append(c_callback)
        _check(_dpu.dpu_callback(self._c_set, c_callback, None, flags))
