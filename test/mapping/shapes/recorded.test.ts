import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { PieceFold } from "../../../src/mapping/translate/pieces.ts";
import { SHAPES } from "../../../src/mapping/wire/shapes.ts";
import type { Answer, ApiError, Json } from "../../../src/plugin-host/contract.ts";
import { bodyBytes, type Fixture, fixturesOf, inputOf, readAll } from "../../providers/fixtures.ts";
import { responseIn } from "../../providers/recording.ts";

/**
 * The shapes read the exchanges that the recorder reads, and find the same text, calls, counts and errors. The recorder
 * puts a stream together first; a shape reads it event by event.
 */
const folder = join(import.meta.dirname, "../../fixtures");
const providers = readdirSync(folder).filter((name) => !name.startsWith("_"));
/** Shapes that no client speaks. */
const NAMES = ["cohere-chat", "converse", "generate-content", "ollama-chat"];

/** Counting tokens is no answer. */
function isCount({ request }: Fixture): boolean {
  return request.url.includes(":countTokens");
}

interface Read {
  readonly answer: Answer;
  readonly error: ApiError | undefined;
}

const readable = providers.flatMap((provider) =>
  fixturesOf(provider).flatMap((fixture) => {
    const { reading, schema } = readAll(inputOf(fixture, undefined));
    const shape = NAMES.includes(reading.wireSchema ?? "") ? SHAPES[reading.wireSchema!] : undefined;
    // Version 1 of Cohere's chat is not what it is sent.
    const isOther = shape === undefined || fixture.request.url.includes("/v1/chat") || isCount(fixture);
    return isOther ? [] : [{ name: `${provider}: ${fixture.name}`, fixture, shape, reading, schema }];
  }),
);

test("exchanges of every shape are among them", () => {
  expect([...new Set(readable.map(({ shape }) => shape.name))].sort()).toEqual(NAMES);
});

describe.each(readable)("$name", ({ fixture, shape, reading, schema }) => {
  const { answer, error } = readBy(shape.name, fixture);

  test("is read as the recorder reads it", () => {
    const [choice] = answer.choices;
    const text = (choice?.parts ?? []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
    expect(error?.message ?? null).toEqual(reading.error?.message ?? null);
    if (error === undefined) expect(text).toBe(reading.completionText ?? "");
    expect(counts(answer.usage)).toEqual(counts(reading.usage));
    if (error === undefined) expect(callsOf(answer)).toEqual(callsIn(schema));
  });
});

function readBy(name: string, fixture: Fixture): Read {
  const shape = SHAPES[name]!;
  const { response, request } = fixture;
  const url = new URL(request.url);
  const type =
    response.type ?? (response.frames === undefined ? "application/json" : "application/vnd.amazon.eventstream");
  const { events, responseBody } = responseIn(bodyBytes(fixture), type, url.pathname + url.search);
  if ((response.status ?? 200) >= 400)
    return { answer: { choices: [] }, error: shape.readError(response.status!, responseBody) };
  if (events === undefined) return { answer: shape.readAnswer(responseBody), error: undefined };
  const fold = new PieceFold();
  const state = {};
  let error: ApiError | undefined;
  for (const event of events)
    for (const piece of shape.readEvent(state, event)) {
      if (piece.type === "error") error ??= piece.error;
      fold.take(piece);
    }
  return { answer: fold.answer(), error };
}

const counts = (usage: Answer["usage"] | null) => [usage?.prompt_tokens ?? null, usage?.completion_tokens ?? null];

const callsOf = ({ choices }: Answer) =>
  choices.flatMap(({ parts }) =>
    parts.flatMap((part) =>
      part.type === "call" ? [{ name: part.name, arguments: JSON.parse(part.arguments || "{}") }] : [],
    ),
  );

const callsIn = (schema: Json) =>
  (schema?.response?.messages ?? []).flatMap((message: Json) =>
    (message.tool_calls ?? []).map(({ name, arguments: args }: Json) => ({ name, arguments: args })),
  );
