import type { Needs } from "./access/needs.ts";

/** JSON Schemas by name, of a parameter or of a media type. */
type Schemas = Readonly<Record<string, object>>;

/** What an endpoint takes and returns other than JSON by its body's schema and the envelope. */
export interface Unusual {
  /** Query parameters; none of them is required. */
  readonly query?: Schemas;
  /** JSON Schema of a body that the endpoint checks itself. */
  readonly body?: object | undefined;
  /** How the body is read: as text, or as optional JSON that Elysia does not check. */
  readonly reads?: "text" | "optional";
  /** Media types of the request body. */
  readonly takes?: Schemas;
  /** Media types of the response. */
  readonly responses?: Schemas;
  /** What a plugin's endpoint requires of its caller: the table in `access/needs.ts` does not list it. */
  readonly needs?: Needs;
}

/** Describes an endpoint, besides its body's schema. The callers it admits are in `access/needs.ts`. */
export function endpoint(tag: string, summary: string, description = "", unusual: Unusual = {}) {
  return { detail: { summary, description, tags: [tag], "x-unusual": unusual } };
}

/** The method by which endpoints are found: HEAD is handled like GET, and its body is dropped. */
export const methodOf = ({ method }: Request): string => (method === "HEAD" ? "GET" : method);

/** An endpoint as the guard and the API description see it. */
export interface Endpoint {
  readonly method: string;
  /** With `:name` for each variable segment. */
  readonly path: string;
  readonly needs: Needs;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** JSON Schema of the body. */
  readonly body: unknown;
  readonly unusual: Unusual;
}
