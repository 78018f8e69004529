import { startApiServer } from "./server.ts";

// node test/cluster/main.ts [kube-apiserver flags]: an API server to try things on, until Ctrl-C.

if (import.meta.main) {
  const server = await startApiServer({ flags: process.argv.slice(2) });
  process.stdout.write(`export KUBECONFIG=${server.kubeconfig}\n`);
  process.stderr.write(`${server.url} is ready; Ctrl-C ends it, and all that is in it is gone.\n`);
}
