import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileProblem } from "../file-problem.ts";
import { messageOf } from "../log.ts";
import type { RouteExplanation } from "../threads.ts";
import { CLIENT_SHAPES } from "../unified/client-shapes.ts";
import { postToApi } from "./ask-api.ts";
import type { Invocation, Run } from "./command.ts";
import { printJson, printTable } from "./print.ts";
import { UsageError } from "./usage-error.ts";

type Target = RouteExplanation["targets"][number];

const HEADINGS = ["target", "credential", "state", "costs", "why"];

/** Calls the running service, because only it knows pauses and exhausted limits. */
export const explainRouteCommand: Run = async (invocation) => {
  const { terminal, options } = invocation;
  const question = await questionOf(invocation);
  const found: RouteExplanation = await postToApi(invocation, "/v1/route/explain", question, "read");
  if (options["json"]) printJson(terminal, found);
  else {
    terminal.out(`resolved by ${found.resolved_by}\n\n`);
    printTable(terminal, HEADINGS, found.targets.map(cellsOf), ["credential", "why"]);
    const notes = found.targets.flatMap(notesOf);
    if (notes.length > 0) terminal.out(`\n${notes.join("\n")}\n`);
  }
  return 0;
};

async function questionOf(invocation: Invocation): Promise<Record<string, unknown>> {
  const { args, options } = invocation;
  const shape = options["shape"]?.toString() ?? CLIENT_SHAPES[0];
  const body = await bodyOf(invocation);
  const properties = ((options["property"] ?? []) as readonly string[]).map(propertyOf);
  return {
    model: args[0],
    shape,
    ...(body !== undefined && { body }),
    ...(options["key"] !== undefined && { key_id: options["key"] }),
    ...(options["user"] !== undefined && { user: options["user"] }),
    ...(options["session"] !== undefined && { session: options["session"] }),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
  };
}

async function bodyOf({ options, terminal }: Invocation): Promise<unknown> {
  const file = options["body"]?.toString();
  if (file === undefined) return undefined;
  let text: string | undefined;
  try {
    text = file === "-" ? await terminal.stdin?.() : readFileSync(resolve(terminal.workingDirectory, file), "utf8");
  } catch (error) {
    throw new UsageError(`--body ${file} cannot be read: ${fileProblem(error)}`);
  }
  try {
    return JSON.parse(text ?? "");
  } catch (error) {
    throw new UsageError(`--body ${file} is no JSON: ${messageOf(error)}`);
  }
}

/** `name=value`; the value may be empty and may have more `=` in it. */
function propertyOf(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  if (at < 1) throw new UsageError(`--property takes NAME=VALUE, not "${text}"`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function cellsOf(target: Target): readonly string[] {
  const { credential, state, estimated_cost, skipped, reason } = target;
  const costs = estimated_cost === null ? "" : `$${Number(estimated_cost.toPrecision(2))}`;
  // The end of a pause is printed below the table: a time would be too wide.
  return [nameOf(target), credential, state.split(" until ")[0]!, costs, skipped ?? reason];
}

const nameOf = ({ provider, model }: Target) => `${provider.toLowerCase()}/${model}`;

/** Details that do not fit into the table: a line for each paused target, or for one with a changed request. */
function notesOf(target: Target): readonly string[] {
  const { credential, state, shape, same_shape } = target;
  const isTranslated = shape !== null && !same_shape;
  const losses = (["dropped", "approximated", "refused"] as const)
    .filter((kind) => target[kind].length > 0)
    .map((kind) => `${kind} ${target[kind].join(", ")}`);
  const clauses = [
    ...(state.includes(" until ") ? [state] : []),
    ...(isTranslated ? [`translated to ${shape}`] : []),
    ...losses,
  ];
  return clauses.length === 0 ? [] : [`${nameOf(target)} (${credential}): ${clauses.join("; ")}`];
}
