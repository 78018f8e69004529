// The attacking process, separate so that its load does not delay the measuring one.
import { attackNamed } from "./hostile-list.ts";
import type { Target } from "./hostile-service.ts";

const attack = attackNamed(process.argv[2] ?? "");
if (attack === undefined || process.send === undefined) throw new Error("hostile.ts starts this");
const loose = attack.arm();
process.on("message", async (target: Target) => void process.send?.({ answered: await loose(target) }));
process.on("disconnect", () => process.exit());
process.send({ armed: true });
