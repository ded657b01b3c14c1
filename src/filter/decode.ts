import { GatewayError } from "../errors.ts";
import { storable } from "../record/storable.ts";
import { type Field, GROUPS, type Group, isField } from "./fields.ts";
import { OPERATORS } from "./operators.ts";
import { onShownSum } from "./shown-sum.ts";
import { hint, quote } from "./spelling.ts";
import {
  ALL,
  type Condition,
  conjuncts,
  FILTER_NODES_MAX,
  type FilterTree,
  isJunction,
  NOTHING,
  PATTERN_CHARS_MAX,
} from "./tree.ts";
import { checkValue } from "./values.ts";

/** Which leaves an endpoint accepts: `fast` only leaves wrapped in `request_response_rmt`, `legacy` all groups. */
export type Dialect = "fast" | "legacy";

export interface DecodedFilter {
  readonly tree: FilterTree;
  /** On the fast endpoint: a property leaf was not wrapped, so it matches nothing. */
  readonly unwrapped: boolean;
}

/**
 * Validates a filter from outside.
 *
 * Walks iteratively, because callers build chains thousands of levels deep, and merges runs of one operator on the way.
 *
 * @param path - of the filter in the request body, for error messages.
 * @throws GatewayError `filter_invalid`, whose `path` ends at the invalid name or value.
 */
export function decodeFilter(raw: unknown, dialect: Dialect, path = "filter"): DecodedFilter {
  return new Decoder(dialect).decode(raw, path);
}

/** A step of a path. Paths are assembled only for an error: in a long chain they would fill the memory. */
interface Place {
  readonly parent: Place | undefined;
  readonly step: string;
}

/** A junction whose terms are being collected. */
interface Gathering {
  readonly kind: "and" | "or";
  readonly terms: FilterTree[];
}

/** The current place in the body, and the collector of its conditions. */
interface Site {
  readonly at: Place;
  readonly into: Gathering;
}

interface Visit extends Site {
  readonly raw: unknown;
}

/** The subject of a condition. */
interface Subject {
  readonly label: string;
  readonly field: Field;
  readonly name?: string;
}

const BRANCH_KEYS = ["left", "operator", "right"];
const FAST_GROUP = "request_response_rmt";

class Decoder {
  readonly #dialect: Dialect;
  #nodes = 0;
  #unwrapped = false;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  decode(raw: unknown, path: string): DecodedFilter {
    const root: Gathering = { kind: "and", terms: [] };
    const start: Place = { parent: undefined, step: path };
    const pending: Visit[] = [{ raw, at: start, into: root }];
    for (let visit = pending.pop(); visit !== undefined; visit = pending.pop()) {
      const next = this.#visit(visit);
      // The left arm is popped first, so that terms keep the caller's order.
      if (next !== undefined) pending.push(next.right, next.left);
    }
    const tree = root.terms.length === 1 ? root.terms[0]! : root;
    return { tree, unwrapped: this.#unwrapped };
  }

  #visit({ raw, at, into }: Visit): { left: Visit; right: Visit } | undefined {
    if (raw === "all") {
      this.#count(at);
      into.terms.push(ALL);
      return undefined;
    }
    if (!isObject(raw)) {
      const written = typeof raw === "string" ? `, not ${quote(raw)}` : "";
      throw wrong(at, `a filter is a leaf, a branch or "all"${written}`);
    }
    if (BRANCH_KEYS.some((key) => Object.hasOwn(raw, key))) return this.#branch(raw, at, into);
    this.#leaf(raw, at, into);
    return undefined;
  }

  #branch(raw: Readonly<Record<string, unknown>>, at: Place, into: Gathering): { left: Visit; right: Visit } {
    this.#count(at);
    for (const key of Object.keys(raw)) {
      if (!BRANCH_KEYS.includes(key))
        throw wrong(step(at, key), `a branch has no ${quote(key)}; ${hint(key, BRANCH_KEYS)}`);
    }
    for (const key of BRANCH_KEYS) {
      if (!Object.hasOwn(raw, key)) throw wrong(step(at, key), `a branch needs "left", "operator" and "right"`);
    }
    const kind = raw["operator"];
    if (kind !== "and" && kind !== "or") {
      const written = typeof kind === "string" ? `, not ${quote(kind)}` : "";
      throw wrong(step(at, "operator"), `the operator of a branch is "and" or "or"${written}`);
    }
    const below = kind === into.kind ? into : open(kind, into);
    return {
      left: { raw: raw["left"], at: step(at, "left"), into: below },
      right: { raw: raw["right"], at: step(at, "right"), into: below },
    };
  }

  /** Groups in a leaf, fields in a group and operators on a field are all joined by "and". */
  #leaf(raw: Readonly<Record<string, unknown>>, at: Place, into: Gathering): void {
    const leaf: Gathering = { kind: "and", terms: [] };
    for (const [name, value] of entries(raw, at, `a leaf names a group; ${hint("", this.#groupNames())}`)) {
      const here = step(at, name);
      const group = this.#group(name, here);
      if (group === "unwrapped") {
        this.#unwrapped = true;
        leaf.terms.push(NOTHING);
      } else if (isField(group)) this.#field({ label: name, field: group }, value, { at: here, into: leaf });
      else this.#fields(name, group, value, { at: here, into: leaf });
    }
    const whole: FilterTree = leaf.terms.length === 1 ? leaf.terms[0]! : leaf;
    if (isJunction(whole) && whole.kind === into.kind) for (const term of whole.terms) into.terms.push(term);
    else into.terms.push(whole);
  }

  #group(name: string, at: Place): Group | "unwrapped" {
    if (this.#dialect === "fast" && name === "properties") return "unwrapped";
    const known = Object.hasOwn(GROUPS, name) ? GROUPS[name] : undefined;
    if (known !== undefined && (this.#dialect === "legacy" || name === FAST_GROUP)) return known;
    const why = known === undefined ? `there is no group ${quote(name)}` : `this endpoint has no group ${quote(name)}`;
    throw wrong(at, `${why}; ${hint(name, this.#groupNames())}`);
  }

  #groupNames(): string[] {
    return this.#dialect === "fast" ? [FAST_GROUP] : Object.keys(GROUPS);
  }

  #fields(group: string, fields: Readonly<Record<string, Field>>, raw: unknown, { at, into }: Site): void {
    const names = Object.keys(fields);
    for (const [name, value] of entries(raw, at, `"${group}" takes a field; ${hint("", names)}`)) {
      const here = step(at, name);
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (field === undefined) throw wrong(here, `"${group}" has no field ${quote(name)}; ${hint(name, names)}`);
      this.#field({ label: `${group}.${name}`, field }, value, { at: here, into });
    }
  }

  #field(subject: Subject, raw: unknown, { at, into }: Site): void {
    if (!subject.field.named) {
      this.#conditions(subject, raw, { at, into });
      return;
    }
    const { source } = subject.field;
    const charsMax = source.from === "properties" && source.names === "any-case" ? PATTERN_CHARS_MAX : Infinity;
    for (const [name, value] of entries(raw, at, `"${subject.label}" takes an object of names and conditions`)) {
      const here = step(at, name);
      if (name.length > charsMax) throw wrong(here, `"${subject.label}" takes names of at most ${charsMax} characters`);
      this.#conditions({ ...subject, name: storable(name) }, value, { at: here, into });
    }
  }

  #conditions({ label, field, name }: Subject, raw: unknown, { at, into }: Site): void {
    const operators = OPERATORS[field.kind];
    const known = Object.keys(operators);
    for (const [operator, value] of entries(raw, at, `"${label}" takes an operator and a value; ${hint("", known)}`)) {
      this.#count(at);
      const here = step(at, operator);
      if (!Object.hasOwn(operators, operator)) {
        throw wrong(here, `"${label}" has no operator ${quote(operator)}; ${hint(operator, known)}`);
      }
      const checked = checkValue({ kind: field.kind, operator, path: () => pathOf(here) }, value);
      const { source, kind } = field;
      const condition: Condition = {
        kind: "condition",
        label,
        source,
        valueKind: kind,
        name,
        operator,
        value: checked,
      };
      into.terms.push(...(field.shownSum ? conjuncts(onShownSum(condition)) : [condition]));
    }
  }

  #count(at: Place): void {
    this.#nodes += 1;
    if (this.#nodes <= FILTER_NODES_MAX) return;
    throw wrong(root(at), `a filter has at most ${FILTER_NODES_MAX} branches and conditions`);
  }
}

/** The entries of a non-empty object. */
function entries(raw: unknown, at: Place, need: string): [string, unknown][] {
  const found = isObject(raw) ? Object.entries(raw) : [];
  if (found.length === 0) throw wrong(at, need);
  return found;
}

/** Starts a junction inside another one. */
function open(kind: "and" | "or", into: Gathering): Gathering {
  const junction: Gathering = { kind, terms: [] };
  into.terms.push(junction);
  return junction;
}

function isObject(raw: unknown): raw is Readonly<Record<string, unknown>> {
  return typeof raw === "object" && raw !== null && !Array.isArray(raw);
}

function step(parent: Place, name: string): Place {
  return { parent, step: name };
}

function root(place: Place): Place {
  let at = place;
  while (at.parent !== undefined) at = at.parent;
  return at;
}

function pathOf(place: Place): string {
  const steps: string[] = [];
  for (let at: Place | undefined = place; at !== undefined; at = at.parent) steps.push(at.step);
  return steps.reverse().join(".");
}

function wrong(at: Place, message: string): GatewayError {
  return new GatewayError("filter_invalid", message, { path: pathOf(at) });
}
