import type { IncomingMessage } from "node:http";
import { StringDecoder } from "node:string_decoder";

/** A line longer than this is no event of an API server, whose objects have 3 MiB at most. */
const longestLine = 16 * 1024 * 1024;

/** The lines of an answer as they come; rejects where one has no end, or nothing is heard for so long. */
export async function* linesOf(
  response: IncomingMessage,
  silence: number,
): AsyncGenerator<string, void, void> {
  const decoder = new StringDecoder("utf8");
  response.setTimeout(silence, () => response.destroy(new Error("the watch fell silent")));
  let pending: string[] = [];
  let length = 0;
  for await (const chunk of response) {
    const pieces = decoder.write(chunk as Buffer).split("\n");
    const last = pieces.pop() ?? "";
    for (const piece of pieces) {
      yield [...pending, piece].join("");
      pending = [];
      length = 0;
    }
    pending.push(last);
    length += last.length;
    if (length > longestLine) throw new Error("an event of the watch has no end");
  }
}
