# syntax=docker/dockerfile:1
# docker build -t weir .                    from source, with what the npm registry has
# docker build -t weir --target prebuilt .  with a binary that `npm run build` has left in dist/
ARG BUILD_BASE=node:22-bookworm-slim
ARG BASE=debian:bookworm-slim

FROM ${BUILD_BASE} AS build
WORKDIR /src
COPY . .
RUN npm run build

# What both images have in common: no shell is needed, but authorities to check providers' certificates with.
FROM ${BASE} AS system
RUN [ -s /etc/ssl/certs/ca-certificates.crt ] \
      || (apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*)
RUN groupadd --gid 10001 weir \
      && useradd --uid 10001 --gid weir --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin weir \
      && install -d -o weir -g weir -m 0700 /data
ENV WEIR_HOST=0.0.0.0 \
    WEIR_DATA_DIR=/data \
    WEIR_LOG_FORMAT=json \
    BUN_CONFIG_MAX_HTTP_REQUESTS=65535
WORKDIR /data
VOLUME /data
EXPOSE 8787 8788
USER 10001:10001
# The binary asks itself; it works as PID 1 and passes on signals by itself, so neither curl nor an init is needed.
HEALTHCHECK --interval=30s --timeout=10s --start-period=20s --retries=3 CMD ["/usr/local/bin/weir", "health"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/weir"]
CMD ["serve"]

FROM system AS prebuilt
COPY --chmod=0755 dist/weir /usr/local/bin/weir

FROM system
COPY --from=build --chmod=0755 /src/dist/weir /usr/local/bin/weir
