import { counterexampleOf } from "./counterexample.ts";

// Prints the counterexample that a law finds on a kind, as JSON; exits with 1 if it finds none.
const [kind = "", law = "", runs, seed] = process.argv.slice(2);
const broken = await counterexampleOf(kind, law, Number(runs), Number(seed));
console.log(JSON.stringify(broken ?? null));
process.exitCode = broken === undefined ? 1 : 0;
