import fc from "fast-check";
import { piecesOf } from "../../../src/mapping/translate/pieces.ts";
import type { Answer, Choice, Part, Piece } from "../../../src/plugin-host/contract.ts";

/** Answers as models give them, and the pieces that they may come in. */

const word = fc.constantFrom("Hi", "Hello, world", "naïve ✓ 日本", '{"a":"b}"}', "line\nline", "\\");
const json = fc.constantFrom("{}", '{"city":"Oslo"}', '{"a":[1,{"b":"}\\""}]}', '{ "x" : "\\\\" }');

const text: fc.Arbitrary<Part> = word.map((text) => ({ type: "text", text }));
const reasoning: fc.Arbitrary<Part> = fc
  .tuple(
    word,
    fc.option(
      fc.record({
        kind: fc.constantFrom("signature" as const, "encrypted" as const),
        value: fc.constantFrom("c2ln", "+/="),
      }),
      {
        nil: undefined,
      },
    ),
  )
  .map(([text, state]) =>
    state === undefined
      ? { type: "reasoning", text }
      : { type: "reasoning", text, state: { issuer: state.kind === "encrypted" ? "acme:main" : "acme", ...state } },
  );
const call = (id: number): fc.Arbitrary<Part> =>
  fc
    .record({ name: fc.constantFrom("search", "run"), arguments: json })
    .map((members) => ({ type: "call", id: `call_${id}`, ...members }));

/** Parts in the order that every shape can say: thoughts, text, calls. */
const parts: fc.Arbitrary<Part[]> = fc
  .tuple(
    fc.option(reasoning),
    fc.option(text),
    fc.integer({ min: 0, max: 3 }).chain((count) => fc.tuple(...[...Array(count).keys()].map(call))),
  )
  .map(([thought, said, calls]) => [thought, said, ...calls].filter((part) => part !== null))
  .filter((list) => list.length > 0);

const usage = fc
  .record({ input: fc.nat(9000), read: fc.nat(50), write: fc.nat(50), output: fc.nat(900) })
  .map(({ input, read, write, output }) => ({
    prompt_tokens: input + read + write,
    completion_tokens: output,
    prompt_cache_read_tokens: read,
    prompt_cache_write_tokens: write,
  }));

export const answers: fc.Arbitrary<Answer> = fc
  .record({ parts, cut: fc.boolean(), usage })
  .map(({ parts, cut, usage }) => {
    const called = parts.some(({ type }) => type === "call");
    const choice: Choice = { parts, finish: cut ? "length" : called ? "calls" : "end" };
    return { id: "id-1", model: "m-1", choices: [choice], usage };
  });

/** The pieces of an answer, texts cut at arbitrary places and calls woven into each other where asked. */
export const inPieces = (answer: Answer): fc.Arbitrary<Piece[]> =>
  fc
    .record({ cuts: fc.infiniteStream(fc.integer({ min: 1, max: 5 })), woven: fc.boolean(), closes: fc.boolean() })
    .map(({ cuts, woven, closes }) => {
      const cut = piecesOf(answer)
        .filter(({ type }) => closes || type !== "close")
        .flatMap((piece) => ("text" in piece ? cutText(piece, cuts) : [piece]));
      return woven && !closes ? weave(cut) : cut;
    });

type TextPiece = Extract<Piece, { readonly text: string }>;

function cutText(piece: TextPiece, cuts: Iterator<number>): Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < piece.text.length; ) {
    const size = cuts.next().value as number;
    pieces.push({ ...piece, text: piece.text.slice(at, at + size) });
    at += size;
  }
  return pieces.length === 0 ? [piece] : pieces;
}

/** Calls begin one after the other, then their arguments take turns. */
function weave(pieces: readonly Piece[]): Piece[] {
  const isArguments = (piece: Piece): piece is Piece & { type: "arguments" } => piece.type === "arguments";
  const queues = new Map<number, Piece[]>();
  for (const piece of pieces.filter(isArguments)) queues.set(piece.part, [...(queues.get(piece.part) ?? []), piece]);
  const turns: Piece[] = [];
  while ([...queues.values()].some((queue) => queue.length > 0))
    for (const queue of queues.values()) if (queue.length > 0) turns.push(queue.shift()!);
  const before = pieces.filter((piece) => !isArguments(piece));
  const finish = before.findIndex(({ type }) => type === "finish");
  return [...before.slice(0, finish), ...turns, ...before.slice(finish)];
}
