"""Decodes recordings for another process, so that a library that crashes on one costs that recording only.

A program of its own, which `pipeline.ingest.decode` starts. It reads one request per line: a path and what is asked,
as JSON. It answers with lines of JSON. Some of them announce bytes: samples as interleaved 32-bit floats.
"""

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from typing import Any

# Samples are sent in pieces of about so many bytes.
PIECE = 1_048_576
# Decoded by FFmpeg, which drops the encoder's padding. libsndfile keeps it, and writes warnings to stderr.
_MPEG = (".mp1", ".mp2", ".mp3")
# The formats that FFmpeg may read. Others, such as playlists, would open further files.
_DEMUXERS = "aac,aiff,amr,asf,au,avi,caf,flac,flv,matroska,webm,mov,mp4,m4a,mp3,mpeg,mpegts,ogg,w64,wav"
# PyAV frees channel layouts with a list of channels twice, which these are not. What is held here is never freed.
_PLAIN_LAYOUTS = ("mono", "stereo")
_held_layouts: list[Any] = []


class Undecodable(Exception):
    """What is wrong with a recording, and what mends it."""


def main() -> None:
    """Answer requests until stdin is closed."""
    _prepare()
    for line in sys.stdin.buffer:
        request = json.loads(line)
        try:
            _answer(request["path"], request["asked"])
        except Undecodable as error:
            _send({"error": str(error)})
        except MemoryError:
            _send({"error": "takes more memory to decode than there is; convert it to WAV"})
        except Exception as error:
            _send({"error": f"cannot be decoded as audio ({_reason(error)})"})
        if _held_layouts:
            os._exit(0)  # at once, which frees nothing; the next recording gets a new process


def _prepare() -> None:
    """Leave no core dumps, and let an interrupt be handled by the process that asks, whose end ends this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _answer(path: str, asked: str) -> None:
    if asked == "duration":
        _send({"duration": _duration(path)})
        return
    rate, channels, pieces = _open(path)
    _send({"rate": rate, "channels": channels})
    for piece in _joined(pieces):
        _send({"bytes": len(piece)}, piece)
    _send({"end": True})


def _send(answer: dict[str, Any], samples: bytes | bytearray = b"") -> None:
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
    sys.stdout.buffer.write(samples)
    sys.stdout.buffer.flush()


def _joined(pieces: Iterator[Any]) -> Iterator[bytearray]:
    """Pieces of a megabyte or more. A message for each frame of a codec would take longer than to decode it."""
    held = bytearray()
    for piece in pieces:
        held += piece
        if len(held) >= PIECE:
            yield held
            held = bytearray()
    yield held


def _duration(path: str) -> float | None:
    """The duration in seconds that a recording's header names; None if it names none, or the file is no recording."""
    import av
    import soundfile

    if not path.lower().endswith(_MPEG):
        with suppress(soundfile.LibsndfileError):
            return float(soundfile.info(path).duration)
    try:
        with _container(path) as container:
            stream = container.streams.audio[0]
            if stream.duration and stream.time_base:
                return float(stream.duration * stream.time_base)
            return container.duration / av.time_base if container.duration else None
    except (av.FFmpegError, IndexError, OSError):
        return None


def _open(path: str) -> tuple[int, int, Iterator[Any]]:
    """(rate, channels, the samples in pieces)"""
    import soundfile

    file = None
    if not path.lower().endswith(_MPEG):
        with suppress(soundfile.LibsndfileError):
            file = soundfile.SoundFile(path)
    if file is None or file.format == "MP3":
        return _open_with_ffmpeg(path)
    return file.samplerate, file.channels, _soundfile_pieces(file)


def _soundfile_pieces(file: Any) -> Iterator[Any]:
    import soundfile

    frame = 4 * file.channels
    piece = bytearray(max(1, PIECE // frame) * frame)
    with file:
        while True:
            try:
                count = file.buffer_read_into(piece, dtype="float32")
            except soundfile.LibsndfileError as error:
                raise Undecodable(f"breaks off while being decoded ({error}); copy it again") from error
            if not count:
                return
            yield memoryview(piece)[: count * frame]


def _container(path: str) -> Any:
    """The file, opened by FFmpeg's libraries.

    Only recordings are opened: no playlist that names other files, and no URL that looks like a file's name.
    """
    import av

    return av.open(os.path.abspath(path), metadata_errors="replace", options={"format_whitelist": _DEMUXERS})


def _open_with_ffmpeg(path: str) -> tuple[int, int, Iterator[Any]]:
    import av

    try:
        container = _container(path)
    except av.FFmpegError as error:
        raise Undecodable(f"cannot be decoded as audio ({_reason(error)})") from error
    if not container.streams.audio:
        raise Undecodable("has no audio track; give a recording")
    stream = container.streams.audio[0]
    if stream.codec_context is None:
        raise Undecodable("is in a codec that is not known here; convert it to WAV")
    rate, layout = stream.codec_context.sample_rate, _layout(stream.codec_context)
    if not rate or not layout.nb_channels:
        raise Undecodable("cannot be decoded as audio (no sample rate in it)")
    frames = _frames(container, stream)
    first = next(frames, None)
    layout = layout if first is None else _layout(first)
    return rate, layout.nb_channels, _ffmpeg_pieces(chain([first] if first else [], frames), rate, layout)


def _frames(container: Any, stream: Any) -> Iterator[Any]:
    import av

    with container:
        try:
            yield from container.decode(stream)
        except av.FFmpegError as error:
            raise Undecodable(f"breaks off while being decoded ({_reason(error)}); copy it again") from error


def _ffmpeg_pieces(frames: Iterator[Any], rate: int, layout: Any) -> Iterator[Any]:
    """The samples of all frames with the same rate and channels, also where some of them have others."""
    import av

    converter, converted_kind = None, None
    for frame in frames:
        kind = (frame.format.name, _layout(frame).name, frame.sample_rate)
        if kind != converted_kind:  # a converter takes frames of one kind
            yield from _converted(converter, None)
            converter, converted_kind = av.AudioResampler(format="flt", layout=layout.name, rate=rate), kind
        yield from _converted(converter, frame)
    yield from _converted(converter, None)


def _converted(converter: Any, frame: Any) -> Iterator[Any]:
    """A frame's samples as a converter gives them; what it still holds back where there is no frame.

    They are interleaved in one plane, because PyAV reads beyond the list of planes where there are more than seven.
    """
    for packed in converter.resample(frame) if converter else []:
        yield memoryview(packed.planes[0])[: 4 * packed.samples * _layout(packed).nb_channels]


def _layout(owner: Any) -> Any:
    """The channel layout of a frame or of a stream's codec."""
    layout = owner.layout
    if layout.name not in _PLAIN_LAYOUTS:
        _held_layouts.append(layout)
    return layout


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", "") or error) or "no reason was given"


if __name__ == "__main__":
    main()
