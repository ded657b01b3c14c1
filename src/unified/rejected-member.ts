import { listOf, objectOf, parseJson, textOf } from "../mapping/json.ts";
import type { Json } from "../plugin-host/contract.ts";
import { topLevelMembers } from "./top-level.ts";

const DAY_MS = 86_400_000;
const TARGETS_MAX = 2_000;
const MEMBERS_MAX = 20;

/** Members that providers have reported as unsupported, by target, for a day. In memory, per process. */
export class RejectedMembers {
  readonly #known = new Map<string, Map<string, number>>();

  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  note(target: string, member: string): void {
    const members = this.#known.get(target) ?? new Map<string, number>();
    if (members.size >= MEMBERS_MAX) return;
    members.set(member, Date.now() + DAY_MS);
    if (this.#known.size >= TARGETS_MAX) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(target, members);
  }

  of(target: string): readonly string[] {
    const members = this.#known.get(target);
    if (members === undefined) return NONE;
    const now = Date.now();
    return [...members].filter(([, until]) => until > now).map(([member]) => member);
  }
}

const NONE: readonly string[] = [];

const UNSUPPORTED = /unsupported|unknown|not supported|deprecated|unrecognized|unexpected|extra inputs/i;
const QUOTED = /['"`]([A-Za-z_][\w.]{0,60})['"`]/g;

/** xAI's words, which quote nothing and name a member in camel case. */
const UNQUOTED = /(?:does not support parameter|not supported on this model:) ([A-Za-z]\w{0,60})/;

/** Members of a body that hold settings. */
const HOLDERS = new Set(["generationConfig", "inferenceConfig", "options"]);

/** Gemini's newer models refuse penalties in words that name no member. */
const PENALTY = /^penalty is not enabled/i;
const PENALTIES = ["presencePenalty", "frequencyPenalty"];

/**
 * The members that a 400 or 422 reports as unsupported: those of a list of faults, else `error.param`, else a member's name
 * in quotes, or in xAI's words; often one.
 */
export function rejectedMembers(errorText: string, sent: Uint8Array): readonly string[] {
  const body = parseJson(errorText.slice(0, 16_384));
  const faults = faultsIn(body);
  if (faults.length > 0) {
    const extra = new Set(faults.map(extraMember));
    return memberNames(sent).filter((name) => extra.has(name) && !NEEDED.has(name));
  }
  const error = objectOf(body?.error);
  const message =
    textOf(error?.["message"]) ?? textOf(body?.message) ?? textOf(body?.error) ?? errorText.slice(0, 2_000);
  const isPenalty = PENALTY.test(message);
  const unquoted = UNQUOTED.exec(message)?.[1];
  if (
    !isPenalty &&
    unquoted === undefined &&
    !UNSUPPORTED.test(message) &&
    !UNSUPPORTED.test(textOf(error?.["code"]) ?? "")
  )
    return NONE;
  const members = new Set(memberNames(sent));
  if (isPenalty) return PENALTIES.filter((name) => members.has(name));
  const named = [
    textOf(error?.["param"]),
    unquoted && snake(unquoted),
    ...[...message.matchAll(QUOTED)].map(([, name]) => name),
  ];
  const member = named.find((name) => name !== undefined && members.has(name) && !NEEDED.has(name));
  return member === undefined ? NONE : [member];
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Validators such as Mistral's list faults: under `detail`, alone or inside `message`, which may be text. */
function faultsIn(body: Json): readonly Json[] {
  const inside = typeof body?.message === "string" ? parseJson(body.message) : body?.message;
  return [body, inside].flatMap((each) => listOf(each?.detail));
}

/** The member that a fault calls unknown; a nested one is part of a member that is known. */
function extraMember(fault: Json): string | undefined {
  const isExtra = /extra (?:inputs|fields)/i.test(textOf(fault?.msg) ?? "");
  const place = listOf(fault?.loc);
  return isExtra && place.length === 2 && place[0] === "body" ? textOf(place[1]) : undefined;
}

/** Scans bytes: a large body must not be parsed in the thread that relays streams. */
function memberNames(sent: Uint8Array): string[] {
  const top = topLevelMembers(sent) ?? [];
  const held = top
    .filter(({ name }) => HOLDERS.has(name))
    .flatMap(({ valueStart, end }) => topLevelMembers(sent.subarray(valueStart, end)) ?? []);
  return [...top, ...held].map(({ name }) => name);
}

/** Required members, which are never dropped. */
const NEEDED = new Set(["model", "messages", "input", "contents", "system", "instructions", "tools"]);

/** Whether a 400 is about a signature or an encrypted part. */
export function namesState(errorText: string): boolean {
  return /signature|encrypted.content|encrypted_content|thought_signature/i.test(errorText.slice(0, 4_096));
}
