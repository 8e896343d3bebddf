"""The program that runs a GGUF model: questions on stdin, answers on stdout, a JSON object per line each.

It is a program of its own, so that an interrupt can kill it in the middle of an answer, and its memory is given back.
It ends when its stdin ends, which is when the process that started it has ended, or when nobody has asked for a while.
"""

import json
import os
import queue
import sys
import threading
from typing import IO, Any

# The answers to a question do not depend on this, as the temperature is 0; it is set all the same.
_SEED = 1
# So long it waits for the next question. It is started again when there is one.
_PATIENCE_SECONDS = 120.0


def main(path: str, threads: int, context: int) -> None:
    """Answer questions until stdin ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    silence = os.open(os.devnull, os.O_WRONLY)
    for output in (1, 2):  # llama.cpp writes its log there
        os.dup2(silence, output)
    questions: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(sys.stdin, questions), daemon=True).start()
    try:
        server = _server(path, threads, context)
    except Exception as error:
        _write(answers, {"error": str(error)})
        return
    _write(answers, {"ready": True})
    while True:
        try:
            question = questions.get(timeout=_PATIENCE_SECONDS)
        except queue.Empty:
            os._exit(0)
        try:
            reply = server.handle_chat_completions(json.loads(question))
        except Exception as error:
            reply = {"error": str(error)}
        _write(answers, reply)


def _read(source: IO[str], questions: "queue.SimpleQueue[str]") -> None:
    """Pass questions on; end this program, whatever it is doing, when there can be no more."""
    for line in source:
        questions.put(line)
    os._exit(0)


def _write(answers: IO[str], reply: Any) -> None:
    print(json.dumps(reply), file=answers, flush=True)


def _server(path: str, threads: int, context: int) -> Any:
    """The model, ready to answer: on the processor alone, one question at a time, nothing kept between questions."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = path
    params.n_ctx, params.n_parallel, params.n_gpu_layers = context, 1, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.cache_ram_mib, params.n_ctx_checkpoints = 0, 0
    params.warmup = params.fit_params = False
    params.sampling.seed = _SEED
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
