import type { Admission, Refusal } from "../contract.ts";

/** A refusal, what all plugins together add to the request, or nothing. */
export type Verdict = Refusal | Admission | undefined;

export function isRefusal(verdict: Verdict): verdict is Refusal {
  return verdict !== undefined && "status" in verdict;
}

/** What both add to a request. */
export function joined(before: Admission | undefined, next: Admission | undefined): Admission | undefined {
  if (before === undefined || next === undefined) return next ?? before;
  return { responseHeaders: { ...before.responseHeaders, ...next.responseHeaders } };
}

/** An answer of a hook that is one. @throws where it is not. */
export function checkedVerdict(answer: Verdict | void): Verdict {
  if (answer === undefined || answer === null) return undefined;
  if (typeof answer === "object" && !("status" in answer)) {
    const { responseHeaders } = answer;
    if (!areHeaders(responseHeaders)) {
      throw new Error("a hook that lets a request go on answers nothing, or responseHeaders of names and texts");
    }
    return answer;
  }
  const { status, code, message, headers = {} } = answer;
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    throw new Error("a refusal needs a status from 400 to 599");
  }
  if (typeof code !== "string" || typeof message !== "string") {
    throw new Error("a refusal needs a code and a message, both text");
  }
  if (!areHeaders(headers)) throw new Error("the headers of a refusal must be names and texts");
  return answer;
}

function areHeaders(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).every(([name, text]) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && typeof text === "string");
}
