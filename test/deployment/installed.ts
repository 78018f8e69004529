import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import packageJson from "../../package.json" with { type: "json" };

/** A project elsewhere that has the package as its users get it. */
export interface Installed {
  readonly folder: string;
  /** The files of the package. */
  readonly files: readonly string[];
  readonly remove: () => void;
}

/** What the package is made of; what is generated of it, packing makes. */
const sources = [
  ...["bin", "certs", "docs", "examples", "manifests", "src", "tools", "webhooks"],
  ...["CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md"],
  ...["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"],
];

/** Copies what `npm pack` needs of this checkout, with its dependencies. */
export function copyCheckout(folder: string): void {
  for (const each of sources) cpSync(each, path.join(folder, each), { recursive: true });
  symlinkSync(path.resolve("node_modules"), path.join(folder, "node_modules"));
}

/**
 * Packs a copy of the checkout, so that nobody's dist/ is replaced, and installs it in a project of its own: with npm,
 * or without a network by unpacking it beside what its package.json says it depends on, and nothing else.
 */
export function install(how: "npm" | "links"): Installed {
  const root = mkdtempSync(path.join(tmpdir(), "antechamber-package-"));
  const checkout = path.join(root, "checkout");
  const folder = path.join(root, "project");
  copyCheckout(checkout);
  const packed = JSON.parse(runIn(checkout, "npm", ["pack", "--json", "--silent"]));
  // npm 12 answers by name, those before with a list.
  const { filename, files } = Array.isArray(packed) ? packed[0] : packed[packageJson.name];
  mkdirSync(folder);
  writeFileSync(
    path.join(folder, "package.json"),
    '{ "name": "blinds", "type": "module", "private": true }\n',
  );
  const tarball = path.join(checkout, filename);
  if (how === "npm") runIn(folder, "npm", ["install", "--omit=dev", "--prefer-offline", "--silent", tarball]);
  else unpack(tarball, folder);
  const remove = () => rmSync(root, { recursive: true, force: true });
  return { folder, files: files.map((file: { path: string }) => file.path), remove };
}

/** Runs a command in a folder; gives back what it printed, and throws where it does not end well. */
export function runIn(folder: string, command: string, args: readonly string[]): string {
  // Scripts of ours have npm speak of this checkout by its environment.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  return execFileSync(command, args, {
    cwd: folder,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Installs the package without a network: what it depends on is linked. */
export function unpack(tarball: string, folder: string): void {
  const modules = path.join(folder, "node_modules");
  const own = path.join(modules, packageJson.name);
  mkdirSync(own, { recursive: true });
  runIn(own, "tar", ["xzf", tarball, "--strip-components=1"]);
  for (const name of Object.keys(packageJson.dependencies)) {
    mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
    symlinkSync(path.resolve("node_modules", name), path.join(modules, name));
  }
}
