import { type Edit, edited } from "../json-text/edits.ts";
import { isObject, parseJson, utf8Of } from "../mapping/json.ts";
import { addressesFor, type FetchedFiles, withFiles } from "../mapping/translate/addresses.ts";
import { type CallMemories, withMemories } from "../mapping/translate/call-memory.ts";
import type { ToolNames } from "../mapping/translate/tool-names.ts";
import { translateRequest } from "../mapping/translate/translate.ts";
import { takesStreamOptions } from "../mapping/wire/chat-completions/write-request.ts";
import { SHAPES } from "../mapping/wire/shapes.ts";
import type { Call, Json, Loss, ModelFacts, Prompt, Shape, ShapeAt } from "../plugin-host/contract.ts";
import { type ClientApi, nameOfApi, shapeOfApi } from "./client-api.ts";
import { isRouting } from "./describe.ts";
import { forgetParsed, parsedOf, takeParsed } from "./parsed-bodies.ts";
import { memberEdits, topLevelMembers } from "./top-level.ts";
import { withTurns } from "./with-turns.ts";

/** A client's request with the settings of one target. */
export interface OutboundRequest {
  /** The client's body, decompressed. */
  readonly body: Uint8Array;
  readonly from: ClientApi;
  /** Members that the target sets in the client's body; null removes one. */
  readonly changes: Readonly<Record<string, Json>>;
  /** Members that only route. */
  readonly routing: readonly string[];
  readonly stream: boolean;
  readonly call: Call;
  /** Shapes that the target speaks in this call, in its order. */
  readonly shapes: readonly ShapeAt[];
  /** Only the client's own shape. */
  readonly sameOnly: boolean;
  /** Treat every loss as a refusal. */
  readonly refuseLosses: boolean;
  /** The body contains state that only Weir can read: it is rewritten even in its own shape. */
  readonly hasState: boolean;
  /** The body has `input` in place of `messages`: as a chat request it is rewritten for every shape. */
  readonly hasInput: boolean;
  /** A chat stream must report its usage. */
  readonly askUsage: boolean;
  /** State of calls that the client omitted, by call id. */
  readonly states: CallMemories;
  /** Values of the header `anthropic-beta` that the target takes. */
  readonly betas: readonly string[];
  /** JSON list of items to insert before a Responses request's own input, in place of `previous_response_id`. */
  readonly turns?: string | undefined;
  /** Files fetched for shapes that only accept bytes; undefined if nothing is fetched. */
  readonly files?: FetchedFiles | undefined;
  /** Members that the provider has reported as unsupported: translated requests omit them. */
  readonly without: readonly string[];
}

/** The API of a target; without a shape if the endpoint is not translated. */
export type Spoken = Omit<ShapeAt, "shape"> & Partial<Pick<ShapeAt, "shape">>;

/** A request for a provider. */
export type Outbound =
  | {
      readonly kind: "same";
      readonly at: Spoken;
      readonly body: Uint8Array;
      /** How `body` differs from the given one, if that is known. */
      readonly edits?: readonly Edit[] | undefined;
      readonly addsUsage: boolean;
    }
  | {
      readonly kind: "translated";
      readonly at: ShapeAt;
      readonly shape: Shape;
      readonly body: Uint8Array;
      readonly prompt: Prompt;
      readonly names: ToolNames;
      readonly losses: readonly Loss[];
    }
  /** Files have to be fetched before it can be written. */
  | { readonly kind: "fetch"; readonly at: ShapeAt; readonly addresses: readonly string[] }
  /** The target cannot take it. */
  | { readonly kind: "refused"; readonly loss: Loss }
  /** The body is invalid for every target. */
  | { readonly kind: "invalid"; readonly loss: Loss };

export const shapeNameOf = ({ shape }: Pick<Spoken, "shape">): string =>
  typeof shape === "string" ? shape : (shape?.name ?? "");
export const shapeOf = ({ shape }: Pick<Spoken, "shape">): Shape | undefined =>
  typeof shape === "string" ? (Object.hasOwn(SHAPES, shape) ? SHAPES[shape] : undefined) : shape;

/**
 * Writes a request for a target: unchanged if it has the client's shape, else translated.
 *
 * @throws GatewayError if the client's shape is a drop-in's, and fails.
 */
export function writeOutbound(request: OutboundRequest): Outbound {
  if (request.turns !== undefined) return writeWithTurns(request, request.turns);
  const { shapes, from, hasState, sameOnly, call, body } = request;
  const name = nameOfApi(from);
  const same = shapes.find((at) => shapeNameOf(at) === name);
  const isOwn = same !== undefined && !needsResponses(request) && !isInput(request);
  const members = isOwn && !hasState ? modelMembers(request) : undefined;
  if (isOwn && members !== undefined) {
    forgetParsed(body);
    const written = unchanged(request, same, members);
    return written ?? { kind: "invalid", loss: { kind: "invalid", path: "", why: "the body must be a JSON object" } };
  }
  const source = shapeOfApi(from);
  if (sameOnly && same === undefined)
    return { kind: "refused", loss: { kind: "refused", path: "", why: `the target does not support ${name}` } };
  if (source?.readRequest === undefined)
    return {
      kind: "refused",
      loss: { kind: "refused", path: "", why: `the target does not support ${name}, which is not translated` },
    };
  try {
    const read = source.readRequest(withChanges(takeParsed(body), request.changes));
    const prompt = withMemories({ ...read, model: call.model, stream: request.stream }, request.states, call.issuer);
    return best(request, prompt, isOwn ? [same] : preferred(request));
  } catch (error) {
    if (error instanceof RangeError) return TOO_DEEP;
    throw error;
  }
}

/** It is parsed without the stack, and written with it. */
const TOO_DEEP: Outbound = { kind: "invalid", loss: { kind: "invalid", path: "", why: "the body is nested too deep" } };

/**
 * Writes the request with the turns in the body. Such a body is parsed even in its own shape, because it may contain another
 * issuer's state.
 */
function writeWithTurns(request: OutboundRequest, turns: string): Outbound {
  const { body, pathOf, wantsState } = withTurns(request.body, turns);
  const written = writeOutbound({ ...request, body, turns: undefined, hasState: true });
  const inOwn = (loss: Loss): Loss => ({ ...loss, path: pathOf(loss.path) });
  if (written.kind === "refused" || written.kind === "invalid") return { ...written, loss: inOwn(written.loss) };
  if (written.kind !== "translated") return written;
  const { prompt, losses } = written;
  return {
    ...written,
    losses: losses.map(inOwn),
    prompt: { ...prompt, wants: { ...prompt.wants, state: wantsState } },
  };
}

/** The first candidate that loses nothing, else the first that refuses nothing, else the first refusal. */
function best(request: OutboundRequest, prompt: Prompt, candidates: readonly ShapeAt[]): Outbound {
  let lossy: Outbound | undefined;
  let refused: Outbound | undefined;
  for (const at of candidates) {
    const written = translated(request, prompt, at);
    if (written === undefined) continue;
    if (written.kind === "invalid") return written;
    if (written.kind === "fetch" || (written.kind === "translated" && written.losses.length === 0)) return written;
    if (written.kind === "translated") lossy ??= written;
    else refused ??= written;
  }
  return (
    lossy ??
    refused ?? {
      kind: "refused",
      loss: { kind: "refused", path: "", why: "the target has no shape that is translated" },
    }
  );
}

function translated(request: OutboundRequest, prompt: Prompt, at: ShapeAt): Outbound | undefined {
  const known = shapeOf(at);
  if (known === undefined || known.name === "embeddings") return undefined;
  const shape = at.place?.bytesOnly === true ? withBytesOnly(known) : known;
  const { call, without, refuseLosses, files } = request;
  const facts =
    without.length === 0 ? call.facts : { ...call.facts, rejects: [...(call.facts.rejects ?? []), ...without] };
  const addresses = files === undefined ? [] : addressesFor(prompt, shape, call);
  const missing = addresses.filter((address) => !Object.hasOwn(files!, address));
  if (missing.length > 0) return { kind: "fetch", at, addresses: missing };
  const filled = addresses.length === 0 ? prompt : withFiles(prompt, { shape, call, files: files! });
  const { body, losses, names } = translateRequest(filled, shape, { ...call, facts });
  const invalid = losses.find(({ kind }) => kind === "invalid");
  if (invalid !== undefined) return { kind: "invalid", loss: invalid };
  const refused = losses.find(({ kind }) => kind === "refused") ?? (refuseLosses ? losses[0] : undefined);
  if (refused !== undefined) return { kind: "refused", loss: refused };
  const own = at.place?.betasInBody === true && isObject(body) ? { ...betasInBody(request, at), ...body } : body;
  const bytes = Buffer.from(JSON.stringify(placed(own, at)));
  return { kind: "translated", at, shape, body: bytes, prompt: forReply(prompt, facts), names, losses };
}

/** A chat request with the conversation of a Responses request; no API accepts it unchanged. */
const isInput = ({ hasInput, from, sameOnly }: OutboundRequest): boolean =>
  hasInput && from === "chat-completions" && !sameOnly;

/** The shape on a platform that accepts no addresses of files. */
const withBytesOnly = (shape: Shape): Shape => ({ ...shape, takes: { ...shape.takes, imageUrl: "F", fileUrl: "F" } });

/** Chat with tools is sent as Responses if the model supports function tools only there. */
function needsResponses({ call, from, shapes, body }: OutboundRequest): boolean {
  if (from !== "chat-completions" || call.facts.toolsNeedResponses !== true) return false;
  if (!shapes.some((at) => shapeNameOf(at) === "responses") || !Object.hasOwn(SHAPES, "responses")) return false;
  if (!/"(?:tools|functions)"\s*:/.test(utf8Of(body))) return false;
  const { tools, functions, reasoning_effort, reasoning } = parsedOf(body);
  const hasTools = (Array.isArray(tools) && tools.length > 0) || (Array.isArray(functions) && functions.length > 0);
  return hasTools && (reasoning_effort ?? reasoning?.effort) !== "none";
}

function preferred(request: OutboundRequest): readonly ShapeAt[] {
  const { shapes } = request;
  if (!needsResponses(request)) return shapes;
  return [...shapes].sort((a, b) => Number(shapeNameOf(b) === "responses") - Number(shapeNameOf(a) === "responses"));
}

/**
 * The members of the client's body that name the model: in a drop-in's shape the one whose value the shape reads as the model.
 * Undefined if no single member has it: then the body is rewritten.
 */
function modelMembers({ from, body }: OutboundRequest): readonly string[] | undefined {
  if (from === "generate-content") return [];
  if (typeof from === "string") return ["model"];
  const given = parsedOf(body);
  const model = shapeOfApi(from)?.readRequest?.(given).model;
  if (model === undefined || !isObject(given)) return [];
  const named = Object.keys(given).filter((member) => given[member] === model);
  if (named.includes("model")) return ["model"];
  return named.length === 1 ? named : undefined;
}

/**
 * The client's own bytes, with the model's name and the platform's changes.
 *
 * @param members - those that name the model.
 */
function unchanged(request: OutboundRequest, at: ShapeAt, members: readonly string[]): Outbound | undefined {
  const { body, call, changes, askUsage, stream, from } = request;
  const { place = {} } = at;
  const set: Record<string, string> = {};
  const also: string[] = [];
  for (const name of Object.keys(changes)) {
    const value = changes[name];
    if (value === null) also.push(name);
    else set[name] = JSON.stringify(value);
  }
  if (from === "generate-content" || place.modelInPath === true) also.push("model");
  else for (const member of members) set[member] = JSON.stringify(call.model);
  if (place.streamInPath === true) also.push("stream");
  if (place.version !== undefined) set["anthropic_version"] = JSON.stringify(place.version);
  const { anthropic_beta } = betasInBody(request, at);
  if (anthropic_beta !== undefined) set["anthropic_beta"] = JSON.stringify(anthropic_beta);
  const takesOptions = from !== "chat-completions" || takesStreamOptions(call.facts);
  // Nothing is lost: without this member such a provider reports the usage of every stream.
  if (!takesOptions) also.push("stream_options");
  const addsUsage = askUsage && stream && from === "chat-completions" && takesOptions;
  if (addsUsage) set["stream_options"] = JSON.stringify({ ...streamOptions(request), include_usage: true });
  const { routing } = request;
  const removed = routing.length + also.length === 0 ? undefined : new Set([...routing, ...also]);
  const edits = memberEdits(body, set, removed);
  return edits === undefined ? undefined : { kind: "same", at, body: edited(body, edits), edits, addsUsage };
}

/** The stream options other than usage. */
function streamOptions({ body, changes }: OutboundRequest): Json {
  const member = topLevelMembers(body)?.findLast(({ name }) => name === "stream_options");
  const own = member && parseJson(utf8Of(body.subarray(member.valueStart, member.end)));
  return changes["stream_options"] ?? (isObject(own) ? own : {});
}

/** The betas of a client of Messages, for a platform that has them in the body. */
function betasInBody(
  { betas, from }: OutboundRequest,
  { place }: ShapeAt,
): { readonly anthropic_beta?: readonly string[] } {
  const isTaken = place?.betasInBody === true && from === "messages" && betas.length > 0;
  return isTaken ? { anthropic_beta: betas } : {};
}

/** The platform's changes to a written body. */
function placed(body: Json, { place }: ShapeAt): Json {
  if (!isObject(body)) return body;
  // Most writers begin with the model, and most requests are no streams.
  if (place === undefined && body["stream"] === undefined && Object.keys(body)[0] === "model") return body;
  const { model, stream, ...rest } = body;
  return {
    ...(place?.version !== undefined && { anthropic_version: place.version }),
    ...(place?.modelInPath !== true && model !== undefined && { model }),
    ...(place?.streamInPath !== true && stream !== undefined && { stream }),
    ...rest,
  };
}

/** A body with a target's settings, and without routing members. */
export function withChanges(body: Json, changes: Readonly<Record<string, Json>>): Json {
  if (!isObject(body)) return body;
  const names = Object.keys(body);
  if (Object.keys(changes).length === 0 && !names.some((name) => isRouting(name, body[name]))) return body;
  const changed: Record<string, Json> = {};
  for (const [name, value] of Object.entries({ ...body, ...changes })) {
    if (!isRouting(name, value) && !(value === null && Object.hasOwn(changes, name))) changed[name] = value;
  }
  return changed;
}

/** A response may repeat settings but never the conversation, which is dropped while the provider responds. */
function forReply(prompt: Prompt, { reasoningMember }: ModelFacts): Prompt {
  const wants = reasoningMember === undefined ? prompt.wants : { ...prompt.wants, thoughts: true };
  return { ...prompt, messages: prompt.messages.filter(({ role }) => role === "system"), wants };
}
