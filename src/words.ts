/** A number of things in words: `no objects`, `1 object`, `2 objects`. */
export function counted(count: number, thing: string): string {
  return `${count === 0 ? "no" : count} ${thing}${count === 1 ? "" : "s"}`;
}
