// The package's entry point `antechamber/json`: JSON text with numbers that keep every digit, and values of which the text is
// written once because many responses contain them.

export { cacheString, cacheText } from "./cached-text.ts";
export { parseJson, writeJson } from "./exact.ts";
