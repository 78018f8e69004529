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
} from "../../../quantity.ts";
import type { Row } from "../language/function.ts";
import { quantityType } from "../language/types.ts";
import { CelError, errorOr, type Thing, type Value } from "../language/values.ts";

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

const amount = (value: Value): Quantity => (value as QuantityValue).quantity;
const whole = (value: Value): Quantity => quantity(value as bigint, 0, "DecimalExponent");

/** Kubernetes' quantity library (apiserver/pkg/cel/library/quantity.go). */
export const quantityRows: readonly Row[] = [
  ["string_to_quantity", "quantity(string): Quantity", toQuantity],
  ["is_quantity_string", "isQuantity(string): bool", (text) => parseQuantity(text as string) !== undefined],
  ["quantity_sign", "sign(Quantity): int", (a) => BigInt(signOfQuantity(amount(a)))],
  [
    "quantity_is_greater_than",
    "Quantity .isGreaterThan(Quantity): bool",
    (a, b) => compareQuantities(amount(a), amount(b)) > 0,
  ],
  [
    "quantity_is_less_than",
    "Quantity .isLessThan(Quantity): bool",
    (a, b) => compareQuantities(amount(a), amount(b)) < 0,
  ],
  [
    "quantity_compare_to",
    "Quantity .compareTo(Quantity): int",
    (a, b) => BigInt(compareQuantities(amount(a), amount(b))),
  ],
  ["quantity_get_float", "Quantity .asApproximateFloat(): double", (a) => asApproximateFloat(amount(a))],
  [
    "quantity_get_int",
    "Quantity .asInteger(): int",
    (a) => asInteger(amount(a)) ?? new CelError("cannot convert value to integer"),
  ],
  ["quantity_is_integer", "Quantity .isInteger(): bool", (a) => asInteger(amount(a)) !== undefined],
  [
    "quantity_add",
    "Quantity .add(Quantity): Quantity",
    (a, b) => new QuantityValue(addQuantities(amount(a), amount(b))),
  ],
  [
    "quantity_add_int",
    "Quantity .add(int): Quantity",
    (a, b) => new QuantityValue(addQuantities(amount(a), whole(b))),
  ],
  [
    "quantity_sub",
    "Quantity .sub(Quantity): Quantity",
    (a, b) => new QuantityValue(subtractQuantities(amount(a), amount(b))),
  ],
  [
    "quantity_sub_int",
    "Quantity .sub(int): Quantity",
    (a, b) => new QuantityValue(subtractQuantities(amount(a), whole(b))),
  ],
];

function toQuantity(text: Value): Value {
  const read = parseQuantity(text as string);
  return read === undefined ? new CelError(faultOfQuantity(text as string) ?? "") : new QuantityValue(read);
}
