import type { Json } from "../../plugin-host/contract.ts";
import { isObject } from "../json.ts";
import type { Losing } from "./draft.ts";

type TypeKind = "text" | "name" | "flag" | "object" | "list" | "textOrList" | "textOrObject";

/**
 * The required type of a member: a kind, a list of one type, or an object with typed members. Other members are
 * unrestricted.
 */
export type MemberType = TypeKind | readonly [MemberType] | { readonly [member: string]: MemberType };

const KINDS: Readonly<Record<TypeKind, { readonly fits: (value: Json) => boolean; readonly words: string }>> = {
  text: { fits: (value) => typeof value === "string", words: "a text" },
  name: { fits: (value) => typeof value === "string" && value !== "", words: "a name" },
  flag: { fits: (value) => typeof value === "boolean", words: "true or false" },
  object: { fits: isObject, words: "an object" },
  list: { fits: Array.isArray, words: "a list" },
  textOrList: { fits: (value) => typeof value === "string" || Array.isArray(value), words: "a text or a list" },
  textOrObject: { fits: (value) => typeof value === "string" || isObject(value), words: "a text or an object" },
};

/**
 * Notes each member of a wrong type as invalid, with its path; reading it as missing would lose it silently. A missing
 * member and `null` match every type except `name`. The reader itself checks that the body and the items of lists are
 * objects.
 */
export function noteWrongTypes(draft: Losing, value: Json, type: MemberType, at = ""): void {
  if (typeof type === "string") {
    const { fits, words } = KINDS[type];
    if (!fits(value) && (type === "name" || !isMissing(value))) draft.lose("invalid", at, `must be ${words}`);
  } else if (isMissing(value)) return;
  else if (!isItems(type)) noteMembers(draft, value, type, at);
  else if (!Array.isArray(value)) draft.lose("invalid", at, "must be a list");
  else for (const [index, item] of value.entries()) noteWrongTypes(draft, item, type[0], `${at}[${index}]`);
}

function noteMembers(draft: Losing, value: Json, types: Readonly<Record<string, MemberType>>, at: string): void {
  if (!isObject(value)) return;
  for (const name in types) {
    const [type, member] = [types[name]!, value[name]];
    // Most members are missing or fit: a path is made only for the others.
    if (isMissing(member) ? type !== "name" : typeof type === "string" && KINDS[type].fits(member)) continue;
    const place = at === "" ? name : `${at}.${name}`;
    if (typeof type === "object" && !isItems(type) && !isMissing(member) && !isObject(member))
      draft.lose("invalid", place, "must be an object");
    else noteWrongTypes(draft, member, type, place);
  }
}

const isMissing = (value: Json): boolean => value === undefined || value === null;
const isItems = (type: MemberType): type is readonly [MemberType] => Array.isArray(type);
