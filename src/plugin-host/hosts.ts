/**
 * Host patterns: which provider a target host belongs to. All match against the complete, parsed host name.
 *
 * `api.acme.test` is that host; `*.acme.test` is any name below it, at any depth; `*` elsewhere matches any characters
 * within one label (`bedrock-runtime.*.amazonaws.com`, `*-aiplatform.googleapis.com`).
 */
const PATTERN = /^[a-z0-9_*-]+(\.[a-z0-9_*-]+)*$/;

export function isHostPattern(value: unknown): value is string {
  if (typeof value !== "string") return false;
  if (value.startsWith("[")) return /^\[[0-9a-f:.]+\]$/.test(value);
  // A pattern must name the end of the host: `*` and `api.*` would match hosts of anybody.
  return PATTERN.test(value) && !value.slice(value.lastIndexOf(".") + 1).includes("*");
}

/** Maximum number and length of hosts whose result is kept. Clients may invent names. */
const FOUND_MAX = 1_000;
const FOUND_LENGTH_MAX = 300;

/** Patterns with their values; finds the most specific one that matches a host. */
export class HostTable<T> {
  readonly #exact = new Map<string, T>();
  readonly #within: { readonly pattern: string; readonly fits: RegExp; readonly value: T }[] = [];
  readonly #below = new Map<string, T>();
  /** Results by host: a service calls few hosts, and one that no pattern fits is compared with all of them. */
  readonly #found = new Map<string, { readonly value: T | undefined }>();

  /** The value already registered for exactly this pattern. */
  owner(pattern: string): T | undefined {
    if (isBelow(pattern)) return this.#below.get(pattern.slice(2));
    return this.#exact.get(pattern) ?? this.#within.find((entry) => entry.pattern === pattern)?.value;
  }

  add(pattern: string, value: T): void {
    this.#found.clear();
    if (isBelow(pattern)) this.#below.set(pattern.slice(2), value);
    else if (!pattern.includes("*")) this.#exact.set(pattern, value);
    else this.#within.push({ pattern, fits: expression(pattern), value });
  }

  /** @param host - lower case, without port. A trailing dot is ignored. */
  find(host: string): T | undefined {
    const known = this.#found.get(host);
    if (known !== undefined) return known.value;
    const value = this.#search(host);
    if (host.length > FOUND_LENGTH_MAX) return value;
    if (this.#found.size >= FOUND_MAX) this.#found.clear();
    this.#found.set(host, { value });
    return value;
  }

  #search(host: string): T | undefined {
    const name = host.endsWith(".") ? host.slice(0, -1) : host;
    const exact = this.#exact.get(name) ?? this.#within.find(({ fits }) => fits.test(name))?.value;
    if (exact !== undefined) return exact;
    for (let dot = name.indexOf("."); dot !== -1; dot = name.indexOf(".", dot + 1)) {
      const below = dot === 0 ? undefined : this.#below.get(name.slice(dot + 1));
      if (below !== undefined) return below;
    }
    return undefined;
  }
}

/** `*.` followed by plain labels. */
function isBelow(pattern: string): boolean {
  return pattern.startsWith("*.") && !pattern.includes("*", 1);
}

function expression(pattern: string): RegExp {
  const labels = pattern.split(".").map((label, at) =>
    // A first label that is only `*` keeps its meaning: one or more labels.
    at === 0 && label === "*" ? "[^.]+(?:\\.[^.]+)*" : label.replaceAll("*", "[^.]*"),
  );
  return new RegExp(`^${labels.join("\\.")}$`);
}
