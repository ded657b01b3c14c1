import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { fit } from "../../../src/mapping/translate/fit.ts";
import { PieceFold } from "../../../src/mapping/translate/pieces.ts";
import { ToolNames } from "../../../src/mapping/translate/tool-names.ts";
import { readWhole, StreamTranslation, translateRequest } from "../../../src/mapping/translate/translate.ts";
import { SHAPES } from "../../../src/mapping/wire/shapes.ts";
import type { Answer, Json, ModelFacts, Part, Prompt, Reply } from "../../../src/plugin-host/contract.ts";
import { assertProperty } from "../../chance.ts";
import { answers } from "./answers.ts";
import { cohereOracle } from "./cohere-oracle.ts";
import { converseOracle } from "./converse-oracle.ts";
import { geminiOracle } from "./gemini-oracle.ts";
import { nearJson } from "./near-json.ts";
import { ollamaOracle } from "./ollama-oracle.ts";
import { linesOf, type Oracle, withoutState } from "./oracle.ts";
import { prompts } from "./prompts.ts";

const ORACLES: Readonly<Record<string, Oracle>> = {
  "generate-content": geminiOracle,
  converse: converseOracle,
  "cohere-chat": cohereOracle,
  "ollama-chat": ollamaOracle,
};

const facts: fc.Arbitrary<ModelFacts> = fc.record(
  {
    reasoning: fc.constantFrom("effort", "budget", "level", "none"),
    maxOutput: fc.constantFrom(4096, 64_000),
    jsonSchema: fc.boolean(),
    needsSignatures: fc.boolean(),
    mustThink: fc.boolean(),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<ModelFacts>;

const issuers = fc.constantFrom("anthropic", "google", "acme");
const client = SHAPES["chat-completions"]!;
const asking = client.readRequest!({ model: "m", messages: [], stream: true });
const reply: Reply = { id: "reply-1", model: "m", created: 1_700_000_000, prompt: asking };
const wire = (value: Json): Json => JSON.parse(JSON.stringify(value));
const optionsFor = (name: string) => ({
  from: SHAPES[name]!,
  to: client,
  names: new ToolNames(undefined),
  issuer: "acme:main",
  reply,
});

describe.each(Object.entries(ORACLES))("%s", (name, oracle) => {
  const shape = SHAPES[name]!;

  test("a request has every part of the fitted prompt, in order", () => {
    assertProperty(
      fc.property(prompts, facts, issuers, (prompt, known, issuer) => {
        const call = { model: "m", facts: known, issuer };
        const fitted = fit(prompt, shape, call);
        if (fitted.losses.some(({ kind }) => kind === "refused")) return;
        const { body } = shape.writeRequest(fitted.prompt, call);
        expect(sorted(oracle.lines(wire(body)))).toEqual(sorted(linesOf(fitted.prompt, oracle)));
      }),
      { numRuns: 300 },
    );
  });

  test("the same prompt gives the same bytes, and is left as it was", () => {
    assertProperty(
      fc.property(prompts, facts, issuers, (prompt, known, issuer) => {
        const call = { model: "m", facts: known, issuer };
        const before = JSON.stringify(prompt);
        const bodies = [prompt, wire(prompt)].map((each) => JSON.stringify(translateRequest(each, shape, call)));
        expect(bodies[0]).toBe(bodies[1]!);
        expect(JSON.stringify(prompt)).toBe(before);
      }),
    );
  });

  test("every setting that does not arrive is a loss with its path", () => {
    assertProperty(
      fc.property(prompts, facts, (prompt, known) => {
        const { prompt: fitted, losses } = fit(prompt, shape, { model: "m", facts: known, issuer: "acme" });
        const paths = new Set(losses.map(({ path }) => path));
        const lost = Object.keys(prompt.settings).filter((key) => !(key in fitted.settings) && !isSilent(prompt, key));
        expect(lost.filter((key) => !paths.has(key))).toEqual([]);
      }),
    );
  });

  test("a response is read, whole", () => {
    assertProperty(
      fc.property(answers, (answer) => {
        const { answer: read } = readWhole(wire(oracle.answer(answer)), optionsFor(name));
        expect(said(read, oracle)).toEqual(said(answer, oracle));
      }),
    );
  });

  test("a response cut into events anywhere is the response", () => {
    assertProperty(
      fc.property(answers, fc.integer({ min: 1, max: 6 }), (answer, size) => {
        const fold = new PieceFold();
        const state = {};
        for (const event of oracle.events(answer, size))
          for (const piece of shape.readEvent(state, wire(event))) fold.take(piece);
        expect(said(fold.answer(), oracle)).toEqual(said(answer, oracle));
      }),
    );
  });

  test("no input makes it throw", () => {
    assertProperty(
      fc.property(near, near, (body, other) => {
        shape.writeRequest(client.readRequest!(other), { model: "m", facts: {}, issuer: "x" });
        readWhole(body, optionsFor(name));
        shape.readError(500, body);
        shape.writeError?.(shape.readError(0, other));
        const stream = new StreamTranslation(optionsFor(name));
        for (const data of Array.isArray(body) ? body : [body, other])
          stream.event(typeof data?.type === "string" ? { data, name: data.type } : { data });
        stream.close();
      }),
      { numRuns: 1000 },
    );
  });
});

/** Settings that ask for nothing, or that are said in another way: a schema by a tool. */
function isSilent({ settings, tools }: Prompt, key: string): boolean {
  if (key === "parallelCalls") return tools.length === 0 || settings.parallelCalls === true;
  if (key === "serviceTier") return settings.serviceTier === "auto";
  if (key === "thinking") return settings.thinking?.effort === "none";
  if (key === "store") return settings.store === false;
  if (key === "logprobs") return settings.logprobs === false;
  return key === "cacheKey" || (key === "format" && settings.format?.type !== "json");
}

/** A signature without text may stand on either side of its text. */
const sorted = (lines: readonly string[]) => {
  const list = [...lines];
  for (let at = 1; at < list.length; at++)
    if (list[at]!.startsWith("assistant text") && list[at - 1]!.startsWith('assistant reasoning ""'))
      [list[at - 1], list[at]] = [list[at]!, list[at - 1]!];
  return list;
};

/** What an answer says, in the terms that all shapes have. */
function said({ choices, usage }: Answer, { stateless }: Oracle): unknown {
  const open = (parts: readonly Part[]) => (stateless === true ? parts.flatMap(withoutState) : parts);
  return wire({
    usage: { in: usage?.prompt_tokens, out: usage?.completion_tokens },
    choices: choices.map(({ parts, finish }) => ({ finish, parts: open(parts).map(plain) })),
  });
}

function plain(part: Part): unknown {
  if (part.type === "call")
    return { type: "call", id: part.id, name: part.name, arguments: JSON.parse(part.arguments || "{}") };
  return { type: part.type, text: "text" in part ? part.text : undefined, state: (part as Json).state?.value };
}

const NAMES =
  "candidates,content,parts,text,thought,thoughtSignature,functionCall,functionResponse,name,args,id,inlineData,data,mimeType,finishReason,index,promptFeedback,blockReason,usageMetadata,groundingMetadata,groundingChunks,groundingSupports,segment,startIndex,web,uri,logprobsResult,chosenCandidates,error,code,message,status,details,fieldViolations,output,messages,role,toolUse,toolUseId,input,reasoningContent,reasoningText,signature,redactedContent,contentBlockIndex,start,delta,stopReason,usage,inputTokens,type,tool_calls,tool_plan,function,arguments,thinking,finish_reason,citations,sources,document,done,done_reason,tool_choice,tools,images,response_format,__proto__,constructor".split(
    ",",
  );
const WORDS =
  "STOP,SAFETY,user,model,assistant,image/png,messageStart,contentBlockStart,contentBlockDelta,contentBlockStop,messageStop,metadata,throttlingException,message-start,content-start,content-delta,tool-plan-delta,tool-call-start,tool-call-delta,tool-call-end,citation-start,message-end,thinking,text,function,COMPLETE,stop,{}".split(
    ",",
  );
const near = nearJson(NAMES, WORDS);
