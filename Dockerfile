# docker build -t hearth .        docs/operating.md says how to run it.
FROM node:24-bookworm-slim AS build
WORKDIR /opt/hearth
COPY package.json package-lock.json ./
COPY bin/ensure-installed.cjs bin/
RUN node bin/ensure-installed.cjs
COPY . .

FROM debian:bookworm-slim
# git and ssh for repositories and their mirrors, bzip2 for archives, tini for what git leaves behind.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends bzip2 ca-certificates git openssh-client tini \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 1000 --create-home hearth \
 && install --directory --owner=hearth --group=hearth --mode=0700 /data
COPY --from=build /opt/hearth /opt/hearth
RUN ln -s /opt/hearth/bin/hearth /usr/local/bin/hearth
ENV PATH=/opt/hearth/node_modules/.bin:$PATH \
    HEARTH_DATA=/data HEARTH_HOST=0.0.0.0 HEARTH_PORT=8080 HEARTH_SSH_HOST=0.0.0.0
USER hearth
VOLUME /data
EXPOSE 8080 2222
HEALTHCHECK --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.HEARTH_PORT}/-/liveness`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "hearth"]
CMD ["serve"]
