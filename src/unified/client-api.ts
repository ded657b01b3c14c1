import { GatewayError } from "../errors.ts";
import { messageOf } from "../log.ts";
import { isObject, listOf, objectOf } from "../mapping/json.ts";
import { SHAPES } from "../mapping/wire/shapes.ts";
import type { Json, Prompt, ProviderPlugin, SentEvent, Shape } from "../plugin-host/contract.ts";

/** A client's API: the name of a built-in shape, or a drop-in's shape. */
export type ClientApi = string | Shape;

export const nameOfApi = (api: ClientApi): string => (typeof api === "string" ? api : api.name);

/**
 * The shape of a client's API; undefined if it is not translated. The members of a drop-in's shape that face the client are
 * checked: they throw only a `GatewayError`, and return what the contract says.
 */
export function shapeOfApi(api: ClientApi): Shape | undefined {
  if (typeof api === "string") return Object.hasOwn(SHAPES, api) ? SHAPES[api] : undefined;
  let known = checkedShapes.get(api);
  if (known === undefined) {
    known = checked(api);
    checkedShapes.set(api, known);
  }
  return known;
}

/** By shape; a reloaded one is a new object. */
const checkedShapes = new WeakMap<Shape, Shape>();

/** The shapes of drop-ins that clients may speak. The first of several with one name counts. */
export function clientShapesOf(providers: readonly ProviderPlugin[]): readonly Shape[] {
  let known = clientShapes.get(providers);
  if (known === undefined) {
    const byName = new Map<string, Shape>();
    for (const { shapes = [] } of providers)
      for (const each of shapes) {
        const shape = typeof each === "string" ? each : each.shape;
        if (typeof shape === "string" || shape.endpoint === undefined || byName.has(shape.name)) continue;
        byName.set(shape.name, shape);
      }
    known = [...byName.values()];
    clientShapes.set(providers, known);
  }
  return known;
}

/** By list of providers; a changed drop-in makes a new one. */
const clientShapes = new WeakMap<readonly ProviderPlugin[], readonly Shape[]>();

/** Characters of a drop-in's own message that are shown. */
const SHOWN_MAX = 300;

function checked(shape: Shape): Shape {
  const { name } = shape;
  const failed = (member: keyof Shape, why: string) =>
    new GatewayError("plugin_failed", `the shape ${name} failed on this request: ${member} ${why}`);
  const call = <T>(member: keyof Shape, run: () => T): T => {
    try {
      return run();
    } catch (error) {
      throw failed(member, `throws: ${messageOf(error).slice(0, SHOWN_MAX)}`);
    }
  };
  const body = (member: keyof Shape, run: () => Json): Json => {
    const written = call(member, run);
    if (call(member, () => JSON.stringify(written)) === undefined) throw failed(member, "returns no body");
    return written;
  };
  const event = (member: keyof Shape, sent: Json): SentEvent => {
    if (!isObject(sent)) throw failed(member, "returns no event");
    if (typeof sent["comment"] === "string") return { comment: sent["comment"] };
    const data = typeof sent["data"] === "string" ? sent["data"] : call(member, () => JSON.stringify(sent["data"]));
    if (data === undefined) throw failed(member, "returns an event without data");
    return typeof sent["event"] === "string" ? { event: sent["event"], data } : { data };
  };
  return {
    ...shape,
    readRequest: (given) => read(name, () => shape.readRequest!(given)),
    writeAnswer: (answer, reply) => body("writeAnswer", () => shape.writeAnswer!(answer, reply)),
    writeEvents: (state, piece, reply) => {
      const events: Json = call("writeEvents", () => shape.writeEvents!(state, piece, reply));
      if (!Array.isArray(events)) throw failed("writeEvents", "returns no list of events");
      return events.map((each: Json) => event("writeEvents", each));
    },
    writeError: (error) => body("writeError", () => shape.writeError!(error)),
    ...(shape.writeStatus && {
      writeStatus: (status: number) => {
        const own = call("writeStatus", () => shape.writeStatus!(status));
        if (Number.isInteger(own) && own >= 400 && own < 600) return own;
        throw failed("writeStatus", "returns no status of an error");
      },
    }),
    ...(shape.keepAlive && {
      keepAlive: (state: Json) =>
        event(
          "keepAlive",
          call("keepAlive", () => shape.keepAlive!(state)),
        ),
    }),
  };
}

/** A body that the shape cannot read is the client's mistake; a call that was cut off, or returned something else, is not. */
function read(name: string, run: () => Json): Prompt {
  let prompt: Json;
  try {
    prompt = run();
  } catch (error) {
    const code = error instanceof Error && error.name === "CutOff" ? "plugin_failed" : "invalid_body";
    const why = messageOf(error).slice(0, SHOWN_MAX);
    throw new GatewayError(code, `the shape ${name} cannot read this body: ${why}`);
  }
  const { messages, tools, settings, wants, paths, extra, losses } = isObject(prompt) ? prompt : {};
  if (!Array.isArray(messages) || !messages.every(isMessage))
    throw new GatewayError(
      "plugin_failed",
      `the shape ${name} failed on this request: readRequest returns no prompt with messages, a list of { role, parts }`,
    );
  return {
    ...prompt,
    shape: name,
    stream: prompt.stream === true,
    messages,
    tools: listOf(tools),
    settings: objectOf(settings) ?? {},
    wants: objectOf(wants) ?? {},
    paths: objectOf(paths) ?? {},
    extra: objectOf(extra) ?? {},
    losses: listOf(losses),
  };
}

const ROLES: ReadonlySet<Json> = new Set(["system", "user", "assistant"]);

const isMessage = (message: Json): boolean =>
  isObject(message) &&
  ROLES.has(message["role"]) &&
  listOf(message["parts"]) === message["parts"] &&
  listOf(message["parts"]).every((part) => isObject(part) && typeof part["type"] === "string");
