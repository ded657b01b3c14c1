import type {
  CacheMark,
  Json,
  Loss,
  Message,
  Part,
  Prompt,
  SettingName,
  Settings,
  Tool,
  ToolChoice,
  Wants,
} from "../../plugin-host/contract.ts";
import { digitsOf } from "../exact-json.ts";
import { isObject, type JsonObject, numberOf, pickDefined, setMember, textOf } from "../json.ts";

/** A reader's list of losses. */
export type Losing = Pick<PromptDraft, "lose" | "loseOthers">;

/** For responses, which have no such list: unreadable parts are dropped. */
export const NOT_NOTED: Losing = { lose() {}, loseOthers() {} };

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A prompt while a shape reads it from a body. Losses are noted, never thrown: an empty body gives an empty prompt. */
export class PromptDraft {
  readonly extra: Record<string, Json> = {};
  model: string | undefined;
  stream = false;
  readonly messages: Message[] = [];
  readonly tools: Tool[] = [];
  toolChoice: ToolChoice | undefined;
  readonly settings: Mutable<Settings> = {};
  readonly wants: Mutable<Wants> = {};
  readonly losses: Loss[] = [];
  /** Undefined if there is none. */
  namespaces: Map<string, string> | undefined;
  /** A cache mark at the top level of the body, which applies to the last part. */
  topMark: CacheMark | undefined;
  readonly #paths: Record<string, string> = {};

  readonly #shape: string;

  constructor(shape: string) {
    this.#shape = shape;
  }

  set<K extends SettingName>(name: K, value: Settings[K] | undefined, at: string): void {
    if (value === undefined) return;
    this.settings[name] = value;
    this.#paths[name] = at;
  }

  choose(choice: ToolChoice, at: string): void {
    this.toolChoice = choice;
    this.#paths["toolChoice"] = at;
  }

  lose(kind: Loss["kind"], path: string, why?: string): void {
    this.losses.push(why === undefined ? { kind, path } : { kind, path, why });
  }

  /** Notes members of an object in the body that no shape supports. Empty members are not a loss. */
  loseOthers(members: JsonObject, known: ReadonlySet<string>, at: string): void {
    for (const name in members)
      if (!known.has(name) && saysSomething(members[name])) this.lose("dropped", `${at}.${name}`);
  }

  finish(): Prompt {
    this.#markLast();
    return pickDefined({
      model: this.model,
      stream: this.stream,
      messages: this.messages,
      tools: this.tools,
      toolChoice: this.toolChoice,
      namespaces: this.namespaces && Object.fromEntries(this.namespaces),
      settings: this.settings,
      wants: this.wants,
      paths: this.#paths,
      shape: this.#shape,
      extra: this.extra,
      losses: this.losses,
    }) as Prompt;
  }

  #markLast(): void {
    const parts = this.messages.at(-1)?.parts as Part[] | undefined;
    const last = parts?.at(-1);
    if (this.topMark !== undefined && last !== undefined) parts![parts!.length - 1] = { cache: this.topMark, ...last };
  }
}

/** Whether dropping a value loses anything. */
export const saysSomething = (value: Json): boolean =>
  value !== null &&
  value !== undefined &&
  value !== "" &&
  (typeof value !== "object" || (Array.isArray(value) ? value.length > 0 : Object.keys(value).length > 0));

/** `cache_control: { type: "ephemeral", ttl }` of a part, a tool or a body. */
export const cacheMark = (mark: Json): CacheMark | undefined =>
  isObject(mark) ? (pickDefined({ ttl: textOf(mark.ttl) }) as CacheMark) : undefined;

/** Reads one member of a body into the draft; `at` is the member's path. */
export type MemberReader = (draft: PromptDraft, value: Json, at: string) => void;

/** Calls the reader of every present member. A member without a reader is unknown to all other shapes. */
export function readMembers(draft: PromptDraft, body: Json, readers: Readonly<Record<string, MemberReader>>): void {
  if (!isObject(body)) draft.lose("invalid", "", "the body must be a JSON object");
  for (const name of isObject(body) ? Object.keys(body) : []) {
    const value = body[name];
    if (value === null || value === undefined) continue;
    if (Object.hasOwn(readers, name)) readers[name]!(draft, value, name);
    else setMember(draft.extra, name, value);
  }
}

const typed =
  (probe: (value: Json) => Settings[SettingName], kind: string) =>
  (name: SettingName): MemberReader =>
  (draft, value, at) => {
    const read = probe(value);
    if (read === undefined) draft.lose("invalid", at, `must be ${kind}`);
    else draft.set(name, read as never, at);
  };

/** A member that is a single setting of one type. */
export const number = typed(numberOf, "a number");
export const digits = typed(digitsOf, "a number");
export const text = typed(textOf, "a text");
export const flag = typed((value) => (typeof value === "boolean" ? value : undefined), "true or false");
export const texts = typed(
  (value) => (Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined),
  "a list of texts",
);
/** Copied unchanged. */
export const as =
  (
    name: "logitBias" | "metadata" | "prediction" | "truncation" | "audio" | "conversation" | "storedPrompt",
  ): MemberReader =>
  (draft, value, at) =>
    draft.set(name, value, at);

/** OpenAI's two names of the end user. If both are present the older one is used, because other APIs support it. */
export const endUser: MemberReader = (draft, value, at) => {
  if (draft.settings.user === undefined) text("user")(draft, value, at);
  else if (draft.settings.user !== value) {
    draft.lose("dropped", "safety_identifier");
    if (at === "user") text("user")(draft, value, at);
  }
};
