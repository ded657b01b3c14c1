import type { ApiError } from "../../plugin-host/contract.ts";

/** Providers' messages for a prompt longer than the model's context. Routing uses the same list. */
const TOO_LONG = new RegExp(
  [
    "prompt is too long",
    "context[ _]length",
    "context window",
    "maximum context",
    "too many (?:input )?tokens",
    "input (?:token count|is too long|length)",
    "exceeds? the (?:maximum|limit|model'?s?) (?:allowed |of |number of )*(?:[\\d,_]+ )?(?:input )?(?:tokens|context)",
    "reduce the length",
  ].join("|"),
  "i",
);
/** Maximum characters that are searched; the relevant part is at the beginning. */
const LOOKED_AT_MAX = 4_096;
const STATUSES: ReadonlySet<number> = new Set([400, 413, 422]);

/** @param text - of an error, for example its message or its body. */
export const saysTooLong = (status: number, text: string): boolean =>
  STATUSES.has(status) && TOO_LONG.test(text.slice(0, LOOKED_AT_MAX));

/** Whether the prompt is too long. Coding tools detect this failure and compact the conversation. */
export const isContextError = ({ status, code, message }: ApiError): boolean =>
  code === "context_length_exceeded" || saysTooLong(status, message);
