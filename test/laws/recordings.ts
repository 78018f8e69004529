import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { parseJson } from "../../src/json/exact.ts";
import { isArray } from "../../src/json/json.ts";
import { type Recording, readRecording } from "../../src/laws/recording.ts";

const folder = "test/laws/recorded";

/** All recordings that any release left behind, a list in each file; none is ever written again. */
export function readRecordings(): readonly Recording[] {
  return globSync(`${folder}/*.json`)
    .sort()
    .flatMap((file) => {
      const list = parseJson(readFileSync(file, "utf8"));
      const recordings = (isArray(list) ? list : []).flatMap((each) => readRecording(each) ?? []);
      if (!isArray(list) || recordings.length < list.length)
        throw new Error(`${file} is not a list of recordings`);
      return recordings;
    });
}

/** Writes new recordings; a file that is there already stays as it is. */
export function writeRecordings(name: string, recordings: readonly Recording[]): void {
  const file = `${folder}/${name}.json`;
  if (!existsSync(file)) writeFileSync(file, `${JSON.stringify(recordings, null, 1)}\n`);
}
