import { formatBytes } from "../../parts/format.ts";
import type { RequestRecord } from "./record.ts";

/** The outcome of a request, if it is not simply its response; otherwise undefined. */
export function outcomeText(record: RequestRecord): string | undefined {
  const { response_status: status, outcome, error_code: code, error_message: message } = record;
  if (status === null) return "This request is in flight. The page follows it.";
  const said = [message && sentence(message), code && `(${code})`].filter(Boolean).join(" ");
  const cause = CAUSES[outcome ?? ""];
  if (cause !== undefined && OWN_MESSAGE.test(said)) return said;
  if (cause !== undefined) return said === "" ? cause : `${cause} ${said}`;
  if (status < 400) return undefined;
  if (outcome === "refused") return said === "" ? "The gateway refused this request." : said;
  return said === ""
    ? "The provider responded with an error: see the response."
    : `The provider responded with an error. ${said}`;
}

/** Why there is no response from the provider, by outcome: the status alone does not show that it is not the provider's. */
const CAUSES: Readonly<Record<string, string>> = {
  client_gone: "The client disconnected before the end of the response. Everything up to then is recorded.",
  cut_off: "The gateway stopped before the end of the response. Everything up to then is recorded.",
  failed: "The gateway could not serve this request.",
  upstream_failed: "The provider closed the connection, or could not be reached.",
  upstream_timeout: "The provider did not respond in time.",
};

/** Messages of Weir that state the cause themselves, such as "the provider could not be reached". */
const OWN_MESSAGE = /^The provider /;

/** A text of the API as a sentence. A host name at its start stays in lower case. */
export function sentence(text: string): string {
  const begun = /^\S+\.\S/.test(text) ? text : `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

/** The missing parts of the record, with reasons, one sentence each. */
export function omissions(record: RequestRecord): string[] {
  const notes: string[] = [];
  if (record.truncated && record.outcome === "refused")
    notes.push(`The request was refused before its body was read whole: ${formatBytes(record.size_bytes)} are kept.`);
  else if (record.truncated)
    notes.push(`The bodies were longer than is recorded: ${formatBytes(record.size_bytes)} are kept.`);
  if (record.usage_estimated) notes.push("The provider reported no usage: the tokens are an estimate.");
  if (record.cached) notes.push("The response came from the cache: it cost nothing and reached no provider.");
  return notes;
}
