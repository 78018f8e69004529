# The service and the kinds of a home, as a user without rights, on a read-only root, without a shell.
#
#   docker build -t antechamber:0.1.0 .
#   buildah build -t antechamber:0.1.0 .
#
# Any image can stand in for both bases: the first needs npm, the second nothing but a Node.js of 22.19 or newer in its
# PATH. The tests build on bases of their own where no registry can be reached (test/deployment/image.ts).
# The digest says what is pulled, for all platforms; the tag says what it was when it was looked up. Renew both together:
# docker buildx imagetools inspect node:26-slim
ARG BUILD_BASE=node:26.10.0-slim@sha256:ec7758ee051e457b468b32bde57b0879010b325bb9862718e9615225ce4aaae1
ARG BASE=node:26.10.0-slim@sha256:ec7758ee051e457b468b32bde57b0879010b325bb9862718e9615225ce4aaae1

FROM ${BUILD_BASE} AS build
WORKDIR /src
# First what changes seldom, so that a change of ours installs nothing anew. Without workspaces: the image has its own
# Node.js, so the one that our scripts run on stays away.
COPY package.json package-lock.json .npmrc ./
COPY tools/runtime/package.json tools/runtime/
RUN npm ci --workspaces=false --no-progress
COPY tsconfig.json tsconfig.build.json ./
COPY tools tools
COPY certs certs
COPY bin bin
COPY webhooks webhooks
COPY src src
RUN npm run build && npm prune --workspaces=false --omit=dev --no-progress

FROM ${BASE}
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /src/node_modules node_modules
COPY package.json LICENSE ./
COPY bin bin
COPY --from=build /src/dist dist
# By number: Kubernetes can only tell of a number that it is not root (runAsNonRoot).
USER 65532:65532
EXPOSE 9443 8080
# No shell and no npm in between: the signal that ends the container must reach Node.js.
ENTRYPOINT ["node", "/app/bin/antechamber.js"]
# Mount a Secret with tls.crt and tls.key there; kinds of one's own lie best in /app/webhooks.
CMD ["serve", "--cert-dir", "/tls"]
