import type { Route } from "./access/gate.ts";
/** JSON Schemas by name: of a parameter, or of a media type. */
export type Schemas = Readonly<Record<string, object>>;

/** What an endpoint takes and answers besides JSON of its body's schema and the envelope. */
export interface Unusual {
  /** Parameters behind the `?` of the address; none of them is required. */
  readonly query?: Schemas;
  /** JSON Schema of a body that the endpoint checks itself. */
  readonly body?: object;
  /** Media types of the body. */
  readonly takes?: Schemas;
  /** Media types of the response. */
  readonly answers?: Schemas;
}

/** What an endpoint says of itself for the description of the API. Who may call it stands in `access/needs.ts`. */
export function endpoint(tag: string, summary: string, description = "", unusual: Unusual = {}) {
  const { body, ...others } = unusual;
  const detail = { summary, description, tags: [tag], "x-unusual": others };
  return { detail: body === undefined ? detail : { ...detail, "x-body": body } };
}

export interface DescribedRoute extends Route {
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** JSON Schema of the body. */
  readonly body: unknown;
  readonly unusual: Unusual;
}
