// What V8 has and TypeScript's own library does not declare yet: source text access in JSON.parse, and raw JSON.
interface JsonReviverContext {
  readonly source?: string;
}
interface JSON {
  parse(
    text: string,
    reviver: (this: unknown, key: string, value: unknown, context: JsonReviverContext) => unknown,
  ): unknown;
  rawJSON(text: string): { readonly rawJSON: string };
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
}
