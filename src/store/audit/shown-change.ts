import { MASKED, maskText } from "../../masking/mask.ts";
import { isSecretLabel } from "../../masking/names.ts";
import { canonical } from "./entry.ts";

/** Longer values are cut, so that entries stay readable. */
const TEXT_CHARS_MAX = 2_000;
/** A longer change is stored as its beginning only. */
const CHANGE_CHARS_MAX = 32_000;
const DEPTH_MAX = 40;

/** A value as canonical JSON: credentials in texts and values with secret names are masked. */
export function shownChange(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const text = canonical(masked(value, 0));
  return text.length <= CHANGE_CHARS_MAX ? text : JSON.stringify(`${text.slice(0, CHANGE_CHARS_MAX)}…`);
}

function masked(value: unknown, depth: number): unknown {
  if (typeof value === "string") return cut(maskText(storable(value)));
  if (typeof value !== "object" || value === null) return value;
  if (depth === DEPTH_MAX) return "…";
  if (Array.isArray(value)) return value.map((member) => masked(member, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      storable(name),
      typeof member === "string" && member !== "" && isSecretLabel(name) ? MASKED : masked(member, depth + 1),
    ]),
  );
}

function cut(text: string): string {
  return text.length <= TEXT_CHARS_MAX ? text : `${text.slice(0, TEXT_CHARS_MAX)}…`;
}

/** A text that every driver returns unchanged, so that its hash stays the same. */
export function storable(text: string): string {
  return text.replaceAll("\0", "\uFFFD").toWellFormed();
}
