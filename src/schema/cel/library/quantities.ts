import {
  addQuantities,
  asApproximateFloat,
  asInteger,
  compareQuantities,
  faultOfQuantity,
  parseQuantity,
  printQuantity,
  type Quantity,
  quantity,
  signOfQuantity,
  subtractQuantities,
} from "../../../apimachinery/quantity.ts";
import { type Row, type Run, taking } from "../language/function.ts";
import { quantityType } from "../language/types.ts";
import { CelError, errorOr, isInt, isText, type Thing, type Value } from "../language/values.ts";

class QuantityValue implements Thing {
  readonly thing = quantityType;
  readonly quantity: Quantity;
  constructor(amount: Quantity) {
    this.quantity = amount;
  }
  equals(other: Value): Value {
    return other instanceof QuantityValue
      ? compareQuantities(this.quantity, other.quantity) === 0
      : errorOr(other);
  }
  print(): string {
    return printQuantity(this.quantity);
  }
}

const isQuantity = (value: Value): value is QuantityValue => value instanceof QuantityValue;
const ofOne = (run: (amount: Quantity) => Value): Run => taking([isQuantity], (a) => run(a.quantity));
const ofTwo = (run: (a: Quantity, b: Quantity) => Value): Run =>
  taking([isQuantity, isQuantity], (a, b) => run(a.quantity, b.quantity));
const withInt = (run: (a: Quantity, b: Quantity) => Value): Run =>
  taking([isQuantity, isInt], (a, b) => run(a.quantity, quantity(b, 0, "DecimalExponent")));
const add = (a: Quantity, b: Quantity) => new QuantityValue(addQuantities(a, b));
const subtract = (a: Quantity, b: Quantity) => new QuantityValue(subtractQuantities(a, b));

/** Kubernetes' quantity library (apiserver/pkg/cel/library/quantity.go). */
export const quantityRows: readonly Row[] = [
  ["string_to_quantity", "quantity(string): Quantity", taking([isText], toQuantity)],
  [
    "is_quantity_string",
    "isQuantity(string): bool",
    taking([isText], (text) => parseQuantity(text) !== undefined),
  ],
  ["quantity_sign", "sign(Quantity): int", ofOne((a) => BigInt(signOfQuantity(a)))],
  [
    "quantity_is_greater_than",
    "Quantity .isGreaterThan(Quantity): bool",
    ofTwo((a, b) => compareQuantities(a, b) > 0),
  ],
  [
    "quantity_is_less_than",
    "Quantity .isLessThan(Quantity): bool",
    ofTwo((a, b) => compareQuantities(a, b) < 0),
  ],
  [
    "quantity_compare_to",
    "Quantity .compareTo(Quantity): int",
    ofTwo((a, b) => BigInt(compareQuantities(a, b))),
  ],
  ["quantity_get_float", "Quantity .asApproximateFloat(): double", ofOne(asApproximateFloat)],
  [
    "quantity_get_int",
    "Quantity .asInteger(): int",
    ofOne((a) => asInteger(a) ?? new CelError("cannot convert value to integer")),
  ],
  ["quantity_is_integer", "Quantity .isInteger(): bool", ofOne((a) => asInteger(a) !== undefined)],
  ["quantity_add", "Quantity .add(Quantity): Quantity", ofTwo(add)],
  ["quantity_add_int", "Quantity .add(int): Quantity", withInt(add)],
  ["quantity_sub", "Quantity .sub(Quantity): Quantity", ofTwo(subtract)],
  ["quantity_sub_int", "Quantity .sub(int): Quantity", withInt(subtract)],
];

function toQuantity(text: string): Value {
  const read = parseQuantity(text);
  return read === undefined ? new CelError(faultOfQuantity(text) ?? "") : new QuantityValue(read);
}
