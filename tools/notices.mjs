// What the package and the image say of what they bring along: the bill of materials and the licences of all production
// dependencies. Both follow from package-lock.json and node_modules alone, so that the same lockfile gives the same bytes.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Writes sbom.cdx.json and THIRD-PARTY-LICENSES.txt into a folder. */
export function writeNotices(folder) {
  const packages = productionPackages();
  writeFileSync(
    path.join(folder, "sbom.cdx.json"),
    `${JSON.stringify(billOfMaterials(packages), undefined, 2)}\n`,
  );
  writeFileSync(path.join(folder, "THIRD-PARTY-LICENSES.txt"), licencesOf(packages));
}

/** Writes the licences of packages by their names, which something is built of that does not need them installed. */
export function writeLicences(file, names) {
  const packages = lockedPackages(([folder]) => names.has(folder.replace(/^node_modules\//, "")));
  writeFileSync(file, licencesOf(packages));
}

/** CycloneDX, as npm tells it, of these packages alone and without what changes from one run to the next. */
function billOfMaterials(packages) {
  // Not --omit=dev: that leaves out what a development dependency needs too (npm 11).
  const args = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only", "--workspaces=false"];
  const bill = JSON.parse(
    execFileSync("npm", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
  );
  const { $schema, bomFormat, specVersion, metadata, components, dependencies } = bill;
  const refs = new Set(packages.map(({ name, version }) => `${name}@${version}`));
  const content = {
    version: 1,
    metadata: metadataOf(metadata),
    components: components.filter((each) => refs.delete(each["bom-ref"])),
    dependencies: dependenciesAmong(dependencies, packages, metadata.component["bom-ref"]),
  };
  if (refs.size > 0) throw new Error(`npm sbom leaves out ${[...refs].join(", ")}`);
  return {
    $schema,
    bomFormat,
    specVersion,
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}`,
    ...content,
  };
}

/** Without the time, and with the name of the package, which npm takes from the folder. */
function metadataOf({ timestamp: _, component, ...metadata }) {
  return {
    ...metadata,
    component: { ...component, name: JSON.parse(readFileSync("package.json", "utf8")).name },
  };
}

function dependenciesAmong(dependencies, packages, root) {
  const { dependencies: wanted } = JSON.parse(readFileSync("package.json", "utf8"));
  const refs = new Set(packages.map(({ name, version }) => `${name}@${version}`));
  const isWanted = (ref) => Object.hasOwn(wanted, ref.slice(0, ref.lastIndexOf("@")));
  return dependencies
    .filter(({ ref }) => ref === root || refs.has(ref))
    .map(({ ref, dependsOn }) => ({
      ref,
      dependsOn: dependsOn.filter((each) => refs.has(each) && (ref !== root || isWanted(each))),
    }));
}

/** A UUID of version 8 (RFC 9562, 5.8): the same for the same content. */
function uuidOf(text) {
  const hex = createHash("sha256").update(text).digest("hex");
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join("-");
}

/** What `npm install --omit=dev` brings to a user: not our workspaces, nor the Node.js of our scripts. */
function productionPackages() {
  return lockedPackages(
    ([folder, { dev, link, optional }]) =>
      folder.startsWith("node_modules/") && dev !== true && link !== true && optional !== true,
  );
}

function lockedPackages(isMeant) {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  return Object.entries(packages)
    .filter(isMeant)
    .map(([folder, { version, license }]) => ({
      name: folder.split("node_modules/").at(-1),
      folder,
      version,
      license,
    }))
    .sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version) || compare(a.folder, b.folder));
}

function licencesOf(packages) {
  const seen = new Set();
  const sections = packages.flatMap((each) => {
    const title = `${each.name} ${each.version} (${each.license})`;
    if (seen.has(title)) return [];
    seen.add(title);
    return [`${title}\n${"=".repeat(title.length)}\n\n${licenceTexts(each)}\n`];
  });
  return `Antechamber brings these packages along, each under its own licence.\n\n\n${sections.join("\n\n")}`;
}

function licenceTexts({ name, folder }) {
  if (!existsSync(folder)) throw new Error(`${name} is not installed; run npm ci`);
  const files = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice|unlicense)/i.test(file))
    .sort();
  if (files.length === 0)
    throw new Error(`${name} brings no licence along; look for one before you depend on it`);
  return files
    .map((file) => readFileSync(path.join(folder, file), "utf8").replaceAll("\r\n", "\n").trim())
    .join("\n\n");
}

function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
