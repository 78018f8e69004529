// Loads the kinds of each folder that is given, and prints the errors as a JSON list: a folder after the other, in one process.
import { loadKinds } from "../../src/kind/load-kinds.ts";

const messages: string[] = [];
for (const folder of process.argv.slice(2)) {
  process.chdir(folder);
  messages.push(
    await loadKinds(["."]).then(
      () => "",
      (error: Error) => error.message.replace("invalid kind definitions:\n", ""),
    ),
  );
}
process.stdout.write(JSON.stringify(messages));
