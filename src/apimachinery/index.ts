// The package's entry point `antechamber/apimachinery`: values of Kubernetes' own types, for the functions of kinds.

// Quantities, as resource.Quantity of apimachinery computes with them: `500m`, `2Gi`.

export {
  addQuantities,
  compareQuantities,
  faultOfQuantity,
  milliOf,
  negateQuantity,
  parseQuantity,
  printQuantity,
  type Quantity,
  type QuantityFormat,
  quantity,
  quantityOf,
  roundQuantity,
  signOfQuantity,
  subtractQuantities,
} from "./quantity.ts";

// The syntax of names and labels, and label selectors.

export {
  faultsOfDNS1123Label as dnsLabelFaults,
  faultsOfDNS1123Subdomain as dnsSubdomainFaults,
  labelKeyFaults,
  labelValueFaults,
} from "./names.ts";
export {
  meets,
  type Requirement,
  type Selector,
  type SelectorFault,
  selectorFaults,
  selectorOf,
} from "./selector.ts";
