import type { NewFile } from "../new-files.ts";

/** What the files of a new project depend on. */
interface Project {
  readonly name: string;
  /** What npm installs as antechamber, and as TypeScript. */
  readonly dependency: string;
  readonly typescript: string;
}

/** The files of a new project: settings, and a kind with two versions. */
export function projectFiles(project: Project): readonly NewFile[] {
  return [
    { file: "package.json", content: manifest(project) },
    { file: "tsconfig.json", content: `${JSON.stringify(compilerSettings, null, 2)}\n` },
    { file: ".gitignore", content: "node_modules/\nantechamber-ca.crt\nantechamber-dev.kubeconfig\ntls/\n" },
    { file: "README.md", content: readme(project) },
    { file: "webhooks/example.org/blind/kind.ts", content: kind },
    { file: "webhooks/example.org/blind/v1alpha1.ts", content: lens },
    { file: "webhooks/example.org/blind/v1alpha1.yaml", content: older },
    { file: "webhooks/example.org/blind/v1.yaml", content: newer },
    { file: "webhooks/example.org/blind/examples/kitchen.yaml", content: newerExample },
    { file: "webhooks/example.org/blind/examples/study.yaml", content: olderExample },
  ];
}

function manifest({ name, dependency, typescript }: Project): string {
  const content = {
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    engines: { node: ">=22.19.0" },
    scripts: {
      start: "antechamber serve",
      test: "antechamber verify",
      typecheck: "tsc -p tsconfig.json",
      manifests: "antechamber manifests --out manifests --types",
    },
    dependencies: { antechamber: dependency },
    devDependencies: { typescript },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Node.js runs the sources as they are: the compiler only checks them. */
const compilerSettings = {
  compilerOptions: {
    target: "es2024",
    module: "nodenext",
    types: [],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
  },
  include: ["webhooks"],
};

function readme({ name }: Project): string {
  return `# ${name}

Conversion and admission webhooks, served by Antechamber. Each folder below
\`webhooks/\` with a \`kind.ts\` is a kind; \`webhooks/example.org/blind\` is an example to replace.
They need Node.js 22.19 or newer.

\`\`\`sh
npm install
npm test                  # tests the laws of conversion on all kinds
npm start                 # serves them on https://localhost:9443
npm run manifests         # writes CRDs and webhook configurations to manifests/, and types next to each kind
npx antechamber import crd.yaml    # makes a kind from a CRD
\`\`\`
`;
}

const kind = `import { defineKind, version } from "antechamber";
import { v1alpha1 } from "./v1alpha1.ts";

export default defineKind({
  group: "example.org",
  kind: "Blind",
  plural: "blinds",
  scope: "Namespaced",
  versions: [version("v1alpha1", v1alpha1), version("v1")], // oldest first: the newest is stored
});
`;

const lens = `import { isInteger, lens, move, toDouble } from "antechamber";

/** v1alpha1 says whether the blind is closed; v1 has its position in percent, and its place. */
export const v1alpha1 = lens(
  move("spec.closed", "spec.position", {
    up: (closed) => (closed === true ? 0 : 100),
    // Only 0 is closed. The exact position is kept while v1alpha1 shows the object.
    down: (position) => (isInteger(position) ? toDouble(position) === 0 : undefined),
  }, { lossy: "v1alpha1 has no position between open and closed" }),
  move("spec.room", "spec.place.room"),
);
`;

const older = `# One entry of the CRD's spec.versions.
name: v1alpha1
served: true
storage: false
subresources:
  status: {}
schema:
  openAPIV3Schema:
    description: A window blind.
    type: object
    properties:
      spec:
        description: Desired state of the blind.
        type: object
        properties:
          closed:
            description: Whether it should be closed.
            type: boolean
          room:
            description: The room that it is in.
            type: string
      status:
        description: Observed state of the blind.
        type: object
        properties:
          observedGeneration:
            description: The generation that the status describes.
            type: integer
            format: int64
`;

const newer = `# One entry of the CRD's spec.versions: the newest version, which is stored.
name: v1
served: true
storage: true
subresources:
  status: {}
schema:
  openAPIV3Schema:
    description: A window blind.
    type: object
    properties:
      spec:
        description: Desired state of the blind.
        type: object
        properties:
          position:
            description: How far it should be open, in percent.
            type: integer
            format: int32
            minimum: 0
            maximum: 100
          slats:
            description: The angle of the slats, in degrees.
            type: integer
            format: int32
            minimum: -90
            maximum: 90
          place:
            description: Where it is.
            type: object
            properties:
              room:
                description: The room that it is in.
                type: string
      status:
        description: Observed state of the blind.
        type: object
        properties:
          observedGeneration:
            description: The generation that the status describes.
            type: integer
            format: int64
`;

const newerExample = `apiVersion: example.org/v1
kind: Blind
metadata:
  name: kitchen
  namespace: default
spec:
  position: 40
  slats: 15
  place:
    room: kitchen
`;

const olderExample = `apiVersion: example.org/v1alpha1
kind: Blind
metadata:
  name: study
  namespace: default
spec:
  closed: true
  room: study
`;
