import type { ApiRecord } from "./weir.ts";

interface Change {
  readonly value: string;
  /** Whether the service said that it is done. */
  done: boolean;
}

interface Known {
  /** Of the response, where it arrived whole. */
  status: number | undefined;
  removal: "none" | "asked" | "done";
  /** By what they set, in order. */
  readonly changes: Map<string, Change[]>;
}

/** What clients have seen of a service, and therefore what must be true of its records. */
export class RaceModel {
  readonly #known = new Map<string, Known>();
  /** Responses that no history allows. */
  readonly surprises: string[] = [];
  changes = 0;

  ids(): readonly string[] {
    return [...this.#known.keys()];
  }

  /** One of the newest ids, so that clients meet. @param chance - from 0 up to 1. */
  some(chance: number): string | undefined {
    const newest = this.ids().slice(-12);
    return newest[Math.floor(chance * newest.length)];
  }

  seen(id: string): void {
    if (this.#known.has(id)) this.surprises.push(`two requests have the id ${id}`);
    this.#known.set(id, { status: undefined, removal: "none", changes: new Map() });
  }

  whole(id: string, status: number): void {
    this.#of(id).status = status;
  }

  begin(id: string, what: string, value: string): Change {
    const change = { value, done: false };
    const { changes } = this.#of(id);
    changes.set(what, [...(changes.get(what) ?? []), change]);
    this.changes += 1;
    return change;
  }

  notFound(id: string, path: string): void {
    if (this.#of(id).removal === "none") this.surprises.push(`${path} answered 404 and was never removed`);
  }

  removing(id: string): void {
    const known = this.#of(id);
    if (known.removal === "none") known.removal = "asked";
  }

  removed(id: string): void {
    this.#of(id).removal = "done";
  }

  judge(records: readonly ApiRecord[]): readonly string[] {
    const byId = Map.groupBy(records, (record) => String(record["request_id"]));
    return [...this.#known].flatMap(([id, known]) => {
      const found = byId.get(id) ?? [];
      if (known.removal === "done") return found.length === 0 ? [] : [`${id} came back`];
      if (found.length === 0) return known.removal === "asked" ? [] : [`${id} has no record`];
      if (found.length > 1) return [`${id} has ${found.length} records`];
      return wrongIn(id, known, found[0]!);
    });
  }

  #of(id: string): Known {
    return this.#known.get(id)!;
  }
}

function wrongIn(id: string, { status, changes }: Known, record: ApiRecord): readonly string[] {
  const wrong: string[] = [];
  // The last frames of a response may be lost with the process: then it says that it was cut off.
  if (status !== undefined && ![status, 500].includes(Number(record["response_status"])))
    wrong.push(`${id} was answered ${status}, its record says ${record["response_status"]}`);
  for (const [what, all] of changes) {
    const last = all.findLastIndex(({ done }) => done);
    // A change without a response may have been made; then it counts if no later change does.
    const allowed: (string | undefined)[] = all.slice(Math.max(0, last)).map(({ value }) => value);
    if (last < 0) allowed.push(undefined);
    const is = valueIn(record, what);
    if (!allowed.includes(is)) wrong.push(`${id} ${what} is ${is}, not one of ${allowed.join(", ")}`);
  }
  return wrong;
}

function valueIn(record: ApiRecord, what: string): string | undefined {
  const [kind, name = ""] = what.split(" ");
  const value =
    kind === "property"
      ? record["properties"]?.[name]
      : kind === "score"
        ? record["scores"]?.[name]
        : record["feedback_rating"];
  return value == null ? undefined : String(value);
}
