import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { kubeconfigAccess, kubeconfigText } from "../../src/cluster/local/kubeconfig.ts";
import { apiserverArgs, clusterLaunch, etcdArgs, kubectlArgs } from "../../src/cluster/local/launch.ts";
import {
  apiserverFolder,
  builtBinaries,
  cacheFolder,
  findBinaries,
  goVersion,
  kubernetesVersion,
  leftOut,
  moduleFile,
  releases,
  requireBinaries,
} from "./binaries.ts";
import { buildSteps, goComplaint, kruiseSteps, publishedSteps } from "./build.ts";
import { builtKruise, findKruise, kruiseLeftOut, kruiseSources, requireKruise } from "./kruise.ts";
import {
  builtFunctions,
  findFunctions,
  functionsLeftOut,
  functionsSources,
  requireFunctions,
} from "./kruise-functions.ts";
import {
  findPublished,
  publishedCrds,
  publishedLeftOut,
  publishedModules,
  publishedSources,
  requirePublished,
} from "./published.ts";

const scratch = mkdtempSync(join(tmpdir(), "antechamber-argv-"));
afterAll(() => rmSync(scratch, { recursive: true }));

const empty = join(scratch, "empty");
const nothing = { XDG_CACHE_HOME: empty };

function folderWith(name: string, ...files: string[]): string {
  const folder = join(scratch, name);
  mkdirSync(folder, { recursive: true });
  for (const file of files) writeFileSync(join(folder, file), "");
  return folder;
}

describe("the programs of a cluster", () => {
  it("are those of KUBEBUILDER_ASSETS, if it is set", () => {
    const assets = folderWith("envtest", "kube-apiserver", "etcd", "kubectl");
    expect(findBinaries({ ...nothing, KUBEBUILDER_ASSETS: assets })).toEqual({
      layout: "envtest",
      apiserver: join(assets, "kube-apiserver"),
      etcd: join(assets, "etcd"),
      kubectl: join(assets, "kubectl"),
    });
  });

  it("are rejected with the name of the program that KUBEBUILDER_ASSETS lacks", () => {
    const assets = folderWith("incomplete", "kube-apiserver", "kubectl");
    expect(() => findBinaries({ KUBEBUILDER_ASSETS: assets })).toThrow(`${assets} has no etcd`);
  });

  it("are otherwise those that were built from the current sources", () => {
    const env = { XDG_CACHE_HOME: join(scratch, "cache") };
    expect(findBinaries(env)).toBeUndefined();
    const folder = cacheFolder(env);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "apiserver-with-etcd"), "");
    expect(findBinaries(env)).toBeUndefined();
    writeFileSync(join(folder, "kubectl"), "");
    expect(findBinaries(env)).toEqual(builtBinaries(folder));
  });

  it("are kept outside the repository, in the cache of the user", () => {
    expect(cacheFolder({ HOME: "/home/jo" })).toMatch(
      /^\/home\/jo\/\.cache\/antechamber\/cluster\/[0-9a-f]{16}$/,
    );
    expect(cacheFolder({ HOME: "/home/jo", XDG_CACHE_HOME: "/c" })).toMatch(/^\/c\/antechamber\/cluster\//);
  });

  it("are built again when a source changes", () => {
    const sources = folderWith("sources", "go.mod", "go.sum", "main.go", "notes.md");
    const before = cacheFolder(nothing, sources);
    writeFileSync(join(sources, "notes.md"), "changed");
    expect(cacheFolder(nothing, sources)).toBe(before);
    writeFileSync(join(sources, "main.go"), "changed");
    expect(cacheFolder(nothing, sources)).not.toBe(before);
  });

  it("are those of another release of Kubernetes where that is asked for", () => {
    const env = { XDG_CACHE_HOME: join(scratch, "releases") };
    const newer = { ...env, KUBERNETES: "1.37" };
    expect(apiserverFolder(env)).toBe(cacheFolder(env));
    // No name of a build that `antechamber dev` looks for.
    expect(basename(apiserverFolder(newer))).toMatch(/^[0-9a-f]{16}-v1\.37$/);
    mkdirSync(apiserverFolder(newer), { recursive: true });
    for (const name of ["apiserver-with-etcd", "kubectl"])
      writeFileSync(join(apiserverFolder(newer), name), "");
    expect(findBinaries(env)).toBeUndefined();
    expect(findBinaries(newer)).toEqual(builtBinaries(apiserverFolder(newer)));
    expect(() => findBinaries({ ...env, KUBERNETES: "1.20" })).toThrow("can only be 1.36 or 1.37");
  });

  it("are reported as missing in one line, which says how to get them", () => {
    expect(requireBinaries(nothing)).toBeUndefined();
    expect(leftOut.split("\n")).toHaveLength(1);
    expect(leftOut).toContain("npm run cluster:build");
  });

  it("are required in CI", () => {
    expect(() => requireBinaries({ ...nothing, CI: "true" })).toThrow(leftOut);
  });
});

describe("OpenKruise", () => {
  it("is found as it was built from the current module, with its manifests", () => {
    const env = { XDG_CACHE_HOME: join(scratch, "kruise") };
    const folder = cacheFolder(env, kruiseSources);
    expect(folder).not.toBe(cacheFolder(env));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "kruise-manager"), "");
    expect(findKruise(env)).toBeUndefined();
    writeFileSync(join(folder, "install.yaml"), "");
    expect(findKruise(env)).toEqual(builtKruise(folder));
  });

  it("is reported as missing in one line, which says how to get it, and required in CI", () => {
    expect(requireKruise(nothing)).toBeUndefined();
    expect(kruiseLeftOut.split("\n")).toHaveLength(1);
    expect(kruiseLeftOut).toContain("npm run cluster:build");
    expect(() => requireKruise({ ...nothing, CI: "true" })).toThrow(kruiseLeftOut);
  });
});

describe("the program that asks OpenKruise's functions", () => {
  it("is found as it was built from its module as it is", () => {
    const env = { XDG_CACHE_HOME: join(scratch, "functions") };
    const folder = cacheFolder(env, functionsSources);
    expect(findFunctions(env)).toBeUndefined();
    mkdirSync(folder, { recursive: true });
    writeFileSync(builtFunctions(folder), "");
    expect(findFunctions(env)).toBe(builtFunctions(folder));
  });

  it("is missed in one line, which says how to get it, and demanded in CI", () => {
    expect(requireFunctions(nothing)).toBeUndefined();
    expect(functionsLeftOut.split("\n")).toHaveLength(1);
    expect(functionsLeftOut).toContain("npm run cluster:build");
    expect(() => requireFunctions({ ...nothing, CI: "true" })).toThrow(functionsLeftOut);
  });
});

describe("the CRDs of other projects", () => {
  it("are found in the cache once all of them are there", () => {
    const env = { XDG_CACHE_HOME: join(scratch, "crds") };
    const folder = cacheFolder(env, publishedSources);
    const [first = "", ...others] = publishedCrds.map(({ copy }) => copy);
    folderWith(folder.slice(scratch.length), ...others);
    expect(findPublished(env)).toBeUndefined();
    writeFileSync(join(folder, first), "");
    expect(findPublished(env)).toBe(folder);
  });

  it("are reported as missing in one line, which says how to get them, and required in CI", () => {
    expect(requirePublished(nothing)).toBeUndefined();
    expect(publishedLeftOut.split("\n")).toHaveLength(1);
    expect(publishedLeftOut).toContain("npm run cluster:build");
    expect(() => requirePublished({ ...nothing, CI: "true" })).toThrow(publishedLeftOut);
  });

  it("come from pinned modules, whose content go.sum checks", () => {
    const sums = readFileSync(join(publishedSources, "go.sum"), "utf8");
    for (const module of publishedModules()) {
      expect(module).toMatch(/@v\d+\.\d+\.\d+$/);
      expect(sums).toContain(`${module.replace("@", " ")} h1:`);
    }
    expect(publishedSteps().map(({ args }) => args)).toEqual([
      ["mod", "download", "-json", ...publishedModules()],
    ]);
  });
});

describe("building", () => {
  it("uses OpenKruise's own main package", () => {
    expect(kruiseSteps("/cache").map(({ args }) => args.slice(-3))).toEqual([
      ["-o", "/cache/kruise-manager", "github.com/openkruise/kruise"],
    ]);
  });

  it("stamps both programs with the release that go.mod requires", () => {
    expect(kubernetesVersion()).toMatch(/^v1\.\d+\.\d+$/);
    for (const { args } of buildSteps("/cache", "v1.36.3")) {
      const linker = args[args.indexOf("-ldflags") + 1];
      expect(linker).toContain("version.gitVersion=v1.36.3 ");
      expect(linker).toContain("version.gitMajor=1 ");
      expect(linker).toMatch(/version\.gitMinor=36$/);
    }
  });

  it("takes the modules of each release from a file of its own", () => {
    for (const release of releases) {
      const version = kubernetesVersion(release);
      expect(version).toMatch(new RegExp(`^v${RegExp.escape(release)}\\.\\d+$`));
      const from = buildSteps("/cache", version, moduleFile(release)).map(({ args }) =>
        args.includes(`-modfile=${moduleFile(release)}`),
      );
      expect(from).toEqual(release === "1.36" ? [false, false] : [true, true]);
    }
  });

  it("rejects a Go that is older than go.mod requires, and names the required version", () => {
    expect(goVersion()).toMatch(/^1\.\d+/);
    expect(goComplaint("go1.26.8", "1.26.0")).toBeUndefined();
    expect(goComplaint("go1.30", "1.26.0")).toBeUndefined();
    expect(goComplaint("go1.9.7", "1.26.0")).toContain("needs Go 1.26");
    expect(goComplaint("go1.25.1", "1.26.0")).toContain("go1.25.1 is too old");
    expect(goComplaint("", "1.26.0")).toContain("too old");
  });
});

describe("starting", () => {
  it("runs our own build as it is", () => {
    expect(clusterLaunch(builtBinaries("/c"), "/state", ["--v=4"])).toEqual({
      command: "/c/apiserver-with-etcd",
      args: ["--dir", "/state", "--until-eof", "--", "--v=4"],
    });
  });

  it("puts separate programs under a supervisor with the same arguments", () => {
    const separate = { layout: "envtest", apiserver: "/a/api", etcd: "/a/etcd", kubectl: "/a/k" } as const;
    const { command, args } = clusterLaunch(separate, "/state", ["--v=4"]);
    expect(command).toBe(process.execPath);
    expect(args[0]).toMatch(/supervisor\.ts$/);
    expect(args.slice(1, 5)).toEqual(["--etcd", "/a/etcd", "--apiserver", "/a/api"]);
    expect(args.slice(5)).toEqual(["--dir", "/state", "--until-eof", "--", "--v=4"]);
  });

  it("lets etcd listen on socket files only", () => {
    const listening = etcdArgs("/state").filter((arg) => arg.startsWith("--listen"));
    expect(listening).toHaveLength(2);
    for (const arg of listening) expect(arg).toMatch(/=unix:\/\/\/state\/\w+\.sock$/);
  });

  it("lets kube-apiserver listen on loopback only, and puts the flags of the caller last, so that they win", () => {
    const args = apiserverArgs("/state", 1234, ["--authorization-mode=AlwaysAllow"]);
    expect(args).toContain("--bind-address=127.0.0.1");
    expect(args).toContain("--secure-port=1234");
    expect(args.at(-1)).toBe("--authorization-mode=AlwaysAllow");
  });

  it("makes kubectl impersonate only the given user", () => {
    expect(kubectlArgs(["get", "pods"], undefined)).toEqual(["get", "pods"]);
    expect(kubectlArgs(["get", "pods"], "jane")).toEqual(["--as=jane", "get", "pods"]);
  });

  it("reads back the kubeconfig it writes", () => {
    const access = { url: "https://127.0.0.1:1", ca: "-----BEGIN CERTIFICATE-----\n", token: "t" };
    expect(kubeconfigAccess(kubeconfigText(access))).toEqual(access);
    expect(() => kubeconfigAccess("kind: Config")).toThrow("lacks a server");
  });
});
