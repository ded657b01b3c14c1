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
    const { of, name, isErased } = recentName(gateway[at]!);
    const value = fromLatin1(gateway[at + 1] ?? "");
    if (of === "property") properties.set(name, value, isErased);
    else if (of === "input") inputs.set(name, value, isErased);
    else if (value !== "") settings.set(name, value);
  }
  return {
    properties: properties.values,
    promptInputs: inputs.values,
    erasedProperties: properties.erased ?? NONE,
    erasedInputs: inputs.erased ?? NONE,
    settings,
  };
}

/** What a header's name says. */
interface LabelName {
  readonly of: "property" | "input" | "setting";
  readonly name: string;
  /** Its case was lost on the way. */
  readonly isErased: boolean;
}

const RECENT_MAX = 256;
/** Longer names are not remembered. */
const NAME_LENGTH_MAX = 128;
const recent = new Map<string, LabelName>();

/** The last few names are remembered, because a client's requests have the same ones. */
function recentName(raw: string): LabelName {
  const known = recent.get(raw);
  if (known !== undefined) return known;
  const read = readName(raw);
  if (raw.length > NAME_LENGTH_MAX) return read;
  if (recent.size >= RECENT_MAX) recent.clear();
  recent.set(raw, read);
  return read;
}

function readName(raw: string): LabelName {
  const lower = raw.toLowerCase();
  const isErased = raw === lower;
  const behind = (prefix: string) => fromLatin1(raw.slice(prefix.length));
  if (lower.startsWith(PROPERTY)) return { of: "property", name: behind(PROPERTY), isErased };
  if (lower.startsWith(PROMPT_INPUT)) return { of: "input", name: behind(PROMPT_INPUT), isErased };
  return { of: "setting", name: lower.slice("gateway-".length), isErased };
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
