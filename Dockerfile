# A worker: `docker build -t pointsman-worker .`, or `docker compose up --build`.
FROM python:3.11.15-slim-bookworm

ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1

WORKDIR /app
RUN useradd --system --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin pointsman

# Before the code, so that a change of code does not install again.
COPY requirements/workers.txt requirements/workers.txt
RUN pip install --require-hashes --only-binary :all: -r requirements/workers.txt

COPY pointsman pointsman
COPY workflows workflows
COPY activities activities
COPY workers workers
COPY config config
COPY evals evals

# Where the ledger goes by default: the only place that a worker writes to.
RUN mkdir .pointsman && chown 10001:10001 .pointsman
USER 10001:10001

# SIGTERM lets running provider calls finish: give it longer than the longest timeout_s of the configuration.
STOPSIGNAL SIGTERM
ENTRYPOINT ["python", "-m", "workers"]
