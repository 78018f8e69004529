import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addQuantities,
  asApproximateFloat,
  asInteger,
  compareQuantities,
  faultOfQuantity,
  milliOf,
  negateQuantity,
  parseQuantity,
  printQuantity,
  type Quantity,
  quantity,
  quantityOf,
  roundQuantity,
  signOfQuantity,
  subtractQuantities,
} from "../../src/apimachinery/quantity.ts";

function read(text: string): Quantity {
  const found = parseQuantity(text);
  if (found === undefined) throw new Error(`${text}: ${faultOfQuantity(text)}`);
  return found;
}

const suffixes = ["", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const digits = fc.stringMatching(/^\d{1,20}$/);
const texts = fc
  .tuple(
    fc.constantFrom("", "-", "+"),
    digits,
    fc.option(fc.stringMatching(/^\.\d{0,12}$/), { nil: "" }),
    fc.oneof(
      fc.constantFrom(...suffixes),
      fc.integer({ min: -30, max: 30 }).map((exponent) => `e${exponent}`),
    ),
  )
  .map((parts) => parts.join(""));
const quantities = texts.map(read);
// Beyond these the suffix is lost, and with it the value (printQuantity).
const printable = quantities.filter(
  (each) =>
    each.format === "DecimalExponent" ||
    (compareQuantities(each, quantity(1n, 21)) < 0 && compareQuantities(each, quantity(-1n, 21)) > 0),
);

describe("what is printed", () => {
  // Measured with apimachinery v0.32.
  it.each([
    ["1000m", "1"],
    ["0.5", "500m"],
    [".5", "500m"],
    ["1.500", "1.500"],
    ["+5", "+5"],
    ["007", "007"],
    ["5.", "5."],
    ["+9Gi", "+9Gi"],
    ["1e3", "1e3"],
    ["1E3", "1E3"],
    ["12e6", "12e6"],
    ["1e2", "100"],
    ["1e22", "10e21"],
    ["1000k", "1M"],
    ["1024Mi", "1Gi"],
    ["1.5Gi", "1536Mi"],
    ["8Ki", "8Ki"],
    ["512Ki", "512Ki"],
    ["-0", "0"],
    ["0.1n", "1n"],
    ["0.5Ki", "512"],
    ["100Ei", "9223372036854775807"],
    ["1000E", "1"],
    ["1000000000000000000000", "1"],
    ["999E", "999E"],
    [".", "0"],
  ])("%s is %s", (text, printed) => {
    expect(printQuantity(read(text))).toBe(printed);
  });

  it("is the same amount when it is read again", () => {
    fc.assert(fc.property(printable, (each) => compareQuantities(read(printQuantity(each)), each) === 0));
  });

  it("is printed the same when it is read again", () => {
    fc.assert(
      fc.property(printable, (each) => {
        const printed = printQuantity(each);
        expect(printQuantity(read(printed))).toBe(printed);
      }),
    );
  });
});

describe("what is no quantity", () => {
  it.each([
    "",
    " 1",
    "1 ",
    "1x",
    "1KiB",
    "--1",
    "1.2.3",
    "1i",
    "1e",
    "1e1.5",
    "0x1",
    "1e9999999999",
    "1".repeat(9999),
  ])("%j", (text) => {
    expect(parseQuantity(text)).toBeUndefined();
    expect(faultOfQuantity(text)).toMatch(/quantit/);
  });

  it("a value that is neither text nor number", () => {
    expect([true, [], {}, undefined].map(quantityOf)).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe("arithmetic", () => {
  it("comparing is antisymmetric, and agrees with the sign of the difference", () => {
    fc.assert(
      fc.property(quantities, quantities, (a, b) => {
        expect(compareQuantities(a, b)).toBe(0 - compareQuantities(b, a) + 0);
        expect(signOfQuantity(subtractQuantities(a, b))).toBe(compareQuantities(a, b));
      }),
    );
  });

  it("taking away what was added leaves what was there", () => {
    fc.assert(
      fc.property(quantities, quantities, (a, b) => {
        expect(compareQuantities(subtractQuantities(addQuantities(a, b), b), a)).toBe(0);
        expect(compareQuantities(addQuantities(a, b), addQuantities(b, a))).toBe(0);
      }),
    );
  });

  it("rounding goes away from zero, to less than a unit further", () => {
    fc.assert(
      fc.property(quantities, (each) => {
        const rounded = roundQuantity(each, -3);
        const further = subtractQuantities(rounded, each);
        const size = signOfQuantity(each) < 0 ? negateQuantity(further) : further;
        expect(signOfQuantity(size)).toBeGreaterThanOrEqual(0);
        expect(compareQuantities(size, quantity(1n, -3))).toBeLessThan(0);
      }),
    );
    expect(printQuantity(roundQuantity(read("-1.0001"), -3))).toBe("-1001m");
  });

  it("zero takes the other's format", () => {
    expect(printQuantity(addQuantities(read("0"), read("128Mi")))).toBe("128Mi");
    expect(printQuantity(addQuantities(read("128Mi"), read("1")))).toBe("134217729");
  });

  it("milli units of what int64 cannot hold are what Go's are", () => {
    expect(milliOf(read("1.0001"))).toBe(1001n);
    expect(milliOf(read("-1.0001"))).toBe(-1001n);
    expect(milliOf(read("-1.0001Ki"))).toBe(-1024101n);
    expect(milliOf(read("1000E"))).toBe(0n);
  });
});

describe("as numbers", () => {
  it("an integer is one that was written without a fraction, in int64", () => {
    expect(
      ["50k", "8Ei", "1.0", "1000m", "1.5Gi", "9999999999999999999"].map((each) => asInteger(read(each))),
    ).toEqual([50000n, undefined, undefined, undefined, undefined, undefined]);
  });

  it("a double is near", () => {
    expect(["50k", "-1.5", "1e40", "1e-5", "1Ei"].map((each) => asApproximateFloat(read(each)))).toEqual([
      50000,
      -1.5,
      1e40,
      1e-5,
      2 ** 60,
    ]);
  });
});
