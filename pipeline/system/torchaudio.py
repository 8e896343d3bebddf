"""torchaudio on any build of torch.

The wheels of torchaudio are linked to CUDA. With a CPU-only torch their C++ extension cannot be loaded, and `import
torchaudio` raises OSError. So do pyannote.audio and sentence-transformers, which import it. rostrum does not need the
extension. If it cannot be loaded, a small module takes its place. Call `import_torchaudio()` before the first import of
any of these libraries.
"""

import functools
import sys
from threading import Lock
from types import ModuleType
from typing import Any, NoReturn

# Two threads at once would each remove the modules that the other has begun to import.
_ONE_AT_A_TIME = Lock()


def import_torchaudio() -> Any:
    """The torchaudio module, with its extension if that can be loaded."""
    with _ONE_AT_A_TIME:
        return _imported()


@functools.cache
def _imported() -> Any:
    try:
        import torchaudio
    except OSError:
        for name in [name for name in sys.modules if name.partition(".")[0] == "torchaudio"]:
            del sys.modules[name]
        sys.modules["torchaudio._extension"] = _extension()
        import torchaudio
    return torchaudio


def has_extension() -> bool:
    """Whether torchaudio's own C++ code can be used (forced alignment, fast filters)."""
    return bool(import_torchaudio()._extension._IS_TORCHAUDIO_EXT_AVAILABLE)


def _extension() -> ModuleType:
    module = ModuleType("torchaudio._extension")
    vars(module).update(
        _IS_TORCHAUDIO_EXT_AVAILABLE=False,
        _IS_ALIGN_AVAILABLE=False,
        fail_if_no_align=_fail_if_no_align,
    )
    return module


def _fail_if_no_align(function: Any) -> Any:
    @functools.wraps(function)
    def fail(*_args: Any, **_kwargs: Any) -> NoReturn:
        raise RuntimeError(
            f"{function.__name__} needs torchaudio's C++ extension, which this build of torch cannot load"
        )

    return fail
