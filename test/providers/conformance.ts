import { describe, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import fc from "fast-check";
import { createLog } from "../../src/log.ts";
import type { ExchangeInput } from "../../src/mapping/read-exchange.ts";
import type { ProviderPlugin } from "../../src/plugin-host/contract.ts";
import { loadRegistry } from "../../src/plugin-host/providers/registry.ts";
import { LlmSchema } from "../../src/record/llm-schema.ts";
import { assertProperty } from "../chance.ts";
import { bodyBytes, type Fixture, fixturesOf, inputOf, readAll } from "./fixtures.ts";

export const PROVIDERS = join(import.meta.dirname, "../../providers");

const log = createLog({ level: "error", format: "text" });

/**
 * The suite that every provider passes. It runs on a copy of the file outside the repository, as a drop-in that replaces
 * the built-in, so nothing that the file does can lean on where it lies.
 */
export async function testProvider(file: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "weir-provider-"));
  copyFileSync(join(PROVIDERS, `${file}.ts`), join(folder, `${file}.ts`));
  const { default: declared } = await import(join(folder, `${file}.ts`));
  const registry = await loadRegistry({
    directories: [
      { path: PROVIDERS, builtIn: true },
      { path: folder, builtIn: false },
    ],
    log,
  });
  rmSync(folder, { recursive: true });
  const provider = registry.providerByName(declared.name)!;

  describe(declared.name, () => {
    test("is found by each of its names, hosts and labels", () => {
      for (const alias of [declared.name, ...(declared.aliases ?? [])]) {
        expect(registry.providerByName(alias.toUpperCase())?.name).toBe(declared.name);
      }
      for (const host of declared.hosts ?? []) {
        expect(registry.providerByHost(host.replaceAll("*", "some-place"))?.name).toBe(declared.name);
      }
      if (declared.target !== undefined) {
        expect(registry.providerByHost(new URL(declared.target).hostname)?.name).toBe(declared.name);
        expect(registry.providerByLabel(declared.dedicatedDomain)?.name).toBe(declared.name);
      }
    });
    const own = fixturesOf(file);
    const shared = declared.extends === "OPENAI" && provider.target !== undefined ? sharedFixtures(provider) : [];
    test.each([...own, ...shared].map((fixture) => [fixture.name, fixture] as const))("reads %s", (_name, fixture) => {
      expectReading(fixture, provider);
    });
    test("survives its responses cut off anywhere", () => {
      for (const fixture of own) survivesCuts(fixture, provider);
    });
    test("survives whatever JSON there is", () => {
      assertProperty(
        fc.property(arbitraryExchange(provider), (input) => {
          expectValid(input);
        }),
        { numRuns: 60 },
      );
    });
  });
}

/** What everybody in OpenAI's manner must read, sent to this provider. */
function sharedFixtures({ target }: ProviderPlugin): Fixture[] {
  return fixturesOf("_openai-shape").map((fixture) => {
    const { pathname } = new URL(fixture.request.url);
    return { ...fixture, request: { ...fixture.request, url: `${target}${pathname}` } };
  });
}

export function expectReading(fixture: Fixture, provider: ProviderPlugin | undefined): void {
  const { reading, schema } = readAll(inputOf(fixture, provider));
  const { usage, ...rest } = fixture.reading;
  if (usage === null) expect(reading.usage).toBeUndefined();
  else if (usage !== undefined) expect(reading.usage).toEqual(usage);
  for (const [name, wanted] of Object.entries(rest)) {
    const found = reading[name as keyof typeof reading];
    if (wanted === null) expect(found, name).toBeUndefined();
    else if (typeof wanted === "object" && wanted !== null) expect(found, name).toMatchObject(wanted);
    else expect(found, name).toBe(wanted as never);
  }
  if (fixture.llm !== undefined) expect(schema).toMatchObject(fixture.llm);
  expectValidSchema(schema);
}

function expectValid(input: ExchangeInput): void {
  expectValidSchema(readAll(input).schema);
}

function expectValidSchema(schema: LlmSchema | null): void {
  if (schema === null) return;
  const problem = Value.Errors(LlmSchema, schema).First();
  expect(problem === undefined ? "" : `${problem.path}: ${problem.message}`).toBe("");
}

/** Cuts at every byte where there are few, else at some that are spread over the whole. */
function survivesCuts(fixture: Fixture, provider: ProviderPlugin): void {
  const bytes = bodyBytes(fixture).byteLength;
  const step = Math.max(1, Math.floor(bytes / 40));
  for (let end = 0; end < bytes; end += step) expectValid(inputOf(fixture, provider, end));
}

/** Members that readers look for, so that arbitrary JSON comes near to real bodies. */
const NAMES = [
  ..."id,type,model,object,choices,message,messages,delta,content,text,role,index,tool_calls,function,name,arguments".split(
    ",",
  ),
  ..."usage,prompt_tokens,input_tokens,output_tokens,total_tokens,error,output,item,response,output_index,part".split(
    ",",
  ),
  ..."content_block,candidates,parts,functionCall,inlineData,usageMetadata,input,tools,system,image_url,source,data".split(
    ",",
  ),
  ..."results,generations,metadata,toolUse,contentBlockIndex,event_type,is_finished,steps,bytes,__proto__,toString,constructor".split(
    ",",
  ),
];

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(
      null,
      true,
      0,
      -1,
      1.5,
      1e300,
      "",
      "text",
      "message",
      "function_call",
      "response.output_text.delta",
      "content_block_delta",
      "user",
    ),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), fc.string({ maxLength: 4 })), tie("value"), {
      maxKeys: 6,
      noNullPrototype: true,
    }),
  ),
})).value;

/** A path that the provider declares, made out of its expression's text. */
function pathsOf({ wireSchemas = [] }: ProviderPlugin): string[] {
  const plain = wireSchemas.map(({ path }) =>
    path.source
      .replace(/\(\?:([^|)]*)[^)]*\)\??/g, "$1")
      .replace(/\[\^[^\]]*\][+*]?/g, "x")
      .replace(/\\|[$^]|\.[+*]/g, ""),
  );
  return [...plain, "/v1/chat/completions", "/other"];
}

function arbitraryExchange(provider: ProviderPlugin): fc.Arbitrary<ExchangeInput> {
  return fc.record({
    method: fc.constantFrom("POST", "GET"),
    path: fc.constantFrom(...pathsOf(provider)),
    host: fc.constant("127.0.0.1"),
    requestHeaders: fc.constant(new Headers()),
    requestBody: json,
    status: fc.constantFrom(200, 400, 529),
    responseHeaders: fc.constant(new Headers()),
    provider: fc.constantFrom(provider, undefined),
    responseBody: json,
    events: fc.option(
      fc.array(fc.record({ name: fc.constantFrom("error", "chunk", "x"), data: json }), { maxLength: 6 }),
      { nil: undefined },
    ),
    modelOverride: fc.constant(undefined),
  });
}
