import { describe, expect, it } from "vitest";
import {
  listWith,
  printRecords,
  printWorking,
  readRecords,
  readWorking,
  recordAt,
  recordTails,
} from "../../../webhooks/core/pod/records.ts";
import { goString } from "../../../webhooks/kruise/shared/go-json.ts";

function rewritten(text: string): string | undefined {
  const records = readRecords(text);
  return records && printRecords(records);
}

describe("records that a pod brings along", () => {
  it.each([
    ["", "{}"],
    ["null", "{}"],
    ["{}", "{}"],
    [
      '{ "b": {"hash":"h"}, "a": null }',
      '{"a":{"updateTimestamp":null,"hash":"","sidecarSetName":"","sidecarList":null},"b":{"updateTimestamp":null,"hash":"h","sidecarSetName":"","sidecarList":null}}',
    ],
    [
      '{"a":{"updateTimestamp":"2026-01-01T02:30:00.9+02:00","hash":"<h>","sidecarSetName":"a","sidecarList":["x",null],"controllerRevision":"r","more":1}}',
      '{"a":{"updateTimestamp":"2026-01-01T00:30:00Z","hash":"\\u003ch\\u003e","sidecarSetName":"a","sidecarList":["x",""],"controllerRevision":"r"}}',
    ],
    ['{"a":"old"}', '{"a":{"updateTimestamp":null,"hash":"old","sidecarSetName":"a","sidecarList":null}}'],
    [
      '{"__proto__":{"hash":"h"}}',
      '{"__proto__":{"updateTimestamp":null,"hash":"h","sidecarSetName":"","sidecarList":null}}',
    ],
  ])("are rewritten as typed Go encodes them: %s", (text, expected) => {
    expect(rewritten(text)).toBe(expected);
  });

  it.each([
    "nonsense",
    "[]",
    "1",
    '{"a":1}',
    '{"a":"old","b":{}}',
    '{"a":{"hash":1}}',
    '{"a":{"sidecarList":[1]}}',
    '{"a":{"updateTimestamp":"yesterday"}}',
    '{"a":{"updateTimestamp":"2026-13-01T00:00:00Z"}}',
  ])("are rejected if malformed: %s", (text) => {
    expect(readRecords(text)).toBeUndefined();
  });
});

it("a record has its members in OpenKruise's order, and a revision only if there is one", () => {
  const tails = recordTails({
    set: "log",
    hash: "H1",
    hashWithoutImage: "H2",
    sidecarList: ["agent"],
    controllerRevision: "log-1",
  });
  expect(recordAt(goString("2026-01-01T00:00:00Z"), tails.hash)).toBe(
    '{"updateTimestamp":"2026-01-01T00:00:00Z","hash":"H1","sidecarSetName":"log","sidecarList":["agent"],"controllerRevision":"log-1"}',
  );
  expect(recordAt(goString("2026-01-01T00:00:00Z"), tails.hashWithoutImage)).toBe(
    '{"updateTimestamp":"2026-01-01T00:00:00Z","hash":"H2","sidecarSetName":"log","sidecarList":["agent"]}',
  );
});

it("the list names each SidecarSet once, by its bytes", () => {
  expect(listWith(undefined, ["b", "a"])).toBe("a,b");
  expect(listWith("z,b", ["b", "a", "\u{1f600}", "\uffff"])).toBe("a,b,z,\uffff,\u{1f600}");
});

it("working containers that cannot be read count as none", () => {
  expect(printWorking(readWorking('{"b":"b-2","a":1}'))).toBe('{"a":"","b":"b-2"}');
  expect(readWorking("{oops").size).toBe(0);
  expect(readWorking("[]").size).toBe(0);
});
