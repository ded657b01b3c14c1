import { describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import fc from "fast-check";
import { inferMapping } from "../../src/mapping/infer/infer.ts";
import type { Sample } from "../../src/mapping/infer/sample.ts";
import { mappedSchema } from "../../src/mapping/mapped-schema.ts";
import { faultOf, type Mapping } from "../../src/mapping/mapping.ts";
import { readExchange, toLlmSchema } from "../../src/mapping/read-exchange.ts";
import { LlmSchema } from "../../src/record/llm-schema.ts";
import { assertProperty } from "../chance.ts";
import { SHAPES, type Shape } from "./infer-shapes.ts";

function learn({ samples, model }: Shape): { mapping: Mapping; confidence: number } {
  const found = inferMapping(samples, model);
  if ("reason" in found) throw new Error(found.reason);
  return found;
}

const exchange = (sample: Sample, mapping: Mapping | undefined) => ({
  method: "POST",
  path: "/api/talk",
  host: "api.unknown.test",
  requestHeaders: new Headers(),
  responseHeaders: new Headers(),
  provider: undefined,
  modelOverride: undefined,
  mappingOf: () => mapping,
  ...sample,
});

describe("an unknown model is read from three samples", () => {
  test.each(SHAPES.map((shape) => [shape.name, shape] as const))("%s", (_name, shape) => {
    const { mapping, confidence } = learn(shape);
    expect(faultOf(mapping)).toBeUndefined();
    expect(confidence).toBeGreaterThanOrEqual(0.6);
    const reading = readExchange(exchange(shape.fresh, mapping));
    const { expected } = shape;
    expect(reading.promptText).toBe(expected.prompt);
    expect(reading.completionText).toBe(expected.completion as string);
    expect(reading.usage).toMatchObject(expected.usage ?? {});
    if (expected.responseModel !== undefined) expect(reading.responseModel).toBe(expected.responseModel);
    const schema = toLlmSchema({
      wireSchema: reading.wireSchema,
      mapping,
      provider: "CUSTOM",
      model: shape.model,
      path: "/api/talk",
      requestBody: shape.fresh.requestBody,
      responseBody: reading.responseBody,
      status: 200,
    });
    expect(Value.Check(LlmSchema, schema)).toBe(true);
    if (expected.messages) {
      expect(schema?.request.messages?.map(({ role, content }) => [role, content])).toEqual(expected.messages as never);
    }
    const message = schema?.response.messages?.[0];
    expect(message?.role).toBe("assistant");
    if (expected.completion !== undefined) expect(message?.content).toBe(expected.completion);
    if (expected.tools) expect(message?.tool_calls).toMatchObject(expected.tools as never);
  });

  test.each(SHAPES.map((shape) => [shape.name, shape] as const))(
    "and without its mapping it is pending: %s",
    (_name, shape) => {
      expect(readExchange(exchange(shape.fresh, undefined)).wireSchema).toBeUndefined();
    },
  );
});

describe("what cannot be inferred stays pending with the reason", () => {
  const whole = (requestBody: unknown, responseBody: unknown, status = 200): Sample => ({
    requestBody,
    responseBody,
    events: undefined,
    status,
  });
  test.each([
    ["no exchange", [], "no exchange with bodies is recorded"],
    ["requests that are no JSON", [whole(undefined, { text: "x y" })], "no recorded request body is JSON"],
    [
      "failures only",
      [whole({ model: "m", q: "why is it so" }, { m: "no" }, 500)],
      "no recorded response succeeded with JSON or a stream",
    ],
    [
      "requests that say nothing",
      [whole({ model: "m", n: 3 }, { text: "hello there" })],
      "neither messages nor a prompt were found in the requests",
    ],
    [
      "answers that say nothing",
      [whole({ model: "m", prompt: "hello there you" }, { ok: true, id: "a-1" })],
      "no text and no tool calls were found in the responses",
    ],
  ] as const)("%s", (_name, samples, reason) => {
    expect(inferMapping(samples, "m")).toMatchObject({ reason });
  });

  test("one sample alone is trusted less than three", () => {
    const [shape] = SHAPES;
    const one = inferMapping(shape!.samples.slice(0, 1), shape!.model);
    const three = inferMapping(shape!.samples, shape!.model);
    expect("confidence" in one && "confidence" in three && one.confidence < three.confidence).toBe(true);
  });

  test("what the gateway itself refused teaches nothing", () => {
    const [shape] = SHAPES;
    const { requestBody } = shape!.fresh;
    const refusal = whole(
      requestBody,
      { error: { type: "gateway_error", code: "rate_limited", message: "wait 1 s" } },
      429,
    );
    expect(inferMapping([...shape!.samples, refusal], shape!.model)).toEqual(
      inferMapping(shape!.samples, shape!.model),
    );
  });

  test("the failures of a model teach where its errors are", () => {
    const [shape] = SHAPES;
    const failure = whole(shape!.fresh.requestBody, { trouble: { reason: "the house is full", code: "E17" } }, 503);
    const found = inferMapping([...shape!.samples, failure], shape!.model);
    const mapping = "mapping" in found ? found.mapping : undefined;
    expect(readExchange(exchange(failure, mapping)).error).toEqual({ message: "the house is full", type: "E17" });
  });
});

describe("whatever the bodies hold", () => {
  const json = fc.jsonValue({ maxDepth: 6 });
  const samples = fc.array(
    fc.record({
      requestBody: json,
      responseBody: json,
      events: fc.option(fc.array(fc.record({ data: json })), { nil: undefined }),
      status: fc.constantFrom(200, 400),
    }),
    { maxLength: 4 },
  );

  test("learning never throws, and what it learns is a mapping", () => {
    assertProperty(
      fc.property(samples, (all) => {
        const found = inferMapping(all, "m");
        if ("mapping" in found) expect(faultOf(found.mapping)).toBeUndefined();
      }),
    );
  });

  test("reading with any mapping never throws, and its llmSchema is valid", () => {
    const mappings = SHAPES.map((shape) => learn(shape).mapping);
    assertProperty(
      fc.property(fc.constantFrom(...mappings), samples, (mapping, all) => {
        for (const sample of all) {
          const { wireSchema, responseBody } = readExchange(
            exchange({ ...sample, requestBody: withModel(sample.requestBody) }, mapping),
          );
          const { requestBody } = sample;
          const schema = toLlmSchema({
            wireSchema,
            mapping,
            provider: "P",
            model: "m",
            path: "/",
            requestBody,
            responseBody,
            status: 200,
          });
          expect(schema === null || Value.Check(LlmSchema, schema)).toBe(true);
          mappedSchema(mapping).llmResponse(responseBody, requestBody);
        }
      }),
    );
  });
  const withModel = (body: unknown) => (typeof body === "object" && body !== null ? { model: "m", ...body } : body);

  test("names of JavaScript's own are names like others", () => {
    const body = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prompt":"hello there"},"model":"m"}');
    inferMapping([{ requestBody: body, responseBody: body, events: [{ data: body }], status: 200 }], "m");
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("a mapping from outside is checked", () => {
  test.each([
    ["no object", 3, ""],
    ["an unknown member", { format: 1, wire_schema: "messages", extra: 1 }, "extra"],
    ["an unknown wire schema", { format: 1, wire_schema: "toString" }, "wire_schema"],
    ["a place that is none", { format: 1, request: { prompt: "text" }, response: { text: "/a" } }, "request.prompt"],
    ["no place for the request", { format: 1, response: { text: "/a" } }, "request"],
    ["no place for the response", { format: 1, request: { prompt: "/q" } }, "response"],
  ])("%s", (_name, value, path) => {
    expect(faultOf(value)?.path).toBe(path);
  });
});
