import { createHash } from "node:crypto";

/** A tool under the client's name. */
interface ClientTool {
  readonly name: string;
  readonly namespace?: string;
  readonly custom?: true;
}

export interface PlainToolNames {
  readonly known: readonly (readonly [string, ClientTool])[];
  readonly answerTool: string | undefined;
}

/** Characters of a name that are kept before its hash. */
const KEPT = 55;

/**
 * Maps tool names in both directions. A name that the target does not accept is shortened with a hash, a namespace becomes
 * part of the name, and a free-text tool becomes a function; responses are restored to the client's names.
 */
export class ToolNames {
  readonly #fits: RegExp | undefined;
  readonly #known = new Map<string, ClientTool>();
  /** Names that had to be shortened; cached, so that each is hashed once. */
  readonly #short = new Map<string, string>();
  /** Name of the tool whose input is the response, if a schema was requested through a tool. */
  answerTool: string | undefined;

  constructor(fits: RegExp | undefined) {
    this.#fits = fits;
  }

  /** As plain data, for other threads. */
  get plain(): PlainToolNames {
    return { known: [...this.#known], answerTool: this.answerTool };
  }

  static from({ known, answerTool }: PlainToolNames): ToolNames {
    const names = new ToolNames(undefined);
    for (const [name, tool] of known) names.#known.set(name, tool);
    names.answerTool = answerTool;
    return names;
  }

  /** The name to send; stored if it differs from the client's. */
  send(tool: ClientTool): string {
    const name = this.nameOf(tool);
    if (name !== tool.name || tool.custom === true) this.#known.set(name, tool);
    return name;
  }

  nameOf({ name, namespace }: ClientTool): string {
    const whole = namespace === undefined ? name : `${namespace}__${name}`;
    return this.#fits === undefined || this.#fits.test(whole) ? whole : this.#shortened(whole);
  }

  #shortened(whole: string): string {
    let name = this.#short.get(whole);
    if (name === undefined) {
      name = hashed(whole);
      this.#short.set(whole, name);
    }
    return name;
  }

  /** The client's name for a sent name. */
  back(name: string): ClientTool | undefined {
    return this.#known.get(name);
  }
}

function hashed(name: string): string {
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${name.slice(0, KEPT).replaceAll(/[^A-Za-z0-9_-]/g, "_")}_${hash}`;
}
