import type { Json } from "../../plugin-host/contract.ts";
import { isObject, parseJson } from "../json.ts";
import type { RequestPlaces, ToolCallPlaces } from "../mapping.ts";
import { below, type Pointer, valueAt, valuesAt } from "../pointer.ts";
import { branchesOf } from "./leaves.ts";
import { says, WORDS } from "./member-names.ts";

type ToolPlaces = NonNullable<RequestPlaces["tools"]>;

/** Tools that requests declare: a list whose elements have a name and a JSON Schema. */
export function toolsIn(bodies: readonly Json[]): ToolPlaces | undefined {
  for (const body of bodies) {
    for (const { pointer, value } of branchesOf(body)) {
      if (!Array.isArray(value) || value.length === 0 || pointer.includes("*")) continue;
      const [tool] = value;
      const parameters = isObject(tool) ? pathTo(tool, (_name, each) => isJsonSchema(each)) : undefined;
      if (parameters === undefined) continue;
      const holder = parameters.slice(0, parameters.lastIndexOf("/"));
      const around = valueAt(tool, holder);
      const name = memberOf(around, WORDS.name, (each) => typeof each === "string") ?? firstText(around);
      if (name === undefined) continue;
      const about = memberOf(around, WORDS.description, (each) => typeof each === "string");
      return {
        list: `${pointer}/*`,
        name: below(holder, name),
        parameters,
        ...(about !== undefined && { description: below(holder, about) }),
      };
    }
  }
  return undefined;
}

const isJsonSchema = (value: Json) =>
  isObject(value) && (isObject(value.properties) || value.type === "object") && !Array.isArray(value.properties);

/** Names of all tools that the requests declare. */
export function toolNames(bodies: readonly Json[], tools: ToolPlaces | undefined): ReadonlySet<string> {
  if (tools === undefined) return new Set();
  return new Set(
    bodies
      .flatMap((body) => valuesAt(body, tools.list))
      .map((tool) => valueAt(tool, tools.name))
      .filter((name) => typeof name === "string"),
  );
}

/**
 * Calls of tools: an object that names a tool (the name is declared, or the member name suggests it), next to an object with
 * the arguments or its JSON text.
 */
export function toolCallsIn(
  bodies: readonly Json[],
  declared: ReadonlySet<string> = new Set(),
): ToolCallPlaces | undefined {
  for (const body of bodies) {
    const calls = branchesOf(body).flatMap(({ pointer, value }): ToolCallPlaces[] => {
      const call = isObject(value) ? asCall(value, declared) : undefined;
      return call === undefined ? [] : [{ list: pointer, ...call }];
    });
    // The wrapper of a call is part of the call if it has the call's id.
    const call = calls.find(({ id }) => id !== undefined) ?? calls.find(({ name }) => name.lastIndexOf("/") === 0);
    if (call !== undefined) return call;
  }
  return undefined;
}

function asCall(value: Json, declared: ReadonlySet<string>): Omit<ToolCallPlaces, "list"> | undefined {
  const named = pathTo(value, (_name, each) => typeof each === "string" && declared.has(each), 2);
  const holder = named === undefined ? "" : named.slice(0, named.lastIndexOf("/"));
  const around = valueAt(value, holder);
  if (!isObject(around)) return undefined;
  const args =
    memberOf(around, WORDS.arguments, isArguments) ?? (named === undefined ? undefined : firstArguments(around));
  const own = memberOf(around, WORDS.name, (each) => typeof each === "string" && /^[\w.-]{1,80}$/.test(each));
  const name = named ?? (own !== undefined && args !== undefined && own !== args ? below("", own) : undefined);
  if (name === undefined || args === undefined) return undefined;
  const id = memberOf(value, WORDS.id, (each) => typeof each === "string" && !/\s/.test(each) && !declared.has(each));
  return {
    name,
    arguments: below(holder, args),
    ...(id !== undefined && below("", id) !== name && { id: below("", id) }),
  };
}

const isArguments = (value: Json) => isObject(value) || (typeof value === "string" && isObject(parseJson(value)));
const firstArguments = (around: Json) => Object.keys(around).find((name) => isArguments(around[name]));
const firstText = (around: Json) =>
  isObject(around) ? Object.keys(around).find((name) => typeof around[name] === "string") : undefined;

function memberOf(value: Json, meaning: ReadonlySet<string>, fits: (each: Json) => boolean): string | undefined {
  if (!isObject(value)) return undefined;
  return Object.keys(value).find((name) => says(name, meaning) && fits(value[name]));
}

/** The first member, outermost first, that passes the test. */
function pathTo(value: Json, fits: (name: string, each: Json) => boolean, depthMax = 3): Pointer | undefined {
  let level: { pointer: Pointer; value: Json }[] = [{ pointer: "", value }];
  for (let depth = 0; depth < depthMax; depth++) {
    const next: typeof level = [];
    for (const { pointer, value: at } of level) {
      for (const [name, each] of Object.entries(at)) {
        if (fits(name, each)) return below(pointer, name);
        if (isObject(each)) next.push({ pointer: below(pointer, name), value: each });
      }
    }
    level = next;
  }
  return undefined;
}
