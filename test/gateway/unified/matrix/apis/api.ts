import type { z } from "zod";
import type { Answer, ApiError, Json } from "../../../../../src/plugin-host/contract.ts";

/**
 * A provider's public API, written down independently: what it refuses, what a request means, and how it responds. It shares no
 * code with the shapes.
 */
export interface Api {
  /** Why the provider would respond with 400; undefined if it would not. */
  readonly refuses: (body: Json) => string | undefined;
  /** What a request says, part by part. */
  readonly lines: (body: Json) => readonly string[];
  readonly answer: (answer: Answer) => Json;
  /** Its events, each with its bytes. */
  readonly events: (answer: Answer) => readonly Uint8Array[];
  readonly streamType: string;
  /** An error's body. */
  readonly error: (error: ApiError) => Json;
  /** An error in the middle of a stream; undefined where the API has none and only stops. */
  readonly streamError: (error: ApiError) => Uint8Array | undefined;
}

/** The first thing that a schema says is wrong, with its path. */
export function problemIn(schema: z.ZodType, body: unknown): string | undefined {
  const { error } = schema.safeParse(body);
  const issue = error && deepest(error.issues[0] as Json);
  return issue && `${issue.path.join(".")}: ${issue.message}`;
}

/** Of a union, the arm that came farthest. */
function deepest(issue: Json): Json {
  if (issue.code !== "invalid_union" || !Array.isArray(issue.errors) || issue.errors.length === 0) return issue;
  const arms = issue.errors.map((arm: Json[]) => deepest(arm[0]));
  const [best] = arms.sort((a: Json, b: Json) => b.path.length - a.path.length);
  return { ...best, path: [...issue.path, ...best.path] };
}

export function first(problems: Iterable<string>): string | undefined {
  for (const problem of problems) return problem;
  return undefined;
}

const encoder = new TextEncoder();
export const bytes = (text: string): Uint8Array => encoder.encode(text);
export const dataEvent = (data: Json): Uint8Array =>
  bytes(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
export const namedEvent = (name: string, data: Json): Uint8Array =>
  bytes(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);

/** What a stand-in signs its thoughts with. The maker's name is in it, so that a signature of another maker is refused. */
export const signature = (maker: string, of: string): string => `${maker}-signed-${of}`;
export const isSignedBy = (maker: string, value: unknown): boolean =>
  typeof value === "string" && value.startsWith(`${maker}-signed-`);
