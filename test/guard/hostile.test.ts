import { describe, expect, it, onTestFinished } from "vitest";
import { webhookClient } from "../../src/cluster/api/webhook-client.ts";
import { get, isObject, type Json, type JsonObject, listAt, set } from "../../src/json/json.ts";
import {
  answerTo,
  type Conversion,
  faultless,
  Panic,
  webhookOf,
  withSpec,
} from "../checks/webhook/webhooks.ts";
import { bare, guarded, widget, widgets, withStored } from "./guarded.ts";
import { type Act, serverOf } from "./upstream-server.ts";

async function behind(act: Act, refused: "schema" | "fail" = "schema") {
  const { url, ca } = await serverOf(act);
  const client = webhookClient({ url, ca, timeout: 10_000, connections: 4 });
  onTestFinished(() => client.close());
  return guarded(client, { refused });
}

/** Answers faultlessly, but for objects of the size 13, of which it makes something else. */
function withOneBad(bad: (text: string, review: string) => ReturnType<Act>): Act {
  return (review) => {
    const text = answerTo(review, faultless);
    return review.includes('"size":13') ? bad(text, review) : text;
  };
}

const many = Array.from({ length: 40 }, (_, size) =>
  widget("v2", { size, secret: "s" }, { name: `w${size}` }),
);

const badly: readonly (readonly [string, (text: string, review: string) => ReturnType<Act>])[] = [
  [
    "is refused",
    (_, review) =>
      answerTo(review, () => {
        throw new Error("13 is unlucky");
      }),
  ],
  ["closes the connection", () => "close"],
  ["is answered with HTTP 500", () => ({ status: 500, text: "panic" })],
  ["is answered with text", () => "<html>oops</html>"],
  ["is answered with half of the JSON", (text) => text.slice(0, text.length / 2)],
  [
    "is left out of the answer",
    (_, review) =>
      answerTo(review, faultless).replace(/"convertedObjects":\[.*$/s, '"convertedObjects":[]}}'),
  ],
  ["gets another name", changed((object) => set(object, "metadata", "name", "other"))],
  ["gets another version", changed((object) => set(object, "apiVersion", "example.com/v3"))],
  [
    "comes back emptied",
    changed(
      ({ apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata, spec: { image: "" } }) as JsonObject,
    ),
  ],
  ["comes back as null", changed(() => null)],
];

function changed(change: (object: JsonObject) => Json) {
  return (text: string) => {
    const read = JSON.parse(text);
    const objects: JsonObject[] = read.response.convertedObjects;
    read.response.convertedObjects = objects.map((each) =>
      get(each, "spec", "size") === 13 ? change(each) : each,
    );
    return JSON.stringify(read);
  };
}

describe("an object that", () => {
  it.each(badly)("%s spoils no other, is shown by the schemas, and keeps everything", async (_, bad) => {
    const { convert, log } = await behind(withOneBad(bad));
    const shown = await convert(many, "example.com/v1");
    if (typeof shown === "string") throw new Error(shown);
    expect(shown.map((each) => get(each, "spec", "size"))).toEqual(many.map((_, size) => size));
    const views = shown.map(bare);
    // The bad one has no annotation of the upstream, which says `secret`: the field itself is carried.
    expect(views.map((each) => get(each, "metadata", "annotations", "example.com/secret"))).toEqual(
      many.map((_, size) => (size === 13 ? undefined : "s")),
    );
    expect(await convert(shown.filter(isObject), "example.com/v2")).toEqual(many);
    expect(
      log.filter(({ msg }) => msg === "the upstream does not convert an object: its schemas do"),
    ).not.toEqual([]);
    expect(new Set(log.map(({ name }) => name))).toEqual(new Set(["w13"]));
  });

  it("is refused makes its own conversion fail, if that is wished", async () => {
    const { convert } = await behind(
      withOneBad((_, review) =>
        answerTo(review, () => {
          throw new Error("13 is unlucky");
        }),
      ),
      "fail",
    );
    expect(await convert(many.slice(13, 14), "example.com/v1")).toBe(
      "objects[0]: Widget.example.com cannot be converted: the upstream does not convert it: 13 is unlucky",
    );
    expect(await convert(many.slice(12, 13), "example.com/v1")).toHaveLength(1);
  });
});

describe("an object that the upstream refuses", () => {
  const refused = (object: JsonObject) => get(object, "spec", "size") === 13;
  /** `timeout` is `left` at v1, so that half a conversion by the schemas would mix them up. */
  const moving: Conversion = (object, desired) => {
    const [from, to] = desired === "example.com/v1" ? ["timeout", "left"] : ["left", "timeout"];
    const made = { ...object, apiVersion: desired };
    return withSpec(made, ({ [from]: value, ...spec }) =>
      value === undefined ? spec : { ...spec, [to]: value },
    );
  };
  const crd = withStored(widgets, ["v2"]);
  const object = (size: number) => widget("v2", { size, timeout: "10m" });
  const only = async (answer: Promise<readonly Json[] | string>) => {
    const [made] = await answer;
    if (!isObject(made)) throw new Error("no object");
    return made;
  };

  it("in what a client wrote is not stored, as without the guard", async () => {
    const guard = guarded(
      webhookOf((each, desired) => {
        if (refused(each)) throw new Error("13 is unlucky");
        return moving(each, desired);
      }),
      { crd },
    );
    const view = await only(guard.convert([object(12)], "example.com/v1"));
    expect(view.spec).toEqual({ image: "a", size: 12, left: "10m" });
    expect(await guard.convert([set(view, "spec", "size", 13)], "example.com/v2")).toContain("13 is unlucky");
  });

  it("and that was written at an old version is read there as it was written", async () => {
    const without = (name: string) =>
      set(
        widgets,
        "spec",
        "versions",
        listAt(widgets, "spec", "versions").map((version) =>
          get(version, "name") === name && isObject(version)
            ? set(
                version,
                "schema",
                "openAPIV3Schema",
                "properties",
                "spec",
                "properties",
                "words",
                undefined,
              )
            : version,
        ),
      );
    // The words are those of v1, where the upstream prints a list even where there is none.
    const { convert, mutate } = guarded(
      webhookOf((each, desired) => {
        if (refused(each) && desired === "example.com/v2") throw new Error("13 is unlucky");
        const isOld = desired === "example.com/v1";
        return withSpec({ ...each, apiVersion: desired }, ({ words = [], ...spec }) =>
          isOld ? { ...spec, words } : spec,
        );
      }),
      { crd: withStored(without("v2")) },
    );
    const written = widget("v1", { size: 13, words: ["a"] });
    const stored = await only(convert([written], "example.com/v2"));
    expect(stored.spec).toEqual({ image: "a", size: 13 });
    expect((await only(convert([stored], "example.com/v1"))).spec).toEqual(written.spec);
    // A client of the new version changes it.
    const changed = set(stored, "spec", "mode", "Fast");
    const { patch } = await mutate({
      operation: "UPDATE",
      kind: { group: "example.com", version: "v2", kind: "Widget" },
      object: changed,
      oldObject: stored,
    });
    expect(patch).toBeUndefined();
    const view = await only(convert([changed], "example.com/v1"));
    expect(view.spec).toEqual({ image: "a", size: 13, words: ["a"], mode: "Fast" });
    // A client of the old one mends it, and the upstream converts it from then on.
    const mended = await only(convert([set(view, "spec", "size", 12)], "example.com/v2"));
    expect(mended.spec).toEqual({ image: "a", size: 12, mode: "Fast" });
    expect(JSON.stringify(mended)).not.toContain("converted-by-schema");
    expect((await only(convert([mended], "example.com/v1"))).spec).toEqual({
      image: "a",
      size: 12,
      mode: "Fast",
      words: ["a"],
    });
  });

  it("is shown by the schemas and comes back by them, even if the upstream is mended in between", async () => {
    let isMended = false;
    const guard = guarded(
      webhookOf((each, desired) => {
        if (refused(each) && !isMended) throw new Error("13 is unlucky");
        return moving(each, desired);
      }),
      { crd },
    );
    const view = await only(guard.convert([object(13)], "example.com/v1"));
    expect(view.spec).toEqual({ image: "a", size: 13, timeout: "10m" });
    isMended = true;
    const back = await only(guard.convert([set(view, "spec", "size", 14)], "example.com/v2"));
    expect(bare(back)).toEqual(object(14));
    expect((await only(guard.convert([back], "example.com/v1"))).spec).toMatchObject({ left: "10m" });
  });
});

describe("an upstream that", () => {
  const one = many.slice(0, 1);

  it("hangs makes the conversion fail before its caller stops waiting, in words that name it", async () => {
    const { convert } = await behind(() => "hang");
    expect(await convert(one, "example.com/v1", { milliseconds: 300 })).toMatch(
      /the upstream https:\/\/upstream\/convert cannot be used: no answer within 0\.\d+ s/,
    );
  });

  it("is not there makes the conversion fail, and says so", async () => {
    const client = webhookClient({ url: "https://127.0.0.1:1/convert", timeout: 1_000 });
    const { convert, upstream } = guarded(client);
    expect(await convert(one, "example.com/v1")).toContain("connect ECONNREFUSED");
    expect(upstream.fault).toContain("connect ECONNREFUSED");
    expect(upstream.wasReached).toBe(false);
  });

  it.each([401, 403, 404, 502, 503])(
    "answers with HTTP %i has said nothing about the object",
    async (status) => {
      const { convert } = await behind(() => ({ status, text: "no" }));
      expect(await convert(one, "example.com/v1")).toContain(`it answers with HTTP ${status}`);
    },
  );

  it("has never answered a review is no conversion webhook", async () => {
    const { convert, log } = await behind(() => "<html>Welcome to nginx!</html>");
    expect(await convert(one, "example.com/v1")).toContain("cannot be used: the answer is not a JSON object");
    expect(log).toEqual([]);
  });

  it("converts nothing makes the hub doubtful, and one that refuses some objects does not", async () => {
    const doubts = async (isRefused: (object: JsonObject) => boolean) => {
      const { convert, log } = await behind((review) =>
        answerTo(review, (object, desired) => {
          if (isRefused(object)) throw new Error("unexpected conversion version");
          return faultless(object, desired);
        }),
      );
      for (const each of many.slice(0, 6)) await convert([each], "example.com/v1");
      return log.filter(({ msg }) => String(msg).includes("--hub")).map(({ kind }) => kind);
    };
    expect(await doubts(() => true)).toEqual(["Widget.example.com"]);
    expect(await doubts((object) => Number(get(object, "spec", "size")) > 0)).toEqual([]);
  });

  it("ends with each review does not have its objects converted by the schemas", async () => {
    let isDead = false;
    const { convert } = await behind((review) => {
      isDead ||= review.includes('"size":13');
      return isDead ? "close" : answerTo(review, faultless);
    });
    expect(await convert(many, "example.com/v1")).toContain("cannot be used");
  });

  it("panics is asked for the other objects in a bounded number of requests", async () => {
    const { convert, asked } = await behind(
      withOneBad((_, review) => {
        try {
          return answerTo(review, () => {
            throw new Panic();
          });
        } catch {
          return "close";
        }
      }),
    );
    await convert(many, "example.com/v1");
    expect(asked.length).toBeLessThan(40);
  });
});
