# The service with the example kinds. It runs as an unprivileged user, with a read-only root file system, without a shell.
#
#   docker build -t antechamber:0.1.0 .
#   buildah build -t antechamber:0.1.0 .
#
# Both base images can be replaced: the first needs npm, the second only Node.js 22.19 or newer in its PATH. Without access to
# a registry, the tests build on base images of their own (test/deployment/image.ts).
# The image is pulled by digest, for all platforms; the tag is only informative. Update both together:
# docker buildx imagetools inspect node:26-slim
ARG BUILD_BASE=node:26.10.0-slim@sha256:ec7758ee051e457b468b32bde57b0879010b325bb9862718e9615225ce4aaae1
ARG BASE=node:26.10.0-slim@sha256:ec7758ee051e457b468b32bde57b0879010b325bb9862718e9615225ce4aaae1

FROM ${BUILD_BASE} AS build
WORKDIR /src
# Files that change rarely come first, so that the installed packages are cached. Without workspaces: the image has its own
# Node.js, so the one for the scripts is not installed.
COPY package.json package-lock.json .npmrc ./
COPY tools/runtime/package.json tools/runtime/
RUN npm ci --workspaces=false --no-progress
COPY tsconfig.json tsconfig.build.json ./
COPY tools tools
COPY certs certs
COPY bin bin
COPY webhooks webhooks
COPY examples examples
COPY src src
# A pod has its service account: what reads unusual kubeconfigs is an optional dependency of 60 MB. Types and source maps serve
# editors only, and are nearly half of the packages' bytes.
RUN npm run build && npm prune --workspaces=false --omit=dev --omit=optional --no-progress \
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM ${BASE}
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /src/node_modules node_modules
COPY package.json LICENSE ./
COPY bin bin
COPY --from=build /src/dist dist
# The kinds of this repository; an image with others has a project folder of its own (docs/guides/deployment.md).
COPY --from=build /src/dist/webhooks webhooks
# Numeric: for runAsNonRoot, Kubernetes must be able to see that it is not root.
USER 65532:65532
EXPOSE 9443 8080
# Without a shell or npm, so that Node.js receives the termination signal.
ENTRYPOINT ["node", "/app/bin/antechamber.js"]
# Mount a Secret with tls.crt and tls.key at /tls. The kinds are those in ./webhooks.
CMD ["serve", "--cert-dir", "/tls"]
