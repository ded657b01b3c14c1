import type { State } from "../../plugin-host/contract.ts";
import { isObject, parseJson, pickDefined, textOf } from "../json.ts";

/** Prefix of state in a member of another vendor's API. */
const MARK = "weir1.";

/** Packs state as `weir1.<issuer>.<base64url>`, which only Weir unpacks. */
export function packState({ issuer, ...rest }: State): string {
  const inside = Buffer.from(JSON.stringify({ k: rest.kind, v: rest.value, i: rest.id, o: rest.of }), "utf8");
  return `${MARK}${encodeURIComponent(issuer).replaceAll(".", "%2E")}.${inside.toString("base64url")}`;
}

export const isPacked = (text: string): boolean => text.startsWith(MARK);

/** Unpacks Weir's state; `undefined` if the text is something else. */
export function unpackState(text: string): State | undefined {
  if (!isPacked(text)) return undefined;
  const dot = text.indexOf(".", MARK.length);
  if (dot === -1) return undefined;
  const inside = parseJson(Buffer.from(text.slice(dot + 1), "base64url").toString("utf8"));
  const issuer = decoded(text.slice(MARK.length, dot));
  const value = textOf(inside?.v);
  if (!isObject(inside) || issuer === undefined || value === undefined) return undefined;
  const kind = inside.k === "encrypted" || inside.k === "redacted" ? inside.k : "signature";
  return pickDefined({
    issuer,
    kind,
    value,
    id: textOf(inside.i),
    of: inside.o === "call" ? "call" : undefined,
  }) as State;
}

function decoded(issuer: string): string | undefined {
  try {
    return decodeURIComponent(issuer);
  } catch {
    return undefined;
  }
}

/** The model's vendor, from an issuer with or without a credential. */
export const makerOf = (issuer: string): string => issuer.split(":", 1)[0]!;

/**
 * Whether state may be sent to an issuer. Encrypted state belongs to its credential if the credential is known on both
 * sides; other state belongs to the vendor, on any platform.
 */
export function belongsTo(state: State, issuer: string): boolean {
  if (makerOf(state.issuer) !== makerOf(issuer)) return false;
  if (state.kind !== "encrypted") return true;
  return state.issuer === issuer || !state.issuer.includes(":") || !issuer.includes(":");
}

/**
 * State for a client's member: unchanged if the member is the vendor's own, otherwise packed.
 *
 * @param maker - the vendor to whom the member belongs by definition; none for members that many vendors use.
 */
export const stateText = (state: State, maker?: string): string =>
  makerOf(state.issuer) === maker ? state.value : packState(state);

/** The reverse: state not packed by Weir is `maker`'s own, of the given kind. */
export const stateOf = (text: string, maker: string, kind: State["kind"]): State =>
  unpackState(text) ?? { issuer: maker, kind, value: text };
