import type { ApiError } from "../../plugin/contract.ts";

/** How providers say that a prompt is longer than the model's context. */
const TOO_LONG =
  /prompt is too long|context[ _]length|context window|maximum context|too many (?:input )?tokens|input (?:token count|is too long|length)|exceeds? the (?:maximum|limit).{0,40}tokens|reduce the length/i;

/** Coding tools look for this failure, and compact the conversation. */
export const isContextError = ({ status, code, message }: ApiError): boolean =>
  code === "context_length_exceeded" ||
  ((status === 400 || status === 413 || status === 422) && TOO_LONG.test(message.slice(0, 2000)));
