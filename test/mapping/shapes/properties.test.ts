import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { fit } from "../../../src/mapping/translate/fit.ts";
import { PieceFold, piecesOf } from "../../../src/mapping/translate/pieces.ts";
import { Sequence } from "../../../src/mapping/translate/sequence.ts";
import { ToolNames } from "../../../src/mapping/translate/tool-names.ts";
import { readWhole, StreamTranslation, translateRequest } from "../../../src/mapping/translate/translate.ts";
import { SHAPES } from "../../../src/mapping/wire/shapes.ts";
import type {
  Answer,
  Call,
  Json,
  ModelFacts,
  Part,
  Piece,
  Prompt,
  Reply,
  SentEvent,
  Shape,
} from "../../../src/plugin-host/contract.ts";
import { assertProperty } from "../../chance.ts";
import { answers, inPieces } from "./answers.ts";
import { chatGrammar, type Grammar, messagesGrammar, parsed, responsesGrammar } from "./grammar.ts";
import { nearJson } from "./near-json.ts";
import { essence, prompts } from "./prompts.ts";

const GRAMMARS: Readonly<Record<string, Grammar>> = {
  "chat-completions": chatGrammar,
  messages: messagesGrammar,
  responses: responsesGrammar,
};

/** What a shape cannot tell apart is made equal on both sides before they are compared. */
const SAME: Readonly<Record<string, (prompt: Json) => void>> = {
  "chat-completions": ofProvider,
  responses: (prompt) => {
    ofProvider(prompt);
    joinLeading(prompt);
    prompt.settings.store ??= false;
    for (const tool of prompt.tools) tool.strict ??= false;
    if (prompt.settings.logprobs !== true) delete prompt.settings.logprobs;
    const { thinking } = prompt.settings;
    if (thinking !== undefined && Object.keys(thinking).length === 0) delete prompt.settings.thinking;
  },
  messages: (prompt) => {
    ofProvider(prompt);
    if (prompt.settings.parallelCalls === true || prompt.tools.length === 0) delete prompt.settings.parallelCalls;
    if (prompt.toolChoice?.mode === "none") delete prompt.settings.parallelCalls;
    if (prompt.settings.parallelCalls === false) prompt.toolChoice ??= { mode: "auto" };
    const { format, thinking } = prompt.settings;
    if (format?.type === "schema") prompt.settings.format = { type: "schema", schema: format.schema };
    if (format?.type === "text") delete prompt.settings.format;
    if (thinking?.summary === undefined && thinking !== undefined && Object.keys(thinking).length === 0)
      delete prompt.settings.thinking;
    for (const { parts } of prompt.messages)
      for (const part of parts) if (part.type === "call") part.arguments = JSON.stringify(JSON.parse(part.arguments));
  },
};

/** Instructions are one text. */
function joinLeading(prompt: Json): void {
  const turns = prompt.messages.findIndex(({ role }: Json) => role !== "system");
  const leading = prompt.messages.splice(0, turns === -1 ? prompt.messages.length : turns);
  const text = leading.flatMap(({ parts }: Json) => parts.map((part: Json) => part.text)).join("\n\n");
  if (text !== "") prompt.messages.unshift({ role: "system", parts: [{ type: "text", text }] });
}

/** A provider is sent the bare value of its own state. */
function ofProvider({ messages }: Json): void {
  for (const { parts } of messages)
    for (const part of parts) if (part.state !== undefined) part.state = part.state.value;
}

const facts: fc.Arbitrary<ModelFacts> = fc.record(
  {
    reasoning: fc.constantFrom("effort", "budget", "adaptive", "none"),
    maxOutput: fc.constantFrom(4096, 64_000),
    jsonSchema: fc.boolean(),
    mustThink: fc.boolean(),
    systemInPlace: fc.boolean(),
    reasoningMember: fc.constant("reasoning_content"),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<ModelFacts>;

const issuers = fc.constantFrom("anthropic", "google", "openai:main", "acme");

const replyTo = (prompt: Prompt): Reply => ({ id: "reply-1", model: "m-1", created: 1_700_000_000, prompt });

/** A client that wants all there is. */
const asking: Prompt = {
  stream: true,
  messages: [],
  tools: [],
  settings: {},
  wants: { reasoning: true, state: true, usage: true },
  paths: {},
  losses: [],
  shape: "test",
  extra: {},
};

const wire = (value: Json): Json => JSON.parse(JSON.stringify(value));

describe.each(Object.entries(SHAPES).filter(([name]) => Object.hasOwn(GRAMMARS, name)))("%s", (name, shape) => {
  test("a prompt is read back as it was fitted", () => {
    assertProperty(
      fc.property(prompts, facts, issuers, (prompt, known, issuer) => {
        const call: Call = { model: "m", facts: effortOnly(name, known), issuer };
        const fitted = fit(prompt, shape, call);
        if (fitted.losses.some(({ kind }) => kind === "refused")) return;
        const { body } = shape.writeRequest(fitted.prompt, call);
        const [wanted, found] = [essence(fitted.prompt), essence(shape.readRequest!(wire(body)))];
        SAME[name]!(wanted);
        SAME[name]!(found);
        expect(found).toEqual(wanted);
        expect(shape.readRequest!(wire(body)).losses).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test("the same prompt gives the same bytes, and is left as it was", () => {
    assertProperty(
      fc.property(prompts, facts, issuers, (prompt, known, issuer) => {
        const call: Call = { model: "m", facts: known, issuer };
        const before = JSON.stringify(prompt);
        const bodies = [prompt, wire(prompt)].map((each) => JSON.stringify(translateRequest(each, shape, call)));
        expect(bodies[0]).toBe(bodies[1]!);
        expect(JSON.stringify(prompt)).toBe(before);
      }),
    );
  });

  test("every setting that does not arrive is a loss with its path", () => {
    assertProperty(
      fc.property(prompts, (prompt) => {
        const { prompt: fitted, losses } = fit(prompt, shape, { model: "m", facts: {}, issuer: "acme" });
        const paths = new Set(losses.map(({ path }) => path));
        const lost = Object.keys(prompt.settings).filter(
          (key) => !(key in fitted.settings) && !silent(name, prompt, key),
        );
        expect(lost.filter((key) => !paths.has(key))).toEqual([]);
      }),
    );
  });

  test("a response is read back, whole", () => {
    assertProperty(
      fc.property(answers, (answer) => {
        const body = wire(shape.writeAnswer!(answer, replyTo(asking)));
        const options = {
          from: shape,
          to: shape,
          names: new ToolNames(undefined),
          issuer: "acme:main",
          reply: replyTo(asking),
        };
        expect(said(readWhole(body, options).answer)).toEqual(said(answer));
      }),
    );
  });

  test("a response in pieces cut anywhere is the response, in a stream that fits the API's grammar", () => {
    assertProperty(
      fc.property(
        answers.chain((answer) => fc.tuple(fc.constant(answer), inPieces(answer))),
        ([answer, pieces]) => {
          const events = written(shape, pieces);
          expect(GRAMMARS[name]!(events)).toBeUndefined();
          expect(said(refolded(shape, events))).toEqual(said(answer));
        },
      ),
      { numRuns: 300 },
    );
  });

  test("no input makes it throw", () => {
    assertProperty(
      fc.property(fc.jsonValue({ maxDepth: 5 }), near, (any, body) => {
        for (const input of [any as Json, body]) {
          const prompt = shape.readRequest!(input);
          for (const target of Object.values(SHAPES))
            translateRequest(prompt, target, { model: "m", facts: {}, issuer: "x" });
          const answer = shape.readAnswer(input);
          shape.writeAnswer!(answer, replyTo(prompt));
          shape.writeError!(shape.readError(500, input));
          const stream = new StreamTranslation({
            from: shape,
            to: shape,
            names: new ToolNames(undefined),
            issuer: "x",
            reply: replyTo(prompt),
          });
          for (const data of Array.isArray(input) ? input : [input]) stream.event({ data });
          stream.close();
        }
      }),
      { numRuns: 1000 },
    );
  });
});

/** Chat names an effort and nothing else. */
const effortOnly = (name: string, { reasoning, ...known }: ModelFacts): ModelFacts =>
  name === "messages"
    ? { ...known, ...(reasoning === undefined || reasoning === "effort" ? {} : { reasoning }) }
    : known;

/** Settings that mean nothing where they are, or that are said in another way. */
function silent(name: string, prompt: Prompt, key: string): boolean {
  const { [key as "n"]: value } = prompt.settings;
  if (key === "parallelCalls" && (prompt.tools.length === 0 || value === (true as Json))) return true;
  if (key === "serviceTier" && value === ("auto" as Json)) return true;
  if (
    key === "cacheKey" ||
    (key === "store" && value === (false as Json)) ||
    (key === "logprobs" && value === (false as Json))
  )
    return true;
  return key === "format" && name === "messages" && prompt.settings.format?.type !== "json";
}

const NAMES =
  "type,role,content,messages,input,tools,tool_calls,function,name,arguments,id,text,image_url,source,data,delta,index,choices,message,usage,thinking,signature,content_block,system,stream,reasoning_details,stop,tool_choice,response_format,output_config,error,item,output,summary,call_id,__proto__,constructor".split(
    ",",
  );
const WORDS =
  "user,assistant,system,tool,text,function,tool_use,tool_result,thinking,image,message_start,content_block_start,content_block_delta,message_delta,input_json_delta,weir1.a.b,weir1..,data:,response.output_item.added,function_call,reasoning,message".split(
    ",",
  );
const near = nearJson(NAMES, WORDS);

function written(shape: Shape, pieces: readonly Piece[]): SentEvent[] {
  const state = {};
  const sequence = new Sequence();
  return pieces
    .flatMap((piece) => sequence.take(piece))
    .flatMap((piece) => shape.writeEvents!(state, piece, replyTo(asking)));
}

function refolded(shape: Shape, events: readonly SentEvent[]): Answer {
  const state = {};
  const fold = new PieceFold();
  for (const event of parsed(events)) for (const piece of shape.readEvent(state, event)) fold.take(piece);
  return fold.answer();
}

/** What an answer says, in the terms that all shapes have. */
function said({ choices, usage }: Answer): unknown {
  return wire({
    usage: {
      in: usage?.prompt_tokens,
      out: usage?.completion_tokens,
      read: usage?.prompt_cache_read_tokens,
      write: usage?.prompt_cache_write_tokens,
    },
    choices: choices.map(({ parts, finish }) => ({ finish, parts: parts.map(plain) })),
  });
}

function plain(part: Part): unknown {
  if (part.type === "call")
    return { type: "call", id: part.id, name: part.name, arguments: JSON.parse(part.arguments || "{}") };
  if (part.type === "reasoning")
    return { type: "reasoning", text: part.text, ...(part.state === undefined ? {} : { state: part.state }) };
  return { type: part.type, text: "text" in part ? part.text : undefined };
}

test("pieces of a response fold to the response", () => {
  assertProperty(
    fc.property(answers, (answer) => {
      const fold = new PieceFold();
      for (const piece of piecesOf(answer)) fold.take(piece);
      expect(fold.answer()).toEqual(answer);
    }),
  );
});
