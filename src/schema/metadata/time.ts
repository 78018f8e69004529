import { isDate } from "../format/time.ts";
import { quote } from "../printed.ts";

/** A time of metadata in UTC and whole seconds, as the API server writes it, or why there is none. */
export type GoTime = { readonly text: string } | { readonly fault: string };

const layout = "2006-01-02T15:04:05Z07:00";
const pattern = /^(\d{4}-\d\d-\d\d)T(\d{1,2}):(\d\d):(\d\d)([.,]\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Reads RFC 3339 (metav1.Time). */
export function timeOf(text: string): GoTime {
  const [, date = "", hour = "", minute = "", second = "", , zone = ""] = pattern.exec(text) ?? [];
  const fits = date !== "" && isDate(date) && Number(hour) < 24 && minute < "60" && second < "60";
  if (!fits || zone.slice(1, 3) > "24" || zone.slice(4) > "60") return { fault: faultOf(text) };
  const offset =
    zone === "Z"
      ? 0
      : (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4))) * (zone.startsWith("-") ? -1 : 1);
  const at = Date.parse(`${date}T${hour.padStart(2, "0")}:${minute}:${second}Z`) - offset * 60_000;
  return { text: new Date(at).toISOString().replace(/\.\d+Z$/, "Z") };
}

/** The first part that does not fit; Go names it, and the layout's. */
function faultOf(text: string): string {
  const parts: readonly (readonly [RegExp, string])[] = [
    [/^\d{4}/, "2006"],
    [/^-/, "-"],
    [/^\d\d/, "01"],
    [/^-/, "-"],
    [/^\d\d/, "02"],
    [/^T/, "T"],
    [/^\d{1,2}/, "15"],
    [/^:/, ":"],
    [/^\d\d/, "04"],
    [/^:/, ":"],
    [/^\d\d([.,]\d+)?/, "05"],
    [/^(Z|[+-]\d\d:\d\d)/, "Z07:00"],
  ];
  let rest = text;
  for (const [part, name] of parts) {
    const found = part.exec(rest);
    if (found === null)
      return `parsing time ${quote(text)} as "${layout}": cannot parse ${quote(rest)} as "${name}"`;
    rest = rest.slice(found[0].length);
  }
  if (rest !== "") return `parsing time ${quote(text)}: extra text: ${quote(rest)}`;
  return `parsing time ${quote(text)}: ${outOfRange(text)} out of range`;
}

function outOfRange(text: string): string {
  const [, , month = "", , hour = "", minute = "", second = ""] =
    /^(\d{4})-(\d\d)-(\d\d)T(\d{1,2}):(\d\d):(\d\d)/.exec(text) ?? [];
  if (month < "01" || month > "12") return "month";
  if (Number(hour) > 23) return "hour";
  if (minute > "59") return "minute";
  if (second > "59") return "second";
  return isDate(text.slice(0, 10)) ? "time zone offset" : "day";
}
