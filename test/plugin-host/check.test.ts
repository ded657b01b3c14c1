import { describe, expect, test } from "bun:test";
import { checkHooks, checkPlugin, checkProvider } from "../../src/plugin-host/files/check.ts";
import { isHostPattern } from "../../src/plugin-host/hosts.ts";

const provider = { apiVersion: 1, name: "ACME" };
const plugin = { apiVersion: 1, name: "office-hours", setup: () => ({}) };

describe("a provider", () => {
  test("with every member passes", () => {
    const whole = {
      ...provider,
      aliases: ["acme-ai"],
      hosts: ["api.acme.test", "*.acme.test", "bedrock-runtime.*.amazonaws.com", "[::1]"],
      target: "https://api.acme.test:8443",
      dedicatedDomain: "acme",
      extends: "OPENAI",
      wireSchemas: [{ path: /^\/v1/, schema: "messages" }],
      mask: { headers: ["x-acme-key"], query: ["token"] },
      mapping: {
        format: 1,
        request: { model: "/engine", messages: { list: "/turns/*", role: "/speaker", text: "/utterance" } },
        response: { text: "/reply", usage: { prompt_tokens: "/in" } },
        stream: { text: { path: "/bit", mode: "append" } },
      },
      readRequest: () => ({}),
      readResponse: () => ({}),
      readEvent: () => ({}),
      cost: () => null,
    };
    expect(checkProvider(whole, "acme.ts")).toBe(whole as never);
  });

  test.each([
    [undefined, "acme.ts: it has no default export"],
    [() => 1, "acme.ts: a provider must be an object"],
    [{ ...provider, host: ["a.test"] }, 'acme.ts: a provider has no member "host"; did you mean "hosts"?'],
    [{ ...provider, constructor: 1 }, 'acme.ts: a provider has no member "constructor"'],
    [{ name: "ACME" }, 'acme.ts: the member "apiVersion" is missing'],
    [{ ...provider, apiVersion: 2 }, 'acme.ts: the member "apiVersion" must be 1, the only version'],
    [{ ...provider, name: "Acme" }, 'acme.ts: the member "name" must be an upper-case name'],
    [{ ...provider, hosts: "a.test" }, 'acme.ts: the member "hosts" must be a list'],
    [{ ...provider, hosts: ["a.test", "https://b.test"] }, 'acme.ts: the member "hosts" entry 2 must be a host name'],
    [{ ...provider, hosts: ["*"] }, 'acme.ts: the member "hosts" entry 1'],
    [{ ...provider, target: "https://a.test/v1" }, 'acme.ts: the member "target" must be an origin'],
    [{ ...provider, target: "ftp://a.test" }, 'acme.ts: the member "target" must be an origin'],
    [{ ...provider, dedicatedDomain: "a.b" }, 'acme.ts: the member "dedicatedDomain" must be one lower-case'],
    [{ ...provider, wireSchemas: [{ path: "/v1" }] }, 'acme.ts: the member "wireSchemas" entry 1: the member "path"'],
    [
      { ...provider, wireSchemas: [{ path: /./, schema: "message" }] },
      'entry 1: the member "schema" must be the name of a wire format, not "message"; did you mean "messages"?',
    ],
    [{ ...provider, mask: { header: [] } }, 'acme.ts: the member "mask" has no member "header"'],
    [{ ...provider, mask: { headers: ["X-Key"] } }, 'acme.ts: the member "mask" headers: entry 1'],
    [{ ...provider, mapping: 3 }, 'acme.ts: the member "mapping" '],
    [{ ...provider, mapping: { request: { prompt: "/p" } } }, 'acme.ts: the member "mapping" format: '],
    [
      { ...provider, mapping: { format: 1, request: { prompt: "p" }, response: { text: "/t" } } },
      'acme.ts: the member "mapping" request.prompt: must be a JSON Pointer such as /choices/0/text',
    ],
    [
      { ...provider, mapping: { format: 1, request: { promt: "/p" } } },
      'acme.ts: the member "mapping" request.promt: Unexpected property',
    ],
    [
      { ...provider, mapping: { format: 1, response: { text: "/t" } } },
      'acme.ts: the member "mapping" request: say where the messages or the prompt are',
    ],
    [
      { ...provider, mapping: { format: 1, request: { prompt: "/p" } } },
      `acme.ts: the member "mapping" response: say where the response's text is`,
    ],
    [
      { ...provider, mapping: { format: 1, wire_schema: "messages" } },
      'acme.ts: the member "mapping" wire_schema: name known formats in wireSchemas',
    ],
    [{ ...provider, cost: 3 }, 'acme.ts: the member "cost" must be a function'],
  ])("that does not fit is refused by file and member: %#", (value, message) => {
    expect(() => checkProvider(value, "acme.ts")).toThrow(message);
  });
});

describe("the shapes of a provider", () => {
  const talk = {
    name: "talk",
    takes: { imageBytes: "R", seed: "D" },
    limits: { stopTexts: 4, toolName: /^[a-z]+$/, noEmptyText: true },
    writeRequest: () => ({ body: {} }),
    readAnswer: () => ({ choices: [] }),
    readEvent: () => [],
    readError: (status: number) => ({ status, message: "" }),
  };
  const forClients = {
    endpoint: /\/talk$/,
    readRequest: () => ({}),
    writeAnswer: () => ({}),
    writeEvents: () => [],
    writeError: () => ({}),
  };
  const withShapes = (...shapes: readonly unknown[]) => ({ ...provider, shapes });

  test("are names of built-in ones, those with a path, and its own", () => {
    const whole = withShapes(
      "messages",
      { shape: "responses", path: () => "/r" },
      { shape: talk },
      { shape: { ...talk, ...forClients } },
    );
    expect(checkProvider(whole, "acme.ts")).toBe(whole as never);
  });

  test.each([
    [withShapes("message"), 'entry 1 must be a shape, or the name of a built-in one, not "message"; did you mean'],
    [withShapes({ shape: "chat" }), 'entry 1: the member "shape" must be a shape, or the name of a built-in one'],
    [withShapes("messages", { path: () => "/" }), 'entry 2: the member "shape" is missing'],
    [
      withShapes({ shape: { ...talk, readAnswer: undefined } }),
      'the member "shape": the member "readAnswer" is missing',
    ],
    [
      withShapes({ shape: { ...talk, readEvents: 1 } }),
      'a shape has no member "readEvents"; did you mean "readEvent"?',
    ],
    [
      withShapes({ shape: { ...talk, takes: { imageByte: "R" } } }),
      'the member "takes": takes has no member "imageByte"',
    ],
    [
      withShapes({ shape: { ...talk, takes: { seed: "X" } } }),
      'the member "seed" must be "=", "-", "D", "A", "F" or "R"',
    ],
    [withShapes({ shape: { ...talk, limits: { stopTexts: "4" } } }), 'the member "stopTexts" must be a number'],
    [
      withShapes({ shape: { ...talk, name: "messages" } }),
      'the member "shape": the member "name" is that of a built-in shape, "messages"',
    ],
    [
      withShapes({ shape: { ...talk, ...forClients, endpoint: "/talk" } }),
      'the member "endpoint" must be a regular expression',
    ],
    [
      withShapes({ shape: { ...talk, endpoint: /x/ } }),
      'the member "readRequest" is missing; a shape that clients speak has endpoint, readRequest, writeAnswer, writeEvents, writeError',
    ],
    [withShapes({ shape: { ...talk, ...forClients, writeError: undefined } }), 'the member "writeError" is missing'],
    [withShapes({ shape: { ...talk, writeAnswer: () => ({}) } }), 'the member "endpoint" is missing'],
  ])("that do not fit are refused by member: %#", (value, message) => {
    expect(() => checkProvider(value, "acme.ts")).toThrow(message);
  });
});

describe("a plugin", () => {
  test("with name and setup passes", () => {
    expect(checkPlugin(plugin, "p.ts")).toBe(plugin as never);
  });

  test.each([
    [{ ...plugin, name: "Office Hours" }, 'p.ts: the member "name" must be a lower-case name'],
    [{ ...plugin, setup: undefined }, 'p.ts: the member "setup" is missing'],
    [{ ...plugin, setUp: () => 1 }, 'p.ts: a plugin has no member "setUp"; did you mean "setup"?'],
    [{ ...plugin, optionsSchema: [] }, 'p.ts: the member "optionsSchema" must be a JSON Schema object'],
  ])("that does not fit is refused by file and member: %#", (value, message) => {
    expect(() => checkPlugin(value, "p.ts")).toThrow(message);
  });

  test("whose setup returns an unknown hook is refused with the nearest name", () => {
    expect(() => checkHooks({ onrequest: () => 1 }, "p.ts")).toThrow(
      'no member "onrequest"; did you mean "onRequest"?',
    );
  });
});

const route = { method: "GET", path: "/v1/things/:id", scope: "read", summary: "A thing", handle: () => ({ data: 1 }) };

test("routes that fit pass", () => {
  const hooks = { routes: [route, { ...route, method: "POST", body: { type: "object" } }] };
  expect(checkHooks(hooks, "p.ts")).toBe(hooks as never);
});

test("hosts that are no list are refused in words that fit any entry", () => {
  expect(() => checkProvider({ ...provider, hosts: "api.acme.test" }, "p.ts")).toThrow(
    'the member "hosts" must be a list, each entry a host name or pattern such as *.example.com',
  );
});

test.each([
  [route, "must be a list of routes"],
  [[1], "entry 1 must be an object"],
  [[route, { ...route, method: "PATCH" }], 'entry 2: the member "method" must be GET, POST, PUT or DELETE'],
  [[{ ...route, path: "/v2/things" }], 'entry 1: the member "path" must be a path such as'],
  [[{ ...route, scope: "gateway" }], 'entry 1: the member "scope" must be figures, read, write or admin'],
  [[{ ...route, handle: undefined }], 'entry 1: the member "handle" is missing'],
  [[{ ...route, handler: () => 1 }], 'entry 1: a route has no member "handler"; did you mean "handle"?'],
])("routes that do not fit are refused by file and member: %#", (routes, message) => {
  expect(() => checkHooks({ routes }, "p.ts")).toThrow(message);
});

test.each(["*", "api.*", "a..b", "a b", "API.acme.test", "a.test:80", "", "a.test/"])(
  "%p is no host pattern",
  (pattern) => {
    expect(isHostPattern(pattern)).toBe(false);
  },
);
