# One image for all parts: docker run tidegate gateway --help
# The version is the one of the package node, which everything else runs on.
ARG NODE_VERSION=26.10.0

FROM node:${NODE_VERSION}-slim AS build
WORKDIR /src
COPY . .
# not npm ci: docs/decisions/0010-npm-install-not-ci.md
RUN npm install --no-save --ignore-scripts
# the context has no repository: what the image is made from is said by who builds it
ARG COMMIT BUILD_DATE
# /app is what the image holds; /state is for certificates of a trial, which its user makes
RUN COMMIT=${COMMIT} BUILD_DATE=${BUILD_DATE} node programs/image/build/main.ts /app && mkdir /state

FROM node:${NODE_VERSION}-slim
# nothing is installed in a container that runs
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn*
ENV NODE_ENV=production
COPY --from=build /app /app
COPY --from=build --chown=65532:65532 /state /var/lib/tidegate
WORKDIR /app
USER 65532:65532
EXPOSE 6443 6480 7443 8081
ENTRYPOINT ["node", "--max-semi-space-size=32", "--expose-gc", "/app/programs/image/src/main.js"]
CMD ["--help"]
LABEL org.opencontainers.image.title="Tidegate" org.opencontainers.image.licenses="Apache-2.0"
