# rostrum in a container: serves scheduled runs over a folder of recordings.
#
#   docker build -t rostrum .                              weights are fetched into the volume on first use
#   docker build -t rostrum --build-arg WEIGHTS=baked .    weights in the image
#   docker build -t rostrum --build-arg TORCH_INDEX=https://download.pytorch.org/whl/cu130 .   another build of torch
ARG PYTHON=3.11
ARG WEIGHTS=fetched

FROM python:${PYTHON}-slim AS build
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
WORKDIR /src
RUN python -m venv /opt/rostrum
ENV PATH=/opt/rostrum/bin:$PATH PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
COPY requirements.lock ./
RUN pip install --extra-index-url "${TORCH_INDEX}" -r requirements.lock
COPY pyproject.toml README.md ./
COPY pipeline pipeline
COPY flows flows
RUN pip install --no-deps .

FROM build AS weights-fetched
RUN mkdir -p /weights

FROM build AS weights-baked
RUN ROSTRUM_MODELS=/weights rostrum models fetch

FROM weights-${WEIGHTS} AS weights

FROM python:${PYTHON}-slim
RUN useradd --create-home --uid 1000 rostrum && mkdir -p /corpus /runs /weights && chown rostrum /runs /weights
COPY --from=build /opt/rostrum /opt/rostrum
COPY --from=weights --chown=rostrum /weights /weights
ENV PATH=/opt/rostrum/bin:$PATH ROSTRUM_MODELS=/weights PREFECT_HOME=/runs/.prefect
USER rostrum
WORKDIR /runs
VOLUME ["/runs", "/weights"]
HEALTHCHECK --interval=60s --timeout=30s --start-period=60s CMD ["rostrum", "doctor"]
ENTRYPOINT ["rostrum"]
CMD ["serve", "/corpus", "--out", "/runs/corpus", "--every", "15m"]
