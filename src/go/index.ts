// The package's entry point `antechamber/go`: text as Go orders, prints and matches it, for kinds that must answer as a webhook in Go
// does. It may change with any release.

export { GoFault } from "./fault.ts";
export { printFloat } from "./numbers.ts";
export { compileRegexp, type Regexp } from "./regexp.ts";
export { compareBytes, quote } from "./text.ts";
