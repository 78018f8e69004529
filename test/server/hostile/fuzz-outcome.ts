import { get, isObject, type JsonObject } from "../../../src/json/json.ts";
import type { Attack } from "./fuzz.ts";

/** The outcome of a request, which begins with `!` if it is a fault and with `?` if it is worth a look. */
export function outcomeOf({ isHttp, after, body }: Attack, answer: string): string {
  if (answer.startsWith("!")) return answer;
  if (answer === "") return isHttp && after === "waits" ? "!no answer" : "left or hung up";
  const [, code = ""] = /^HTTP\/1\.1 (\d{3}) /.exec(answer) ?? [];
  const text = Buffer.from(answer.slice(answer.indexOf("\r\n\r\n") + 4), "latin1").toString();
  const value = parsed(text);
  if (!isObject(value))
    return code === "417" || code === "400"
      ? `${code}, bare`
      : `!${code} with no JSON: ${text.slice(0, 200)}`;
  if (code === "200") return ofReview(value, parsed(body.toString()));
  if (code === "500") return `!500: ${text}`;
  const isStatus = value.kind === "Status" && value.status === "Failure" && String(value.code) === code;
  return isStatus && typeof value.message === "string" ? code : `!${code} is not a Status: ${text}`;
}

function ofReview(review: JsonObject, asked: unknown): string {
  if (!isObject(asked)) return "!an answer to what is not JSON";
  const { response } = review;
  if (review.kind !== asked.kind || review.apiVersion !== asked.apiVersion) return "!another envelope";
  if (!isObject(response) || response.uid !== get(asked, "request", "uid")) return "!another uid";
  return review.kind === "ConversionReview" ? ofConversion(response, asked) : ofAdmission(response);
}

function ofConversion(response: JsonObject, asked: JsonObject): string {
  const [status, message] = [get(response, "result", "status"), get(response, "result", "message")];
  const objects = get(asked, "request", "objects") as readonly unknown[];
  const converted = response.convertedObjects as readonly unknown[];
  if (status === "Failure")
    return typeof message === "string" && message !== "" ? "conversion: Failure" : "!no reason";
  if (status !== "Success" || converted.length !== objects.length) return "!neither success nor failure";
  const desired = get(asked, "request", "desiredAPIVersion");
  return converted.every((object) => isObject(object) && object.apiVersion === desired)
    ? "conversion: Success"
    : "!another version";
}

function ofAdmission({ allowed, patch, patchType, status }: JsonObject): string {
  if (allowed === false) {
    if (typeof get(status, "message") !== "string") return "!denied without a reason";
    const reason = String(get(status, "reason"));
    // A valid review that reports a fault of this project or of a kind.
    return `${reason === "InternalError" ? "?" : ""}admission: denied, ${reason}`;
  }
  if (allowed !== true || (patch === undefined) !== (patchType === undefined)) return "!no verdict";
  if (patch === undefined) return "admission: allowed";
  const steps = parsed(Buffer.from(String(patch), "base64").toString());
  return patchType === "JSONPatch" && Array.isArray(steps) ? "admission: changed" : "!no patch";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No JSON, which is an answer too.
    return undefined;
  }
}

/** What an attack sends, cut short. */
export function describe({ what, endpoint, parts }: Attack): string {
  return `${what}, /${endpoint}\n${Buffer.concat(parts).toString().slice(0, 4_000)}`;
}
