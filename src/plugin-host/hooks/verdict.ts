import type { Admission, Refusal } from "../contract.ts";

/** A refusal, the combined additions of all plugins to the request, or nothing. */
export type Verdict = Refusal | Admission | undefined;

export function isRefusal(verdict: Verdict): verdict is Refusal {
  return verdict !== undefined && "status" in verdict;
}

/** Merges two additions to a request. */
export function joined(before: Admission | undefined, next: Admission | undefined): Admission | undefined {
  if (before === undefined || next === undefined) return next ?? before;
  const responseHeaders = { ...before.responseHeaders, ...next.responseHeaders };
  if (before.send === undefined && next.send === undefined) return { responseHeaders };
  const [first, then] = [before.send, next.send];
  const send = { headers: { ...first?.headers, ...then?.headers }, body: { ...first?.body, ...then?.body } };
  return { responseHeaders, send };
}

/** A valid verdict of a hook. @throws if it is invalid. */
export function checkedVerdict(verdict: Verdict | void): Verdict {
  if (verdict === undefined || verdict === null) return undefined;
  if (typeof verdict === "object" && !("status" in verdict)) {
    checkAdmission(verdict);
    return verdict;
  }
  const { status, code, message, headers = {} } = verdict;
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    throw new Error("a refusal needs a status from 400 to 599");
  }
  if (typeof code !== "string" || typeof message !== "string") {
    throw new Error("a refusal needs a code and a message, both text");
  }
  if (!areHeaders(headers)) throw new Error("the headers of a refusal must be names and texts");
  return verdict;
}

/** Framing and routing headers: only the gateway sets them. */
const NOT_SETTABLE =
  /^(?:host|content-length|transfer-encoding|connection|te|upgrade|keep-alive|proxy-.*|gateway-.*)$/i;

function checkAdmission(admission: Admission): void {
  const unknown = Object.keys(admission).find((name) => name !== "responseHeaders" && name !== "send");
  if (unknown !== undefined) throw new Error(`a hook may return responseHeaders and send, not ${unknown}`);
  const { responseHeaders = {}, send = {} } = admission;
  const isEmpty = admission.responseHeaders === undefined && admission.send === undefined;
  if (isEmpty || !areHeaders(responseHeaders)) {
    throw new Error("a hook that lets a request pass returns nothing, or responseHeaders of names and texts");
  }
  if (![send, send.headers ?? {}, send.body ?? {}].every(isObject))
    throw new Error("send must be an object with headers and body, both objects");
  const { headers = {} } = send;
  const kept = Object.entries(headers).filter(([, value]) => value !== null);
  const unsettable = Object.keys(headers).find((name) => NOT_SETTABLE.test(name));
  if (unsettable !== undefined) throw new Error(`send cannot set the header ${unsettable}`);
  if (!areHeaders(Object.fromEntries(kept)) || kept.some(([, value]) => /[\0-\x08\x0a-\x1f\x7f]/.test(String(value))))
    throw new Error("the headers of send must be names and texts of one line, or null");
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function areHeaders(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).every(([name, text]) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && typeof text === "string");
}
