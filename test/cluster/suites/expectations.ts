/** Why something cannot be kept, or is refused, or writes once more than needed: all else must be kept, silently. */
export interface Exception {
  readonly outcome: "lost" | "stays" | "refused" | "written once more";
  readonly why: string;
}

const noCopy = "the object is deleted and the file does not contain the data: there is no copy anywhere";
const createDropsStatus = "an API server drops status on create; restore it through /status";

/** The exceptions, by the name of an action or of a case of server-side apply. */
export const exceptions: ReadonlyMap<string, Exception> = new Map<string, Exception>([
  [
    "PUT with a stale resourceVersion (409)",
    { outcome: "refused", why: "the API server refuses a stale resourceVersion with 409; nothing changes" },
  ],
  ["`kubectl replace --force` of a file", { outcome: "lost", why: noCopy }],
  ["`kubectl replace --force` of an export", { outcome: "lost", why: createDropsStatus }],
  ["created from an export without our annotation", { outcome: "lost", why: noCopy }],
  ["created from an export", { outcome: "lost", why: createDropsStatus }],
  [
    "v1 applier drops the holder of a key",
    {
      outcome: "lost",
      why: "v1beta1 has id and holder in one value, which the applier no longer applies: the key is removed, and returns with the next apply",
    },
  ],
  [
    "v1beta1 applier drops one of three keys of one id",
    {
      outcome: "stays",
      why: "v1 can say one of the three; our copy holds the set as a whole, so what the set still has decides: the third key stays",
    },
  ],
  [
    "v1beta1 applier applies one brightness for lights of which v1beta1 holds one and v1 the others, twice",
    {
      outcome: "lost",
      why: "the server converts the object with the one light alone, for which the brightness has another value, so the second apply drops the brightness; apply the names together with it",
    },
  ],
  [
    "v1beta1 applier drops its only field",
    {
      outcome: "written once more",
      why: "the next write stores what v1's schema defaults to; it reads the same before and after",
    },
  ],
]);
