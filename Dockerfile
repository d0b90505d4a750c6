# By tag for people, by digest for the machine. A newer one: docker buildx imagetools inspect
# python:3.11-slim-bookworm, then put its tag and digest here.
ARG BASE=python:3.11.14-slim-bookworm@sha256:65a93d69fa75478d554f4ad27c85c1e69fa184956261b4301ebaf6dbb0a3543d

# hadolint ignore=DL3006
FROM ${BASE} AS packages
WORKDIR /build
COPY requirements.txt .
# Wheels only, so that nothing is compiled; without pip, so that nothing is installed later.
RUN python -m venv --without-pip /opt/formulary \
 && pip --python /opt/formulary/bin/python install --no-cache-dir --only-binary :all: -r requirements.txt

# hadolint ignore=DL3006
FROM ${BASE}
WORKDIR /app
COPY packages.txt .
# The list is short and its packages come with security fixes, so their versions are not pinned.
# hadolint ignore=DL3008
RUN apt-get update \
 && xargs -a packages.txt apt-get install -y --no-install-recommends \
 && rm -rf /var/lib/apt/lists/* packages.txt \
 && pip uninstall --yes --quiet --root-user-action ignore setuptools wheel pip \
 && groupadd --gid 1000 formulary \
 && useradd --uid 1000 --gid 1000 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin formulary \
 && install --directory --owner formulary --group formulary --mode 0700 /var/lib/formulary /var/lib/evidence

COPY --from=packages /opt/formulary /opt/formulary
COPY . .
# The program cannot write here, so the compiled modules are made now.
RUN ["/opt/formulary/bin/python", "-m", "compileall", "-q", "app.py", "core", "pages"]

ENV PATH=/opt/formulary/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HOME=/tmp \
    FORMULARY_STORE=/tmp/store.duckdb \
    FORMULARY_DATABASE_URL=sqlite:////var/lib/formulary/saved.sqlite \
    STREAMLIT_SERVER_PORT=8501

# Only /tmp and these folders are written to, so the rest may be read-only. The second is for
# evidence that is renewed, where FORMULARY_DATA names it.
VOLUME ["/var/lib/formulary", "/var/lib/evidence"]
USER 1000:1000
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["python", "-m", "core.serving"]
CMD ["python", "-m", "streamlit", "run", "app.py"]
