import type { Json, StreamEvent } from "../../plugin-host/contract.ts";
import { deltaText } from "../fold-mapped.ts";
import { isObject } from "../json.ts";
import type { DeltaPlace } from "../mapping.ts";
import type { Pointer } from "../pointer.ts";
import { leavesOf } from "./leaves.ts";
import { isEncoded, says, WORDS } from "./member-names.ts";

/** Maximum events checked per stream. */
const EVENTS_MAX = 2_000;

interface StreamDeltas {
  readonly text: DeltaPlace | undefined;
  readonly reasoning: DeltaPlace | undefined;
}

interface Candidate {
  readonly delta: DeltaPlace;
  readonly text: string;
  readonly pieces: number;
  readonly names: readonly string[];
}

/** The place where streams send their text in pieces: the place whose pieces form the most prose. */
export function inferDeltas(streams: readonly (readonly StreamEvent[])[], model: string): StreamDeltas {
  const candidates = candidatesIn(streams, model);
  const isThought = ({ delta, names }: Candidate) =>
    [...names, delta.event ?? "", delta.when?.equals ?? ""].some((name) => says(name, WORDS.reasoning));
  const thoughts = candidates.filter(isThought).sort((a, b) => score(b) - score(a));
  const texts = candidates.filter((each) => !isThought(each)).sort((a, b) => score(b) - score(a));
  const best = texts[0];
  return { text: best !== undefined && score(best) > 2 ? best.delta : undefined, reasoning: thoughts[0]?.delta };
}

function score({ text, pieces, delta, names }: Candidate): number {
  const labels = [...names, delta.event ?? "", delta.when?.equals ?? ""];
  const name = names.at(-1) ?? "";
  return (
    Math.min(4, Math.log10(1 + text.length) * 1.5) +
    Math.min(2, pieces / 4) +
    (/\s/.test(text) ? 2 : 0) +
    (says(name, WORDS.text) || /delta|piece|chunk|tok|frag|part|bit/i.test(name) ? 2 : 0) -
    (says(name, WORDS.noText) ? 3 : 0) -
    (labels.some((label) => /debug|trace|ping|heartbeat|warn|citation|tool|arg|source|error|echo/i.test(label))
      ? 4
      : 0) -
    // Text that arrives in one piece at the end repeats the complete text.
    (pieces <= 1 ? 1.5 : 0)
  );
}

/** All places with text, by the type of event that has them. */
function candidatesIn(streams: readonly (readonly StreamEvent[])[], model: string): Candidate[] {
  const kind = discriminator(streams);
  const groups = new Map<string, { place: Omit<DeltaPlace, "mode">; names: readonly string[]; pieces: string[][] }>();
  for (const [index, events] of streams.entries()) {
    for (const { name, data } of events.slice(0, EVENTS_MAX)) {
      const of = kind === undefined ? undefined : kindOf(data, kind);
      for (const { pointer, names, value } of textsOf(data)) {
        if (value === model || pointer === kind || isEncoded(value)) continue;
        const key = JSON.stringify([pointer, name, of]);
        let group = groups.get(key);
        if (group === undefined) {
          const place = {
            path: pointer,
            ...(name !== undefined && { event: name }),
            ...(of !== undefined && kind !== undefined && { when: { path: kind, equals: of } }),
          };
          group = { place, names, pieces: streams.map(() => []) };
          groups.set(key, group);
        }
        group.pieces[index]!.push(value);
      }
    }
  }
  return [...groups.values()]
    .filter(({ pieces }) => !isConstant(pieces))
    .map(({ place, names, pieces }) => {
      const mode = pieces.every(isCumulative) && pieces.some((each) => each.length > 2) ? "replace" : "append";
      const delta: DeltaPlace = { ...place, mode };
      const texts = streams.map((events) => deltaText(events, delta) ?? "");
      const filled = pieces.filter((each) => each.length > 0).length || 1;
      return {
        delta,
        text: texts[0] === "" ? texts.join("") : texts[0]!,
        pieces: pieces.flat().length / filled,
        names,
      };
    });
}

function textsOf(data: Json): { pointer: Pointer; names: readonly string[]; value: string }[] {
  return leavesOf(data).flatMap(({ pointer, names, value }) =>
    typeof value === "string" && value !== "" ? [{ pointer, names, value }] : [],
  );
}

/** A constant value, such as an id in every event. */
const isConstant = (pieces: readonly (readonly string[])[]) =>
  pieces.some((each) => each.length > 2) && pieces.every((each) => new Set(each).size <= 1);

const isCumulative = (pieces: readonly string[]) =>
  pieces.every((piece, at) => at === 0 || piece.startsWith(pieces[at - 1]!)) &&
  (pieces.length < 2 || pieces.at(-1) !== pieces[0]);

const kindOf = (data: Json, kind: Pointer): string | undefined => {
  const value = isObject(data) ? data[kind.slice(1)] : undefined;
  return typeof value === "string" ? value : undefined;
};

const KINDS_MAX = 12;

/** The member with the event type: a word in nearly all events, with few recurring values. */
function discriminator(streams: readonly (readonly StreamEvent[])[]): Pointer | undefined {
  const events = streams.flat().slice(0, EVENTS_MAX);
  const names = new Set(events.flatMap(({ data }) => (isObject(data) ? Object.keys(data) : [])));
  for (const name of names) {
    const values = events.map(({ data }) => (isObject(data) ? data[name] : undefined));
    const words = values.filter((value) => typeof value === "string" && /^[\w.:-]{1,60}$/.test(value));
    const distinct = new Set(words).size;
    if (words.length < events.length * 0.9 || distinct < 2 || distinct > KINDS_MAX || distinct > events.length / 1.2)
      continue;
    const named = /type|kind|event|op|phase|stage|tag|what|status|frame/i.test(name);
    if ((named || distinct <= events.length / 3) && !/~|\//.test(name)) return `/${name}`;
  }
  return undefined;
}
