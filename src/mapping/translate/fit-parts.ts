import type {
  CallPart,
  ImagePart,
  Loss,
  Message,
  Part,
  Prompt,
  ResultPart,
  Source,
  State,
} from "../../plugin-host/contract.ts";
import { jsonText, parseJson } from "../json.ts";
import { CallIds } from "./call-ids.ts";
import { changesTools } from "./changed-tools.ts";
import type { Fitting } from "./fitting.ts";
import { belongsTo } from "./state.ts";
import type { ToolNames } from "./tool-names.ts";

/** Prefix of the attribution that a coding tool adds to its system text; it changes with each request and defeats caches. */
const ATTRIBUTION = "x-anthropic-billing-header:";

/** Fits the parts of one prompt, in order: calls come before their results. */
export class PartFitter {
  readonly #prompt: Prompt;
  readonly #fitting: Fitting;
  readonly #names: ToolNames;
  readonly #ids: CallIds;
  /** Sent tool names of the calls so far, by sent call id. */
  readonly #called = new Map<string, string>();
  /** Calls of custom tools that stay custom: their results have the same type, even if the client does not say so. */
  readonly #customCalls = new Set<string>();

  constructor(prompt: Prompt, fitting: Fitting, names: ToolNames) {
    this.#prompt = prompt;
    this.#fitting = fitting;
    this.#names = names;
    this.#ids = new CallIds(fitting.call.facts.callIdLength ?? fitting.shape.limits?.callId);
  }

  /** The part as sent; empty if it is dropped. */
  fit(given: Part, message: Message): readonly Part[] {
    const part = this.#fitting.take("cacheMarks") === "=" || given.cache === undefined ? given : withoutMark(given);
    switch (part.type) {
      case "text":
        return message.role === "system" && part.text.startsWith(ATTRIBUTION) ? [] : [part];
      case "refusal":
        return [part];
      case "image":
      case "audio":
      case "file":
        return this.#media(part);
      case "call":
        return [this.#call(part, message)];
      case "result":
        return [this.#result(part, message)];
      case "reasoning":
        return this.#reasoning(part);
      case "hosted":
        if (part.shape === this.#fitting.shape.name) return [part];
        if (changesTools(part)) return [];
        this.#lose(part.text === undefined ? "dropped" : "approximated", part);
        return part.text === undefined ? [] : [{ type: "text", text: part.text, ...placed(part) }];
    }
  }

  #lose(kind: Loss["kind"], { at }: Part, why?: string): void {
    const path = at ?? "messages";
    this.#fitting.losses.push(why === undefined ? { kind, path } : { kind, path, why });
  }

  #media(part: Part & { type: "image" | "audio" | "file" }): readonly Part[] {
    const { source } = part;
    const accepted = this.#fitting.call.facts.input;
    if (accepted !== undefined && !accepted.includes(part.type) && !isPlainText(source)) {
      this.#lose("refused", part, `the model accepts no ${part.type}`);
      return [];
    }
    const take = this.#fitting.take(mediaName(part.type, source));
    if ("fileId" in source) {
      if (this.#prompt.shape === this.#fitting.shape.name) return [part];
      this.#lose("refused", part, "a file stored at one provider is not available at another");
      return [];
    }
    if (take === "=") return [part.type === "image" ? this.#undetailed(part) : part];
    if (take === "-" && part.type === "file")
      return [{ type: "text", text: inlined(part.name, source), ...placed(part) }];
    this.#lose(
      take === "D" ? "dropped" : "refused",
      part,
      take === "F" ? "the target takes the file itself, and this address is not fetched" : undefined,
    );
    return [];
  }

  #undetailed(part: ImagePart): ImagePart {
    const { detail, ...image } = part;
    if (detail === undefined || this.#fitting.take("imageDetail") === "=") return part;
    if (detail !== "auto") this.#fitting.losses.push({ kind: "dropped", path: `${part.at ?? "messages"}.detail` });
    return image;
  }

  #call(part: CallPart, turn: Message): CallPart {
    const { namespace, custom, state, ...rest } = part;
    const { take, call } = this.#fitting;
    const asFunction = custom === true && take("customTool") !== "=";
    const inName = namespace !== undefined && take("namespace") !== "=";
    const name = this.#names.send({
      name: part.name,
      ...(inName ? { namespace } : {}),
      ...(asFunction ? { custom: true } : {}),
    });
    const id = this.#ids.call(part.id, turn);
    this.#called.set(id, name);
    if (custom === true && !asFunction) this.#customCalls.add(id);
    const kept = state !== undefined && belongsTo(state, call.issuer) ? { state } : {};
    if (state !== undefined && kept.state === undefined) this.#loseState(part);
    return {
      ...rest,
      id,
      name,
      arguments: asFunction ? jsonText({ input: part.arguments }) : part.arguments,
      ...(custom === true && !asFunction ? { custom } : {}),
      ...(namespace !== undefined && !inName ? { namespace } : {}),
      ...kept,
    };
  }

  #loseState(part: Part): void {
    this.#fitting.losses.push({ kind: "dropped", path: `${part.at ?? "messages"}.signature` });
  }

  #result(part: ResultPart, message: Message): ResultPart {
    const { custom, name, error, ...rest } = part;
    const { take, shape } = this.#fitting;
    const inner = part.parts.flatMap((each) => this.fit(each, message));
    const failed = error === true && take("resultError") !== "=";
    const found = this.#ids.result(part.id);
    if ("why" in found) this.#lose("refused", part, found.why);
    const id = "id" in found ? found.id : part.id;
    const called = this.#called.get(id) ?? name;
    return {
      ...rest,
      id,
      parts: failed ? marked(inner) : inner,
      ...(error === true && !failed ? { error } : {}),
      ...(this.#customCalls.has(id) || (custom === true && take("customTool") === "=") ? { custom: true } : {}),
      ...(shape.limits?.resultNames === true && called !== undefined ? { name: called } : {}),
    };
  }

  #reasoning(part: Part & { type: "reasoning" }): readonly Part[] {
    const { facts, issuer } = this.#fitting.call;
    const { state, ...plain } = part;
    if (state !== undefined && belongsTo(state, issuer)) return [part];
    if (facts.reasoningMember !== undefined && part.text !== "" && isOpen(state)) return [plain];
    this.#lose("dropped", part);
    return [];
  }
}

/** Text without state is ordinary text: every model that accepts it may read it. */
const isOpen = (state: State | undefined) => state === undefined;

const withoutMark = <T extends Part>({ cache: _, ...part }: T): T => part as unknown as T;

const placed = ({ at, cache }: Part) => ({
  ...(at === undefined ? {} : { at }),
  ...(cache === undefined ? {} : { cache }),
});

const isPlainText = (source: Source) => "mediaType" in source && isTextType(source.mediaType);

const isTextType = (type: string) => type.startsWith("text/") || type === "application/json";

function mediaName(type: "image" | "audio" | "file", source: Source) {
  if (type === "audio") return "audioIn";
  if ("fileId" in source) return "fileId";
  if (type === "image") return "url" in source ? "imageUrl" : "imageBytes";
  if ("url" in source) return "fileUrl";
  return isTextType(source.mediaType) ? "textFile" : "pdf";
}

/** A text file as message text, with its name. */
function inlined(name: string | undefined, source: Source): string {
  const text =
    "text" in source ? source.text : "bytes" in source ? Buffer.from(source.bytes, "base64").toString("utf8") : "";
  return name === undefined ? text : `<file name=${JSON.stringify(name)}>\n${text}\n</file>`;
}

function marked(parts: readonly Part[]): readonly Part[] {
  const [first, ...rest] = parts;
  if (first?.type === "text") return [{ ...first, text: `Error: ${first.text}` }, ...rest];
  return [{ type: "text", text: "Error: " }, ...parts];
}

/** The raw text of a custom tool call that was sent as a function. */
export function customInput(text: string): string {
  const input = parseJson(text)?.input;
  return typeof input === "string" ? input : text;
}
