import { fromLatin1 } from "../../bodies/headers.ts";
import type { StoredLabels } from "../../engine/storable.ts";
import type { RawHeaders } from "../../spool/frame.ts";

/** The content of a request's `Gateway-*` headers. */
export interface Labels extends StoredLabels {
  /** All other headers with a value, by lower-case name without `gateway-`; the last one wins. */
  readonly settings: ReadonlyMap<string, string>;
}

const PROPERTY = "gateway-property-";
const PROMPT_INPUT = "gateway-prompt-input-";
const NONE: ReadonlySet<string> = new Set();
/** The names of most requests, which have none. */
export const NO_NAMES: Record<string, string> = Object.freeze(Object.create(null));

/**
 * A property's name keeps the spelling of the wire. A header name without any capital lost its case on the way (HTTP/2 and
 * some clients lower it); the name is then kept in lower case and marked, per header.
 */
export function readLabels(gateway: RawHeaders): Labels {
  const properties = new NamedValues();
  const inputs = new NamedValues();
  const settings = new Map<string, string>();
  for (let at = 0; at < gateway.length; at += 2) {
    const raw = gateway[at]!;
    const lower = raw.toLowerCase();
    const value = fromLatin1(gateway[at + 1] ?? "");
    const isErased = raw === lower;
    if (lower.startsWith(PROPERTY)) properties.set(fromLatin1(raw.slice(PROPERTY.length)), value, isErased);
    else if (lower.startsWith(PROMPT_INPUT)) inputs.set(fromLatin1(raw.slice(PROMPT_INPUT.length)), value, isErased);
    else if (value !== "") settings.set(lower.slice("gateway-".length), value);
  }
  return {
    properties: properties.values,
    promptInputs: inputs.values,
    erasedProperties: properties.erased ?? NONE,
    erasedInputs: inputs.erased ?? NONE,
    settings,
  };
}

/** If a name occurs twice, the last header wins, with its value and its case. */
class NamedValues {
  values = NO_NAMES;
  erased: Set<string> | undefined;

  set(name: string, value: string, isErased: boolean): void {
    if (name === "") return; // the gateway refuses it with 400, but the refusal is recorded too
    if (this.values === NO_NAMES) this.values = Object.create(null);
    this.values[name] = value;
    if (isErased) {
      this.erased ??= new Set();
      this.erased.add(name);
    } else this.erased?.delete(name);
  }
}
