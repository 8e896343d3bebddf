# rostrum in a container: serves scheduled runs over a folder of recordings.
#
#   docker build -t rostrum .                              CPU; weights are fetched into the volume on first use
#   docker build -t rostrum --build-arg DEVICE=cuda .      CUDA 13.0
#   docker build -t rostrum --build-arg WEIGHTS=baked .    weights in the image
#   docker run --read-only --tmpfs /tmp -v CORPUS:/corpus:ro -v RUNS:/runs -v WEIGHTS:/weights rostrum run /corpus
ARG PYTHON=3.11
ARG WEIGHTS=fetched

FROM python:${PYTHON}-slim AS build
ARG DEVICE=cpu
WORKDIR /src
RUN python -m venv /opt/rostrum
ENV PATH=/opt/rostrum/bin:$PATH PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
COPY install requirements.lock requirements-cuda.lock ./
RUN ./install --packages --"${DEVICE}"
COPY pyproject.toml LICENSE README.md rostrum.py ./
COPY pipeline pipeline
COPY flows flows
RUN pip install --no-deps --no-build-isolation .

FROM build AS weights-fetched
RUN mkdir -p /weights

FROM build AS weights-baked
RUN ROSTRUM_MODELS=/weights rostrum models fetch

# hadolint ignore=DL3006
FROM weights-${WEIGHTS} AS weights

FROM python:${PYTHON}-slim
RUN useradd --create-home --uid 1000 rostrum && mkdir -p /corpus /locks /runs /weights && chown rostrum /locks /runs /weights
COPY --from=build /opt/rostrum /opt/rostrum
COPY --from=weights --chown=rostrum /weights /weights
# All that is written at run time is in the two volumes and /tmp, so that the root filesystem can be read-only.
ENV PATH=/opt/rostrum/bin:$PATH ROSTRUM_MODELS=/weights PREFECT_HOME=/runs/.prefect \
    MPLCONFIGDIR=/tmp/matplotlib NUMBA_CACHE_DIR=/tmp/numba PYTHONDONTWRITEBYTECODE=1
# By its number, as clusters ask for that refuse root.
USER 1000
WORKDIR /runs
VOLUME ["/runs", "/weights"]
# The container ends with its process. A check that imports rostrum would cost seconds each minute, and one that asks the
# server would fail with it.
HEALTHCHECK --interval=60s --timeout=5s CMD ["test", "-w", "/runs"]
ENTRYPOINT ["rostrum"]
CMD ["serve", "/corpus", "--out", "/runs/corpus", "--every", "15m"]
