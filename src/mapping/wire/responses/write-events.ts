import type {
  ApiError,
  CallPart,
  Citation,
  Finish,
  Json,
  Piece,
  Reply,
  SentEvent,
  State,
  Usage,
} from "../../../plugin-host/contract.ts";
import { isObject, type JsonObject, pickDefined } from "../../json.ts";
import { type ITEM_IDS, itemId } from "./item-ids.ts";
import { encrypted } from "./items.ts";
import { endOf, errorOf, responseOf } from "./response-object.ts";

/** A part of a message, a reasoning or a call while its pieces arrive. */
interface OpenPart {
  readonly kind: "output_text" | "refusal" | "reasoning" | "call";
  readonly part: number;
  text: string;
  state?: State;
}

/** Where an ended text part is. */
interface EndedText {
  readonly item: number;
  readonly content: number;
  /** Whether it was copied, because its object has been sent. */
  isCopy?: true;
}

interface WritingState {
  /** `sequence_number` of the next event. */
  sequence?: number;
  started?: true;
  /** Finished items. */
  output?: JsonObject[];
  /** The current item. */
  item?: JsonObject;
  open?: OpenPart;
  ended?: Map<number, EndedText>;
  finish?: Finish;
  usage?: Usage;
}

type PartPiece = Extract<Piece, { readonly part: number }>;

/** The events for one piece, following the API's complete event grammar. */
export function writeEvents(state: WritingState, piece: Piece, reply: Reply): readonly SentEvent[] {
  const writer = new Writer(state, reply);
  if (piece.type !== "error" && piece.type !== "usage") writer.start();
  if ("choice" in piece && piece.choice !== undefined) return [];
  if (piece.type === "usage" || piece.type === "start") state.usage = { ...state.usage, ...piece.usage };
  else if (piece.type === "finish") state.finish = piece.finish;
  else if (piece.type === "end") writer.end();
  else if (piece.type === "error") writer.fail(piece.error);
  else if (piece.type === "logprobs") writer.logprobs(piece.logprobs);
  else writer.part(piece);
  return writer.sent;
}

/** For clients of this API, events keep the connection alive; comments do not. */
export const keepAlive = (state: WritingState): SentEvent => numbered(state, "keepalive", {});

function numbered(state: WritingState, type: string, members: JsonObject): SentEvent {
  const sequence_number = state.sequence ?? 0;
  state.sequence = sequence_number + 1;
  return { event: type, data: { type, sequence_number, ...members } };
}

class Writer {
  readonly sent: SentEvent[] = [];
  readonly #state: WritingState;
  readonly #reply: Reply;

  constructor(state: WritingState, reply: Reply) {
    this.#state = state;
    this.#reply = reply;
    state.output ??= [];
  }

  #send(type: string, members: JsonObject): void {
    this.sent.push(numbered(this.#state, `response.${type}`, members));
  }

  start(): void {
    if (this.#state.started) return;
    this.#state.started = true;
    const response = this.#response("in_progress");
    this.#send("created", { response });
    this.#send("in_progress", { response });
  }

  #response(status: string, members: JsonObject = {}): JsonObject {
    return responseOf(this.#reply, { status, output: this.#state.output!, ...members });
  }

  end(): void {
    this.#closeItem();
    const { finish = "end", usage = {} } = this.#state;
    const { status, ...members } = endOf(finish, usage);
    this.#send(status, { response: this.#response(status, members) });
  }

  fail(error: ApiError): void {
    this.start();
    this.#send("failed", { response: this.#response("failed", { error: errorOf(error) }) });
  }

  /** Log probabilities belong to the open text, otherwise to the last one. */
  logprobs({ content }: Json): void {
    const message =
      this.#state.item?.type === "message"
        ? this.#state.item
        : this.#state.output!.findLast(({ type }) => type === "message");
    const pending = this.#state.open?.kind === "output_text" ? this.#state.item : undefined;
    if (!Array.isArray(content) || message === undefined) return;
    if (pending !== undefined) pending["logprobs"] ??= [];
    const list: Json = pending?.["logprobs"] ?? message.content.at(-1)?.logprobs;
    if (Array.isArray(list)) for (const token of content) list.push(token);
  }

  part(piece: PartPiece): void {
    const { open, ended } = this.#state;
    const text = piece.type === "citation" ? ended?.get(piece.part) : undefined;
    if (piece.type === "citation" && text !== undefined) {
      this.#citedLate(text, piece.citation);
      return;
    }
    if (open !== undefined && open.part !== piece.part) this.#closePart();
    switch (piece.type) {
      case "text":
        this.#said(piece.part, "output_text", piece.text);
        break;
      case "refusal":
        this.#said(piece.part, "refusal", piece.text);
        break;
      case "citation":
        this.#cited(piece.part, piece.citation);
        break;
      case "reasoning":
        this.#thought(piece.part, piece.text);
        break;
      case "state":
        this.#signed(piece.part, piece.state);
        break;
      case "call":
        this.#called(piece.part, piece.call);
        break;
      case "arguments":
        this.#argued(piece.text);
        break;
      case "image":
        this.#image(piece);
        break;
      case "hosted":
        if (piece.hosted.shape === "responses" && isObject(piece.hosted.item)) this.#whole(piece.hosted.item);
        break;
      case "close":
        this.#closePart();
    }
  }

  get #index(): number {
    return this.#state.output!.length;
  }

  get #place(): JsonObject {
    return { item_id: this.#state.item!.id, output_index: this.#index };
  }

  #openItem(type: keyof typeof ITEM_IDS, members: JsonObject): void {
    this.#closeItem();
    const item: JsonObject = { id: itemId(type, this.#reply.id, this.#index), type, ...members };
    // Sent objects must not change, because the item's own list grows.
    this.#state.item = item.content === undefined ? item : { ...item, content: [] };
    this.#send("output_item.added", { output_index: this.#index, item: { ...item } });
  }

  #said(part: number, kind: "output_text" | "refusal", delta: string): void {
    this.#openContent(part, kind);
    this.#state.open!.text += delta;
    const at = { ...this.#place, content_index: this.#state.item!.content.length };
    if (kind === "output_text") this.#send("output_text.delta", { ...at, delta, logprobs: [] });
    else this.#send("refusal.delta", { ...at, delta });
  }

  #openContent(part: number, kind: "output_text" | "refusal"): void {
    if (this.#state.open?.part === part) return;
    if (this.#state.item?.type !== "message")
      this.#openItem("message", { status: "in_progress", role: "assistant", content: [] });
    this.#state.open = { kind, part, text: "" };
    const at = { ...this.#place, content_index: this.#state.item!.content.length };
    this.#send("content_part.added", { ...at, part: contentOf(kind, "", [], []) });
  }

  #cited(part: number, citation: Citation): void {
    this.#openContent(part, "output_text");
    const item = this.#state.item!;
    const annotation = writeCitation(citation, this.#state.open!.text.length);
    item["annotations"] ??= [];
    const annotations: JsonObject[] = item["annotations"];
    const at = { ...this.#place, content_index: item.content.length, annotation_index: annotations.length };
    annotations.push(annotation);
    this.#send("output_text.annotation.added", { ...at, annotation });
  }

  /** A source of a text part that has ended: it has its own event, and is in the whole output. */
  #citedLate(ended: EndedText, citation: Citation): void {
    const { item: output_index, content: content_index } = ended;
    const output = this.#state.output!;
    if (ended.isCopy === undefined) {
      ended.isCopy = true;
      const item = output[output_index] ?? this.#state.item!;
      const text = item.content[content_index];
      const content = item.content.with(content_index, { ...text, annotations: [...text.annotations] });
      if (item === this.#state.item) item.content = content;
      else output[output_index] = { ...item, content };
    }
    const { id: item_id, content } = output[output_index] ?? this.#state.item!;
    const { text, annotations } = content[content_index];
    const annotation = writeCitation(citation, text.length);
    const at = { item_id, output_index, content_index, annotation_index: annotations.length };
    annotations.push(annotation);
    this.#send("output_text.annotation.added", { ...at, annotation });
  }

  #thought(part: number, delta: string): void {
    this.#openThought(part);
    if (delta === "") return;
    const open = this.#state.open!;
    const at = { ...this.#place, summary_index: 0 };
    if (open.text === "")
      this.#send("reasoning_summary_part.added", { ...at, part: { type: "summary_text", text: "" } });
    open.text += delta;
    this.#send("reasoning_summary_text.delta", { ...at, delta });
  }

  #openThought(part: number): void {
    if (this.#state.open?.part === part) return;
    this.#openItem("reasoning", { summary: [] });
    this.#state.open = { kind: "reasoning", part, text: "" };
  }

  #signed(part: number, own: State): void {
    if (this.#state.open?.kind === "call" || !this.#reply.prompt.wants.state) return;
    this.#openThought(part);
    this.#state.open!.state = own;
  }

  #called(part: number, call: CallPart): void {
    // Calls have no place for state in this API: it precedes the call as empty reasoning.
    if (call.state !== undefined && this.#reply.prompt.wants.state === true)
      this.#whole({
        type: "reasoning",
        id: this.#newId("reasoning"),
        summary: [],
        encrypted_content: encrypted({ ...call.state, of: "call" }),
      });
    const { id: call_id, name, namespace } = call;
    const named = pickDefined({ call_id, name, namespace, status: "in_progress" });
    if (call.custom) this.#openItem("custom_tool_call", { ...named, input: "" });
    else this.#openItem("function_call", { ...named, arguments: "" });
    this.#state.open = { kind: "call", part, text: "" };
  }

  #argued(delta: string): void {
    const { open, item } = this.#state;
    if (open?.kind !== "call") return;
    open.text += delta;
    const type = item!.type === "custom_tool_call" ? "custom_tool_call_input" : "function_call_arguments";
    this.#send(`${type}.delta`, { ...this.#place, delta });
  }

  #image({ image: { source } }: PartPiece & { type: "image" }): void {
    if (!("bytes" in source)) return;
    const output_format = source.mediaType.slice(source.mediaType.indexOf("/") + 1);
    const id = this.#newId("image_generation_call");
    this.#whole({ type: "image_generation_call", id, status: "completed", result: source.bytes, output_format });
  }

  #newId(type: keyof typeof ITEM_IDS): string {
    const next = this.#state.item === undefined ? this.#index : this.#index + 1;
    return itemId(type, this.#reply.id, next);
  }

  /** An item that arrives in one piece. */
  #whole(item: JsonObject): void {
    this.#closeItem();
    this.#send("output_item.added", { output_index: this.#index, item });
    this.#send("output_item.done", { output_index: this.#index, item });
    this.#state.output!.push(item);
  }

  #closePart(): void {
    const { open, item } = this.#state;
    if (open === undefined || item === undefined) return;
    if (open.kind === "reasoning") this.#endThought(open, item);
    else if (open.kind === "call") this.#endCall(open, item);
    else this.#endContent(open, item);
    delete this.#state.open;
    if (item.type !== "message") this.#closeItem();
  }

  #endContent({ kind, part: number, text }: OpenPart, item: JsonObject): void {
    const { annotations = [], logprobs = [] } = item;
    delete item["annotations"];
    delete item["logprobs"];
    const at = { ...this.#place, content_index: item.content.length };
    const part = contentOf(kind, text, annotations, logprobs);
    if (kind === "output_text") this.#send("output_text.done", { ...at, text, logprobs });
    else this.#send("refusal.done", { ...at, refusal: text });
    this.#send("content_part.done", { ...at, part });
    if (kind === "output_text") {
      this.#state.ended ??= new Map();
      this.#state.ended.set(number, { item: this.#index, content: item.content.length });
    }
    item.content.push(part);
  }

  #endThought({ text, state: own }: OpenPart, item: JsonObject): void {
    if (text !== "") {
      const part = { type: "summary_text", text };
      const at = { ...this.#place, summary_index: 0 };
      this.#send("reasoning_summary_text.done", { ...at, text });
      this.#send("reasoning_summary_part.done", { ...at, part });
      item.summary = [part];
    }
    if (own !== undefined) item.encrypted_content = encrypted(own);
  }

  #endCall({ text }: OpenPart, item: JsonObject): void {
    if (item.type === "custom_tool_call") {
      item.input = text;
      this.#send("custom_tool_call_input.done", { ...this.#place, input: text });
      return;
    }
    if (text === "") this.#argued("{}");
    item.arguments = this.#state.open!.text;
    this.#send("function_call_arguments.done", { ...this.#place, name: item.name, arguments: item.arguments });
  }

  #closeItem(): void {
    if (this.#state.open !== undefined) this.#closePart();
    const { item } = this.#state;
    if (item === undefined) return;
    if (item.status !== undefined) item.status = "completed";
    this.#send("output_item.done", { output_index: this.#index, item });
    this.#state.output!.push(item);
    delete this.#state.item;
  }
}

const contentOf = (kind: OpenPart["kind"], text: string, annotations: Json, logprobs: Json): JsonObject =>
  kind === "refusal" ? { type: "refusal", refusal: text } : { type: "output_text", text, annotations, logprobs };

/** Some providers omit the range: it is then the whole text part. */
const writeCitation = ({ url, title, start, end }: Citation, length: number): JsonObject => ({
  type: "url_citation",
  url: url ?? "",
  title: title ?? "",
  start_index: start ?? 0,
  end_index: end ?? length,
});
