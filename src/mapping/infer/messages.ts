import type { Json } from "../../plugin-host/contract.ts";
import { isObject, scalarText } from "../json.ts";
import { plainText } from "../llm/parts.ts";
import type { MessagePlaces } from "../mapping.ts";
import { below, type Pointer, valueAt, valuesAt } from "../pointer.ts";
import { branchesOf } from "./leaves.ts";
import { isEncoded, knownRole, says, WORDS, wordsOf } from "./member-names.ts";
import { toolCallsIn } from "./tools.ts";

interface Candidate {
  readonly places: MessagePlaces;
  readonly score: number;
}

/** The list of messages: the list whose elements look most like messages. */
export function inferMessages(bodies: readonly Json[]): MessagePlaces | undefined {
  const lists = new Set(
    bodies.flatMap((body) =>
      branchesOf(body)
        .filter(isList)
        .map(({ pointer }) => pointer),
    ),
  );
  const candidates: Candidate[] = [];
  for (const list of lists) {
    const each = bodies.map((body) => valuesAt(body, `${list}/*`)).filter((elements) => elements.length > 0);
    const found = each.length * 2 >= bodies.length ? asMessages(`${list}/*`, each) : undefined;
    if (found !== undefined) candidates.push(found);
  }
  return candidates.sort((a, b) => b.score - a.score)[0]?.places;
}
const isList = ({ value, pointer }: { value: Json; pointer: Pointer }) =>
  Array.isArray(value) && !pointer.includes("*");

function asMessages(list: Pointer, conversations: readonly (readonly Json[])[]): Candidate | undefined {
  const all = conversations.flat();
  if (all.every((element) => typeof element === "string")) return asTurns(list, conversations);
  if (all.every(isRoleAndText)) {
    const roles = rolesOf(conversations.map((each) => each.map((element) => Object.keys(element)[0]!)));
    return { places: { list, role_is_name: true, roles }, score: 8 };
  }
  const pairs = all.every((element) => Array.isArray(element) && element.length >= 2);
  if (!pairs && !all.every(isObject)) return undefined;
  return asSpoken(list, conversations);
}

/** `{ "user": "hello" }` */
const isRoleAndText = (element: Json) => {
  if (!isObject(element)) return false;
  const [entry, ...more] = Object.entries(element);
  return entry !== undefined && more.length === 0 && knownRole(entry[0]) !== undefined && typeof entry[1] === "string";
};

/** Bare texts are turns only if the list's name suggests it: a list of stop words is a list of texts too. */
function asTurns(list: Pointer, conversations: readonly (readonly Json[])[]): Candidate | undefined {
  const named = /turn|histor|dialog|conversation|message|chat|transcript|exchange|talk/i.test(list);
  return named && conversations.every((each) => each.length % 2 === 1) ? { places: { list }, score: 3 } : undefined;
}

function asSpoken(list: Pointer, conversations: readonly (readonly Json[])[]): Candidate | undefined {
  const all = conversations.flat();
  const members = membersOf(all);
  const roles = members
    .map((pointer) => ({ pointer, score: roleScore(pointer, all, conversations) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  const role = roles[0];
  const texts = members
    .filter((pointer) => pointer !== role?.pointer)
    .map((pointer) => ({ pointer, score: textScore(pointer, all) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  const text = texts[0];
  if (text === undefined || role === undefined) return undefined;
  const said = conversations.map((each) => each.map((element) => scalarText(valueAt(element, role.pointer)) ?? ""));
  const calls = toolCallsIn(all);
  const places = {
    list,
    role: role.pointer,
    text: text.pointer,
    roles: rolesOf(said),
    ...(calls && { tool_calls: calls }),
  };
  return { places, score: role.score + text.score };
}

/** Places inside an element, as deep as messages go; content parts of a known type count as one place. */
function membersOf(elements: readonly Json[]): Pointer[] {
  const pointers = new Set<Pointer>();
  const visit = (value: Json, pointer: Pointer, depth: number) => {
    if (depth > 4) return;
    if (pointer !== "") pointers.add(pointer);
    if (Array.isArray(value) && pointer === "") {
      for (const [at, each] of value.slice(0, 4).entries()) visit(each, `/${at}`, depth + 1);
    } else if (Array.isArray(value)) for (const each of value.slice(0, 20)) visit(each, `${pointer}/*`, depth + 1);
    else if (isObject(value))
      for (const [name, each] of Object.entries(value)) visit(each, below(pointer, name), depth + 1);
  };
  for (const element of elements.slice(0, 200)) visit(element, "", 0);
  return [...pointers];
}

const ROLE_LENGTH_MAX = 30;
const ROLES_MAX = 6;

/**
 * Scores a place as the role: few, short, recurring values that every element has, known role names, or a telling member
 * name.
 */
function roleScore(pointer: Pointer, all: readonly Json[], conversations: readonly (readonly Json[])[]): number {
  const values = all.map((element) => scalarText(valueAt(element, pointer)));
  if (values.some((value) => value === undefined || value.length > ROLE_LENGTH_MAX || /\s/.test(value))) return 0;
  const distinct = new Set(values as string[]);
  if (distinct.size > ROLES_MAX) return 0;
  const known = [...distinct].filter((value) => knownRole(value) !== undefined).length / distinct.size;
  const named = wordsOf(pointer).some((word) => WORDS.role.has(word)) ? 1 : 0;
  const lasts = new Set(conversations.map((each) => scalarText(valueAt(each.at(-1), pointer))));
  const steady = lasts.size === 1 && distinct.size > 1 ? 1 : 0;
  const word = [...distinct].some((value) => /[a-z]/i.test(value)) ? 0.5 : 0;
  const flag = distinct.size === 2 && all.every((element) => typeof valueAt(element, pointer) === "boolean") ? 1 : 0;
  return known === 0 && named + steady + flag < 2 ? 0 : known * 4 + named * 2 + steady + flag + word;
}

function textScore(pointer: Pointer, all: readonly Json[]): number {
  const texts = all.map((element) =>
    valuesAt(element, pointer)
      .map((value) => (typeof value === "object" && !isParts(value) ? "" : (plainText(value) ?? "")))
      .join(""),
  );
  const filled = texts.filter((text) => text !== "");
  if (filled.length * 2 < all.length || filled.every(isEncoded)) return 0;
  const length = filled.reduce((sum, text) => sum + text.length, 0) / filled.length;
  const name = pointer.split("/").findLast((step) => step !== "*") ?? "";
  const spaced = filled.some((text) => /\s/.test(text)) ? 2 : 0;
  const distinct = new Set(filled).size > 1 || filled.length === 1 ? 1 : 0;
  const shallow = 1 / pointer.split("/").length;
  return Math.min(3, Math.log10(1 + length)) + spaced + distinct + shallow + (says(name, WORDS.text) ? 2 : 0);
}
const isParts = (value: Json) =>
  Array.isArray(value) && value.every((each) => isObject(each) && typeof each.text === "string");

/**
 * The meaning of each role name: by the word, otherwise by position, because the last message before a response is the
 * user's.
 */
function rolesOf(conversations: readonly (readonly string[])[]): Record<string, string> {
  const names = [...new Set(conversations.flat())];
  const roles: Record<string, string> = {};
  const last = mostFrequent(conversations.map((each) => each.at(-1)!).filter((name) => knownRole(name) !== "tool"));
  const taken = new Set<string>();
  for (const name of names) {
    const known = knownRole(name);
    if (known !== undefined && !(known === "assistant" && name === last)) {
      roles[name] = known;
      taken.add(known);
    }
  }
  for (const name of names) {
    if (Object.hasOwn(roles, name) || name === "__proto__") continue;
    const onlyFirst = conversations.every((each) => each.lastIndexOf(name) <= 0);
    if (name === last && !taken.has("user")) roles[name] = "user";
    else if (onlyFirst && conversations.some((each) => each.length > 1) && names.length > 2) roles[name] = "system";
    else roles[name] = taken.has("assistant") && !taken.has("user") ? "user" : "assistant";
  }
  return roles;
}

function mostFrequent(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}

/** Whether the conversation ends with a message for the model. */
export function lastIsUser(body: Json, { list, role, role_is_name: isName, roles = {} }: MessagePlaces): boolean {
  const last = valuesAt(body, list).at(-1);
  if (last === undefined) return false;
  if (isName) return roles[Object.keys(last)[0] ?? ""] === "user";
  if (role === undefined) return true;
  return ["user", "tool"].includes(roles[scalarText(valueAt(last, role)) ?? ""] ?? "");
}
