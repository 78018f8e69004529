import { type Conversion, withSpec } from "../checks/webhook/webhooks.ts";

/** A conversion of which `open` of v1 is the size of v2, and `left` of v1 its `right`: their zeros say something. */
export const inOtherWords =
  (convert: Conversion): Conversion =>
  (object, desired) =>
    withSpec(convert(object, desired), ({ open, size, left, right, ...rest }) =>
      desired === "example.com/v1"
        ? {
            ...rest,
            ...(size === undefined ? {} : { open: size !== 0 }),
            ...(right === undefined ? {} : { left: right }),
          }
        : {
            ...rest,
            ...(open === undefined ? {} : { size: open === true ? 1 : 0 }),
            ...(left === undefined ? {} : { right: left }),
          },
    );
