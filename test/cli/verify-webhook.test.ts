import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { localSource } from "../../certs/local.ts";
import packageJson from "../../package.json" with { type: "json" };
import { repeatCommand } from "../../src/cli/verify-webhook/repeat.ts";
import type { WebhookReport } from "../../src/cli/verify-webhook/report.ts";
import { webhookText } from "../../src/cli/verify-webhook/text.ts";
import { isNumber } from "../../src/json/exact.ts";
import { get, isArray, set } from "../../src/json/json.ts";
import { answerTo, type Conversion, Death, faultless, Panic, withSpec } from "../checks/webhook/webhooks.ts";
import { antechamber } from "../support/cli.ts";

const crd = "test/checks/webhook/widget.yaml";

/** No answer ever comes. */
class Silence extends Panic {}

/** A conversion webhook over HTTPS; `convert` may be replaced at any time. */
interface Serving {
  readonly url: string;
  readonly caFile: string;
  readonly folder: string;
  convert: Conversion;
  readonly stop: () => Promise<void>;
}

async function serving(): Promise<Serving> {
  const source = await localSource({ now: () => new Date() });
  const pair = source.current();
  source.stop();
  const folder = mkdtempSync(join(tmpdir(), "antechamber-webhook-"));
  const caFile = join(folder, "ca.crt");
  writeFileSync(caFile, source.authority());
  const server: Server = createServer(
    { cert: pair?.certificate ?? "", key: pair?.key ?? "" },
    (request, response) => {
      void text(request).then((review) => {
        try {
          response.end(answerTo(review, here.convert));
        } catch (error) {
          if (error instanceof Silence) return;
          // Go closes the connection after a panic; a process that ends takes the port with it.
          request.socket.destroy();
          if (error instanceof Death) server.close();
        }
      });
    },
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const here: Serving = {
    url: `https://localhost:${port}/convert`,
    caFile,
    folder,
    convert: faultless,
    stop: async () => {
      server.closeAllConnections();
      if (server.listening) {
        server.close();
        await once(server, "close");
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return here;
}

let webhook: Serving;
beforeAll(async () => {
  webhook = await serving();
});
afterAll(() => webhook.stop());

const forgetful: Conversion = (object, desired) =>
  desired.endsWith("/v1")
    ? withSpec(faultless(object, desired), (spec) => set(spec, "size", undefined))
    : faultless(object, desired);

/** The command in a page that repeats the run. */
function commandIn(page: string): string {
  return /\n(`{3,})sh\n(.*?)\n\1\n/s.exec(page)?.[2] ?? "";
}

/** The arguments that a POSIX shell gives to `antechamber`. */
function argumentsOf(command: string): readonly string[] {
  const script = `antechamber() { printf '%s\\0' "$@"; }\n${command}`;
  return execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
}

function verify(...more: readonly string[]) {
  const args = ["verify", "--url", webhook.url, "--ca", webhook.caFile, "--crd", crd];
  return antechamber([...args, "--seed", "1", "--runs", "3", ...more]);
}

describe("antechamber verify --url", () => {
  it("exits with 0 where nothing is lost, and says what annotations keep", async () => {
    webhook.convert = faultless;
    const { code, stdout, stderr } = await verify();
    expect(stdout).toContain("widgets.example.com (v1, v2): nothing is lost");
    expect(stdout).toContain("kept only while annotations stay  spec.secret");
    expect(stdout).toContain("not tried: v1 spec.options");
    expect(stderr).toContain("seed 1: --seed 1 repeats this run");
    expect(code).toBe(0);
  });

  it("exits with 1 and shows the smallest object and each view of it", async () => {
    webhook.convert = forgetful;
    const { code, stdout, stderr } = await verify();
    expect(code).toBe(1);
    expect(stderr).toContain("Conversion is not lossless:\nwidgets.example.com: 2 findings");
    const [, finding = ""] = stdout.split("  lost  spec.size  (v2 → v1 → v2)  3 is gone\n");
    expect(finding.split("\n").slice(0, 22).join("\n")).toMatchInlineSnapshot(`
      "      v2:
              apiVersion: example.com/v2
              kind: Widget
              metadata:
                name: a
                namespace: default
              spec:
                image: a
                size: 3
            v1:
              apiVersion: example.com/v1
              kind: Widget
              metadata:
                name: a
                namespace: default
              spec:
                image: a
            v2 again:
               spec:
                 image: a
              -  size: 3
        good to know:"
    `);
  });

  it("shows the objects of the first findings of a kind, and says where the others are", async () => {
    webhook.convert = forgetful;
    const report: WebhookReport = JSON.parse((await verify("-o", "json")).stdout);
    const kinds = report.kinds.map((kind) => {
      const [first] = kind.findings.filter(({ place }) => place === "spec.size");
      return { ...kind, findings: first === undefined ? [] : Array.from({ length: 22 }, () => first) };
    });
    const text = webhookText({ ...report, kinds }, { summary: false, coloured: false });
    expect(text.match(/^ {2}lost {2}spec\.size/gm)).toHaveLength(22);
    expect(text.match(/^ {6}v1:$/gm)).toHaveLength(20);
    expect(text).toContain("the objects of the last 2 findings: -o json and -o markdown have them");
  });

  it("has one line for each finding with --summary", async () => {
    webhook.convert = forgetful;
    const { stdout } = await verify("--summary");
    expect(stdout.split("\n").slice(0, 3)).toEqual(
      [
        "widgets.example.com (v1, v2): 2 findings; 1 place is kept only while annotations stay",
        "  lost  spec.size  (v1 → v2 → v1)  3 is gone",
        "  lost  spec.size  (v2 → v1 → v2)  3 is gone",
      ].map((line) => line),
    );
  });

  it("leaves out what --ignore names", async () => {
    webhook.convert = forgetful;
    expect((await verify("--ignore", "spec.size")).code).toBe(0);
  });

  it("prints JSON that keeps every digit", async () => {
    webhook.convert = (object, desired) => {
      if (!desired.endsWith("/v1")) return faultless(object, desired);
      return withSpec(faultless(object, desired), (spec) => set(spec, "serial", undefined));
    };
    const { stdout, code } = await verify("-o", "json");
    expect(code).toBe(1);
    expect(stdout).toContain('"place": "spec.serial"');
    expect(JSON.parse(stdout).kinds[0].tried).toBeGreaterThan(20);
  });

  it("prints a page for an issue with -o markdown", async () => {
    webhook.convert = forgetful;
    const { stdout } = await verify("-o", "markdown");
    expect(stdout).toContain("| lost | `spec.size` | v2 → v1 → v2 |");
    expect(stdout).toContain("```yaml\napiVersion: example.com/v2\nkind: Widget\n");
  });

  it("gives in the page the command that prints it again, quoted for a POSIX shell", async () => {
    webhook.convert = forgetful;
    const folder = mkdtempSync("node_modules/.cache/antechamber page ");
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const named = join(folder, "it's the `CA` of $HOME.crt");
    copyFileSync(webhook.caFile, named);
    const { url } = webhook;
    const files = ["--ca", named, "--crd", crd, "package.json", "-f", "test/checks/webhook/widget.yaml"];
    const settings = ["--kind", "widgets", "--ignore", "spec.secret", "--timeout", "61s", "--runs", "2"];
    const first = await antechamber(["verify", "--url", url, ...files, ...settings, "-o", "markdown"]);
    expect(first.code).toBe(1);
    const words = argumentsOf(commandIn(first.stdout));
    expect(words).toEqual(expect.arrayContaining(["--url", url, "--ca", named, "--timeout", "61s"]));
    expect(words).not.toContain("--max-time");
    // Without the seed it would draw other objects. Only times differ.
    const again = await antechamber([...words, "-o", "markdown"]);
    const [page, pageAgain] = [first, again].map(({ stdout }) =>
      stdout.replace(/, \d+ objects a second.*/, ""),
    );
    expect(pageAgain).toBe(page);
  });

  it("says in the page what made it, and leaves folders of this machine out", async () => {
    webhook.convert = faultless;
    const { stdout } = await verify("-o", "markdown");
    expect(stdout).toContain(`Made by \`antechamber verify\` ${packageJson.version}, which`);
    expect(stdout).toContain("`docs/guides/verify-url.md` says what is tried");
    expect(argumentsOf(commandIn(stdout))).toEqual(expect.arrayContaining(["--ca", "ca.crt", "--crd", crd]));
    expect(stdout).toContain("Files outside the working directory are named without their folders.");
    expect(stdout).not.toContain(tmpdir());
  });

  it("leaves credentials in the URL out of the page", async () => {
    webhook.convert = faultless;
    const secret = webhook.url.replace("https://", "https://me:hunter2@").concat("?token=abc123");
    const args = ["verify", "--url", secret, "--ca", webhook.caFile, "--crd", crd, "--runs", "1"];
    const { code, stdout } = await antechamber([...args, "-o", "markdown"]);
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/hunter2|abc123/);
    expect(argumentsOf(commandIn(stdout))).toContain(webhook.url);
    expect(stdout).toContain("of the URL are left out");
    expect((await verify("-o", "markdown")).stdout).not.toContain("left out");
  });

  it.each([
    ["junit", '<testcase classname="widgets.example.com" name="v2 → v1"'],
    ["sarif", '"ruleId": "lost"'],
    [
      "github",
      "::error file=test/checks/webhook/widget.yaml,line=2,title=widgets.example.com%3A v2 → v1 (lost)::spec.size",
    ],
  ])("prints findings for CI as %s", async (format, text) => {
    webhook.convert = forgetful;
    const { stdout, code } = await verify("-o", format);
    expect(stdout).toContain(text);
    expect(code).toBe(1);
  });

  it("finds the object that is answered with a closed connection", async () => {
    webhook.convert = (object, desired) => {
      if (JSON.stringify(object).includes('"mode":"Slow"')) throw new Panic();
      return faultless(object, desired);
    };
    const { stdout, code } = await verify("--summary");
    expect(code).toBe(1);
    expect(stdout).toContain("crashed  spec.mode  (v1 → v2)  the connection was closed without an answer");
  });

  it("notices at once that the process ended, and shows the object that ended it", async () => {
    const mortal = await serving();
    mortal.convert = (object, desired) => {
      if (JSON.stringify(object).includes('"mode":"Slow"')) throw new Death();
      return faultless(object, desired);
    };
    const args = ["verify", "--url", mortal.url, "--ca", mortal.caFile, "--crd", crd, "--seed", "1"];
    const { stdout, code } = await antechamber(args);
    await mortal.stop();
    expect(code).toBe(1);
    expect(stdout).toContain("crashed  the whole object  (v1 → v2)  this object ended the process");
    expect(stdout).toContain("mode: Slow");
    expect(stdout).toContain("ended early");
  });

  it.each<[string, readonly string[], string]>([
    ["no CRD", ["--url", "https://localhost:1/convert"], "--url needs the CRDs"],
    ["a URL that is not https", ["--url", "http://localhost/convert", "--crd", crd], "not an https URL"],
    ["nothing that listens", ["--url", "https://localhost:1/convert", "--crd", crd], "cannot be reached"],
    [
      "a file without a CRD",
      ["--url", "https://localhost:1/", "--crd", "package.json"],
      "no CustomResourceDefinition",
    ],
    [
      "an unknown kind",
      ["--url", "https://localhost:1/", "--crd", crd, "--kind", "x"],
      "known kinds are widgets.example.com",
    ],
    [
      "a key without its certificate",
      ["--url", "https://localhost:1/", "--crd", crd, "--client-key", "x"],
      "belong together",
    ],
    [
      "a CA that does not exist",
      ["--url", "https://localhost:1/", "--crd", crd, "--ca", "/nowhere"],
      "--ca: /nowhere does not exist",
    ],
    [
      "folders of kinds",
      ["webhooks/home/room", "--url", "https://localhost:1/", "--crd", crd],
      "one at a time",
    ],
    ["a law", ["--url", "https://localhost:1/", "--crd", crd, "--law", "total"], "checked as a whole"],
    ["Markdown of folders", ["-o", "markdown", "webhooks/home/room"], "add --url or --kubeconfig"],
  ])("exits with 2 for %s", async (_what, args, sentence) => {
    const { code, stderr } = await antechamber(["verify", ...args]);
    expect(stderr).toContain(sentence);
    expect(code).toBe(2);
  });

  it("asks for the CA of a certificate that it does not trust, or takes any", async () => {
    webhook.convert = faultless;
    const args = ["verify", "--url", webhook.url, "--crd", crd, "--seed", "1", "--runs", "1"];
    const refused = await antechamber(args);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("pass its CA with --ca <file>");
    expect((await antechamber([...args, "--insecure-skip-tls-verify"])).code).toBe(0);
  });

  it("reads a CRD from standard input", async () => {
    webhook.convert = faultless;
    const args = ["verify", "--url", webhook.url, "--ca", webhook.caFile, "--crd", "-", "--runs", "1"];
    expect((await antechamber(args, { input: readFileSync(crd, "utf8") })).code).toBe(0);
  });
});

describe("the command that repeats a run", () => {
  const repeated = (given: Partial<Parameters<typeof repeatCommand>[1]>, command = "antechamber") =>
    repeatCommand(
      command,
      {
        crd: [],
        kind: [],
        insecure: false,
        timeout: 10_000,
        file: [],
        stored: [],
        objects: 0,
        ignore: [],
        runs: 100,
        maxTime: 600_000,
        ...given,
      },
      7,
    );

  it("is as short as the run was", () => {
    expect(repeated({ url: "https://127.0.0.1:9443/convert", crd: ["config/crd"] })).toBe(
      "antechamber verify --url https://127.0.0.1:9443/convert --crd config/crd --runs 100 --seed 7",
    );
    expect(repeated({ kubeconfig: true, objects: 5, insecure: true, maxTime: 3_600_000 })).toBe(
      "antechamber verify --kubeconfig --objects 5 --insecure-skip-tls-verify --max-time 1h --runs 100 --seed 7",
    );
  });

  it("begins with the command as a reader types it", () => {
    expect(repeated({}, "npx antechamber")).toBe("npx antechamber verify --runs 100 --seed 7");
  });

  it("passes any word through a shell as it was", () => {
    // A shell cannot pass NUL, and lone surrogates are not UTF-8.
    const word = fc.string({ unit: "grapheme", minLength: 1 }).filter((each) => !each.includes("\0"));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 3 }), word, (crds, ca) => {
        const words = argumentsOf(repeated({ crd: crds, ca }));
        const isRisky = (each: string) => each.startsWith("-") && each !== "-";
        const optionOf = (name: string, each: string) => (isRisky(each) ? [`${name}=${each}`] : [name, each]);
        expect(words).toEqual([
          "verify",
          ...crds.flatMap((each) => optionOf("--crd", each)),
          ...optionOf("--ca", ca),
          ...["--runs", "100", "--seed", "7"],
        ]);
      }),
      { numRuns: 30 },
    );
  });
});

describe("what was not tried is not passed", () => {
  const silent = "test/checks/webhook/closed.yaml";
  const asked = (...more: readonly string[]) =>
    antechamber([
      "verify",
      "--url",
      webhook.url,
      "--ca",
      webhook.caFile,
      "--seed",
      "1",
      "--runs",
      "1",
      ...more,
    ]);

  it("exits with 4 when the time is over, says it first, and skips in JUnit", async () => {
    webhook.convert = faultless;
    const { code, stdout, stderr } = await verify("--max-time", "1ms");
    expect(stdout).toMatch(/^Not tried:\n {2}widgets\.example\.com v1 → v2: .* \(the time is over\)\n/);
    expect(stdout).toContain("widgets.example.com (v1, v2): not t");
    expect(stdout).not.toContain("nothing is lost");
    expect(stderr).toContain("not all was tried:\nwidgets.example.com v1 → v2");
    expect(code).toBe(4);
    const junit = await verify("--max-time", "1ms", "-o", "junit");
    expect(junit.stdout).toContain('tests="2" failures="0" errors="0" skipped="2"');
    expect(junit.stdout).toContain('<skipped message="not tried: widgets.example.com v2 → v1');
    expect((await verify("--max-time", "1ms", "--require-complete")).code).toBe(1);
  });

  it("exits with 4 where no object could be sent", async () => {
    webhook.convert = faultless;
    const { code, stdout } = await asked("--crd", silent);
    expect(stdout).toMatch(/^Not tried:\n {2}closeds\.example\.com v1 → v2: no object was sent \(spec: /);
    expect(stdout).toContain("closeds.example.com (v1, v2): not all was tried; nothing was lost in what was");
    expect(code).toBe(4);
  });

  it("gives each kind its share of the time", async () => {
    webhook.convert = faultless;
    const { stdout } = await asked("--crd", silent, crd, "--max-time", "1ms", "-o", "json");
    const { complete, kinds } = JSON.parse(stdout);
    expect(complete).toBe(false);
    expect(kinds.map(({ kind }: { readonly kind: string }) => kind)).toEqual([
      "closeds.example.com",
      "widgets.example.com",
    ]);
  });

  it("says in one line that a CRD is not converted by this webhook", async () => {
    webhook.convert = () => {
      throw new Error("no kind Closed is registered");
    };
    const { code, stdout } = await asked("--crd", silent);
    expect(stdout).toContain(
      "closeds.example.com: this webhook does not convert it: no kind Closed is registered",
    );
    expect(stdout).not.toContain("refused");
    expect(code).toBe(4);
  });
});

it.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)(
  "%s prints what is known by then, though no answer comes, and exits with %i",
  async (signal, code) => {
    let reviews = 0;
    const files = ["--ca", webhook.caFile, "--crd", crd];
    const args = ["src/cli.ts", "verify", "--url", webhook.url, ...files, "--seed", "1", "--summary"];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    webhook.convert = (object, desired) => {
      reviews += 1;
      if (reviews < 400) return forgetful(object, desired);
      child.kill(signal);
      throw new Silence();
    };
    const ended = once(child, "close");
    const stdout = await text(child.stdout);
    expect(await ended).toEqual([code, null]);
    expect(stdout).toMatch(/^Not tried:\n {2}widgets\.example\.com v1 → v2: .*\(interrupted\)\n/);
    expect(stdout).toContain("1 finding, and not all was tried");
  },
);

describe("--baseline", () => {
  const without =
    (...names: readonly string[]): Conversion =>
    (object, desired) =>
      desired.endsWith("/v1")
        ? withSpec(faultless(object, desired), (spec) =>
            names.reduce((made, name) => set(made, name, undefined), spec),
          )
        : faultless(object, desired);
  const file = () => join(webhook.folder, "known.json");

  it("passes what is known, fails what is new, and names what is gone", async () => {
    webhook.convert = without("size", "mode");
    writeFileSync(file(), (await verify("-o", "json")).stdout);
    const same = await verify("--baseline", file(), "--summary");
    expect(same.code, same.stderr).toBe(0);
    expect(same.stdout).toContain("widgets.example.com (v1, v2): nothing new; 4 known findings");
    webhook.convert = without("size", "words");
    const other = await verify("--baseline", file(), "--summary");
    expect(other.code).toBe(1);
    expect(other.stdout).toMatch(/2 new findings, 2 known/);
    expect(other.stdout).toContain("  lost  spec.words (2 places)  (v1 → v2 → v1)");
    expect(other.stdout).not.toContain("  lost  spec.size");
    expect(other.stdout).toContain("take it out of the baseline: lost spec.mode (v1 → v2 → v1)");
    // What is known stays known: a report against a baseline is a baseline.
    writeFileSync(file(), (await verify("--baseline", file(), "-o", "json")).stdout);
    expect((await verify("--baseline", file())).code).toBe(0);
  });

  it("says that nothing is gone that was not tried", async () => {
    webhook.convert = without("size");
    writeFileSync(file(), (await verify("-o", "json")).stdout);
    webhook.convert = faultless;
    const { code, stdout } = await verify("--baseline", file(), "--max-time", "1ms");
    expect(code).toBe(4);
    expect(stdout).not.toContain("take it out");
  });

  it.each([
    ["package.json", "not a report"],
    ["/nowhere", "ENOENT"],
    ["README.md", "not a report"],
  ])("refuses %s", async (name, words) => {
    const { code, stderr } = await verify("--baseline", name);
    expect(stderr).toContain(`--baseline ${name}: ${words}`);
    expect(stderr).toContain("make it with antechamber verify … -o json");
    expect(code).toBe(2);
  });
});

describe("--badge", () => {
  const badge = async (convert: Conversion, ...more: readonly string[]) => {
    webhook.convert = convert;
    const file = join(webhook.folder, "badge.json");
    const { code } = await verify("--badge", file, ...more);
    return { code, ...JSON.parse(readFileSync(file, "utf8")) };
  };

  it("is as green as the run", async () => {
    const bare: Conversion = (object, desired) => ({ ...object, apiVersion: desired });
    const endpoint = { schemaVersion: 1, label: "conversion" };
    expect(await badge(forgetful)).toEqual({ ...endpoint, code: 1, message: "2 findings", color: "red" });
    expect(await badge(faultless)).toEqual({
      ...endpoint,
      code: 0,
      message: "lossless while annotations stay",
      color: "green",
    });
    const lost = await badge(bare, "--ignore", "spec.secret");
    expect(lost).toEqual({ ...endpoint, code: 0, message: "nothing is lost", color: "brightgreen" });
    expect(await badge(faultless, "--max-time", "1ms")).toEqual({
      ...endpoint,
      code: 4,
      message: "not all tried",
      color: "lightgrey",
    });
  });

  it("is not left green when the webhook cannot be reached", async () => {
    const file = join(webhook.folder, "badge.json");
    const args = ["verify", "--url", "https://localhost:1/convert", "--crd", crd, "--badge", file];
    expect((await antechamber(args)).code).toBe(2);
    expect(JSON.parse(readFileSync(file, "utf8")).color).toBe("lightgrey");
    const nowhere = await verify("--badge", "/nowhere/badge.json");
    expect(nowhere.code).toBe(2);
    expect(nowhere.stderr).toContain("--badge /nowhere/badge.json: ENOENT");
  });
});

describe("--stored", () => {
  const older = "test/checks/webhook/widget-older.yaml";
  /** As Go decodes into a struct: another type is an error. */
  const typed: Conversion = (object, desired) => {
    const size = get(object, "spec", "size");
    if (size !== undefined && !isNumber(size))
      throw new Error(
        "json: cannot unmarshal string into Go struct field WidgetSpec.spec.size of type int32",
      );
    return faultless(object, desired);
  };

  it("finds objects of an older revision that the webhook refuses, and those that it empties", async () => {
    webhook.convert = (object, desired) => {
      const made = typed(object, desired);
      return isArray(get(object, "spec", "words") ?? []) ? made : { ...made, spec: { image: "" } };
    };
    expect((await verify("--summary")).code).toBe(0);
    const { code, stdout } = await verify("--summary", "--stored", older);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /frozen {2}spec\.size {2}\(v1 → v2 → v1\) {2}stored object: json: cannot unmarshal/,
    );
    expect(stdout).toMatch(
      /frozen {2}spec\.words \(2 places\) {2}\(v1 → v2 → v1\) {2}stored object: the answer is Success, and .*spec\.image/,
    );
    expect(stdout).not.toMatch(/frozen.*\(v2/);
  });

  it("finds nothing where the webhook reads what is stored", async () => {
    webhook.convert = faultless;
    const { code, stdout } = await verify("--summary", "--stored", older);
    expect(stdout).not.toContain("frozen");
    expect(code).toBe(0);
  });

  it.each([
    ["package.json", "no CustomResourceDefinition found"],
    ["test/checks/webhook/closed.yaml", "closeds.example.com is not among the kinds that are checked"],
  ])("refuses %s", async (file, words) => {
    const { code, stderr } = await verify("--stored", file);
    expect(stderr).toContain(words);
    expect(code).toBe(2);
  });
});
