import type { Row } from "../language/function.ts";

/**
 * What Kubernetes declares for authorization (apiserver/pkg/cel/library/authz.go). A rule of a CRD has no authorizer to
 * call them on, so they never run; but their names are known, which shows in the faults of a rule.
 */
export const authorizationRows: readonly Row[] = [
  ["authorizer_path", "Authorizer .path(string): PathCheck"],
  ["authorizer_group", "Authorizer .group(string): GroupCheck"],
  ["authorizer_serviceaccount", "Authorizer .serviceAccount(string, string): Authorizer"],
  ["groupcheck_resource", "GroupCheck .resource(string): ResourceCheck"],
  ["resourcecheck_subresource", "ResourceCheck .subresource(string): ResourceCheck"],
  ["resourcecheck_namespace", "ResourceCheck .namespace(string): ResourceCheck"],
  ["resourcecheck_name", "ResourceCheck .name(string): ResourceCheck"],
  ["pathcheck_check", "PathCheck .check(string): Decision"],
  ["resourcecheck_check", "ResourceCheck .check(string): Decision"],
  ["decision_errored", "Decision .errored(): bool"],
  ["decision_error", "Decision .error(): string"],
  ["decision_allowed", "Decision .allowed(): bool"],
  ["decision_reason", "Decision .reason(): string"],
  ["authorizer_fieldselector", "ResourceCheck .fieldSelector(string): ResourceCheck"],
  ["authorizer_labelselector", "ResourceCheck .labelSelector(string): ResourceCheck"],
];
