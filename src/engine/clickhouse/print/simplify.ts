import {
  ALL,
  type Condition,
  type FilterTree,
  isJunction,
  type Junction,
  NOTHING,
  type Term,
} from "../../../filter/tree.ts";

type JunctionKind = Junction["kind"];
/** Terms of a junction by a key of their content. */
type Terms = Map<string, FilterTree>;

/** A junction whose terms are being processed. */
interface Open {
  readonly kind: JunctionKind;
  terms: Terms;
  /** Junctions among the terms, in reverse order. */
  readonly pending: Junction[];
  /** Conditions whose value is known below this junction, because they are terms of it. */
  readonly settled: string[];
  /** Whether a single term determines its value. */
  isDecided: boolean;
}

/** A simplified junction. Its list is created on first use: until then it may be merged into another one. */
class Left implements Junction {
  readonly kind: JunctionKind;
  readonly byKey: Terms;
  #list: readonly FilterTree[] | undefined;

  constructor(kind: JunctionKind, byKey: Terms) {
    this.kind = kind;
    this.byKey = byKey;
  }

  get terms(): readonly FilterTree[] {
    this.#list ??= [...this.byKey.values()];
    return this.#list;
  }
}

/** Larger junctions are not compared with earlier ones. */
const COMPARED_MAX = 256;

/**
 * Removes redundant conditions from a filter: ClickHouse's time grows with the square of their number.
 *
 * A filter has no "not", and a null condition selects as little as a false one, so the laws of Boolean logic apply. In "a or
 * …" the rest matters only if `a` is false, and in "a and …" only if it is true; so further occurrences of `a` in the rest
 * have a known value. Uses its own stack, since trees may be 25,000 levels deep.
 */
export function simplified(tree: FilterTree): FilterTree {
  return isJunction(tree) ? new Simplifier().simplify(tree) : tree;
}

class Simplifier {
  /** Conditions whose value is known at this point, by key. */
  readonly #known = new Map<string, boolean>();
  readonly #open: Open[] = [];
  /** Keys of junctions are numbers, because their content is as long as the tree. */
  readonly #numbers = new Map<string, string>();
  #junctions = 0;

  simplify(root: Junction): FilterTree {
    this.#enter(root);
    for (;;) {
      const top = this.#open.at(-1)!;
      const next = top.isDecided ? undefined : top.pending.pop();
      if (next !== undefined) {
        this.#enter(next);
        continue;
      }
      const left = this.#leave();
      const parent = this.#open.at(-1);
      if (parent === undefined) return onlyTerm(left) ?? left;
      this.#add(parent, left);
    }
  }

  #enter({ kind, terms }: Junction): void {
    const open: Open = { kind, terms: new Map(), pending: [], settled: [], isDecided: false };
    this.#open.push(open);
    for (const term of terms) {
      if (isJunction(term)) {
        open.pending.push(term);
        continue;
      }
      const key = keyOf(term);
      const value = this.#known.get(key);
      if (value !== undefined) addTerm(open, value ? ALL : NOTHING);
      else addTerm(open, term);
      if (term.kind !== "condition" || value !== undefined) continue;
      this.#known.set(key, kind === "and");
      open.settled.push(key);
    }
    open.pending.reverse();
  }

  #leave(): Left {
    const { kind, terms, settled } = this.#open.pop()!;
    for (const key of settled) this.#known.delete(key);
    return new Left(kind, terms);
  }

  #add(open: Open, left: Left): void {
    const alone = onlyTerm(left);
    if (alone instanceof Left) this.#add(open, alone);
    else if (alone !== undefined && !isJunction(alone)) addTerm(open, alone);
    else if (left.kind === open.kind) open.terms = merged(open.terms, left.byKey);
    else open.terms.set(this.#keyOf(left), left);
  }

  #keyOf({ kind, byKey: terms }: Left): string {
    const said = terms.size > COMPARED_MAX ? "" : `${kind} ${[...terms.keys()].sort().join("\n")}`;
    const known = this.#numbers.get(said);
    if (known !== undefined && said !== "") return known;
    const key = `#${this.#junctions++}`;
    if (said !== "") this.#numbers.set(said, key);
    return key;
  }
}

/** The replacement of a junction with fewer than two terms. */
function onlyTerm({ kind, byKey }: Left): FilterTree | undefined {
  if (byKey.size > 1) return undefined;
  const [term] = byKey.values();
  return term ?? (kind === "and" ? ALL : NOTHING);
}

function addTerm(open: Open, term: Term): void {
  if (open.isDecided || term.kind === (open.kind === "and" ? "all" : "nothing")) return;
  if (term.kind !== "condition") {
    open.isDecided = true;
    open.terms = new Map();
  }
  open.terms.set(keyOf(term), term);
}

/** All terms of both; the smaller map is copied into the larger one. */
function merged(one: Terms, other: Terms): Terms {
  const [large, small] = one.size < other.size ? [other, one] : [one, other];
  for (const [key, term] of small) large.set(key, term);
  return large;
}

function keyOf(term: Term): string {
  if (term.kind !== "condition") return term.kind;
  const { source, valueKind, name, operator, value }: Condition = term;
  return JSON.stringify([source, valueKind, name, operator, value]);
}
