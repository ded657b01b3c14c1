import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pluginTypes } from "../../build/plugin-package.ts";
import { commandLine } from "./terminal.ts";

const PACKAGE = join(import.meta.dir, "../../packages/plugin");
const EXAMPLES = join(PACKAGE, "examples");

const cli = commandLine();
const file = (name: string, text: string) => {
  const path = join(cli.directory, name);
  writeFileSync(path, text);
  return path;
};

test("packages/plugin/index.d.ts is what build/plugin-package.ts writes", async () => {
  expect(readFileSync(join(PACKAGE, "index.d.ts"), "utf8")).toBe(await pluginTypes());
});

test.each([
  ["corp", []],
  ["plain-talk", []],
  ["allowed-models", ["--options", '{"models": ["gpt-4o"], "leaving": ["gpt-4o"]}']],
])("the example %s fits the contract and does what its exchanges expect", async (name, options) => {
  const path = join(EXAMPLES, `${name}.ts`);
  expect(await cli.run("plugins", "check", path, ...options)).toMatchObject({ status: 0, err: "" });
  const tried = await cli.run("plugins", "test", path, "--exchange", join(EXAMPLES, `${name}.json`), ...options);
  expect(tried).toMatchObject({ status: 0, err: "" });
  expect(tried.out).toEndWith("\n2 exchanges, 0 failed\n");
});

test.each([
  ["without setup", 'name: "door"', "setup"],
  ["with a hook outside setup", 'name: "door", onRequest() {}', "onRequest"],
  ["with options alone", 'name: "door", optionsSchema: {}', "setup"],
])("a plugin %s is checked as a plugin", async (_name, members, member) => {
  const { status, err } = await cli.run(
    "plugins",
    "check",
    file("door.ts", `export default { apiVersion: 1, ${members} };`),
  );
  expect({ status, err }).toEqual({ status: 1, err: expect.stringContaining(`"${member}"`) });
});

test("a provider is checked as a provider, whatever case its name has", async () => {
  const path = file("acme.ts", 'export default { apiVersion: 1, name: "acme", hosts: ["acme.test"] };');
  expect((await cli.run("plugins", "check", path)).err).toContain("an upper-case name such as ACME");
});

test.each([
  ["throws for a strange response", "readAnswer: (body) => ({ choices: [body.line] })", "readAnswer throws: "],
  ["returns no pieces", "readEvent: () => undefined", "readEvent returns no list of pieces for no body"],
  ["writes no body", "writeRequest: () => ({})", "writeRequest returns no body"],
  ["loses an error's message", "readError: (status) => ({ status })", "readError returns no message for no body"],
])("a provider's shape that %s is refused by its member", async (_name, member, message) => {
  const path = file(
    "shaped.ts",
    `const shape = {
      name: "talk",
      writeRequest: () => ({ body: {} }),
      readAnswer: () => ({ choices: [] }),
      readEvent: () => [],
      readError: (status) => ({ status, message: "" }),
      ${member},
    };
    export default { apiVersion: 1, name: "SHAPED", target: "https://shaped.example", shapes: [{ shape }] };`,
  );
  const { status, err } = await cli.run("providers", "check", path);
  expect(status).toBe(1);
  expect(err).toContain(`${path}: the shape talk: ${message}`);
});

test.each([
  ["loses text", "readRequest: () => ({ messages: [] })", 'readRequest loses the text "Be brief."'],
  ["throws", "readRequest: (body) => ({ messages: body.lines.map(turn) })", "readRequest fails for {}: "],
  [
    "reads another model",
    'readRequest: (body) => ({ ...read(body), model: "m-2" })',
    'reads the model as "m-2", not "m-1"',
  ],
  [
    "writes what it cannot read",
    "writeAnswer: () => ({ said: 1 })",
    'writeAnswer writes "Hello, client." so that it is read as ""',
  ],
  ["writes no body", "writeAnswer: () => undefined", "writeAnswer returns no body"],
  [
    "streams in another form",
    "writeEvents: () => [{ data: {} }]",
    'writeEvents writes "Hello, client." so that it is read as ""',
  ],
  ["streams nothing", "writeEvents: () => undefined", "writeEvents returns no list of events"],
  ["loses an error's message", "writeError: () => ({})", "writeError loses the message of an error"],
])("a shape that clients speak and that %s is refused by its member", async (_name, member, message) => {
  const path = file(
    "client.ts",
    `const turn = (text) => ({ role: "user", parts: [{ type: "text", text }] });
    const read = (body) => ({ model: body.engine, messages: (body.lines ?? []).map(turn) });
    const words = ({ parts }) => parts.map((part) => part.text ?? "").join("");
    const shape = {
      name: "talk",
      writeRequest: (prompt, { model }) => ({ body: { engine: model, lines: prompt.messages.map(words) } }),
      readAnswer: (body) => ({ choices: [{ parts: [{ type: "text", text: body?.line ?? "" }], finish: "end" }] }),
      readEvent: (_state, { data }) => (data?.bit === undefined ? [] : [{ type: "text", part: 0, text: data.bit }]),
      readError: (status, body) => ({ status, message: body?.trouble ?? "" }),
      endpoint: /talk$/,
      readRequest: read,
      writeAnswer: ({ choices }) => ({ line: words(choices[0]) }),
      writeEvents: (_state, piece) => (piece.type === "text" ? [{ data: { bit: piece.text } }] : []),
      writeError: ({ message }) => ({ trouble: message }),
      ${member},
    };
    export default { apiVersion: 1, name: "CLIENT", target: "https://client.example", shapes: [{ shape }] };`,
  );
  const { status, err } = await cli.run("providers", "check", path);
  expect({ status, err }).toEqual({ status: 1, err: expect.stringContaining(message) });
});

test("a shape's results are its request, its text and its error", async () => {
  const error = { url: "https://talk.example/talk", body: { engine: "m-1", lines: [] } };
  const exchange = { request: error, response: { status: 429, body: { trouble: "slow down" } } };
  const wanted = file(
    "trouble.json",
    JSON.stringify({ ...exchange, expect: { shape_error: "slow down", shape_text: null } }),
  );
  const { status, out } = await cli.run("providers", "test", join(EXAMPLES, "plain-talk.ts"), "--exchange", wanted);
  expect({ status, out }).toMatchObject({ status: 0 });
  expect(out).toContain('  shape_error: "slow down"\n');
});

test("an expected request of a shape need not name members that are undefined", async () => {
  const path = file(
    "sparse.ts",
    `const shape = {
      name: "talk",
      writeRequest: (_prompt, { model }) => ({ body: { engine: model, seed: undefined } }),
      readAnswer: () => ({ choices: [] }),
      readEvent: () => [],
      readError: (status) => ({ status, message: "" }),
    };
    export default { apiVersion: 1, name: "SPARSE", target: "https://sparse.example", shapes: [{ shape }] };`,
  );
  const exchange = { request: { url: "https://sparse.example/", body: {} }, response: { body: {} } };
  const wanted = file("sparse.json", JSON.stringify({ ...exchange, expect: { shape_request: { engine: "m-1" } } }));
  const { status, out } = await cli.run("providers", "test", path, "--exchange", wanted);
  expect({ status, out }).toMatchObject({ status: 0 });
});

test("a plugin is tried with the samples, and what its hooks do is printed", async () => {
  const path = file(
    "judge.ts",
    `export default { apiVersion: 1, name: "judge", setup: () => ({
      needs: ["model"],
      onRequest: ({ model }) => model?.startsWith("claude") ? { status: 403, code: "no_claude", message: "not here" } : { send: { headers: { "x-team": "a" } } },
      onRecorded: ({ facts }) => ({ scores: { short: (facts.responseText ?? "").length < 10 } }),
      onRecord: ({ facts }) => (facts.method === "GET" ? false : undefined),
    }) };`,
  );
  const { status, out } = await cli.run("plugins", "test", path);
  expect(status).toBe(0);
  expect(out.split("\n\n")).toEqual([
    `${path}: the plugin judge`,
    `a chat completion
  needs      model
  onRequest  passes, sends {"headers":{"x-team":"a"}}
  onRecord   changes nothing
  onRecorded adds {"short":1}`,
    `a streamed chat completion
  needs      model
  onRequest  passes, sends {"headers":{"x-team":"a"}}
  onRecord   changes nothing
  onRecorded adds {"short":1}`,
    `a message of Anthropic's
  needs      model
  onRequest  refuses with 403 no_claude: not here`,
    `a request without a body
  needs      model
  onRequest  passes, sends {"headers":{"x-team":"a"}}
  onRecord   drops the record`,
    `an error of the provider
  needs      model
  onRequest  passes, sends {"headers":{"x-team":"a"}}
  onRecord   changes nothing
  onRecorded adds {"short":1}`,
    "5 exchanges, 0 failed\n",
  ]);
});

test.each([
  ["onRequest", "onRequest: () => { throw new Error('it broke') }", "onRequest: it broke"],
  ["onRecord", "onRecord: () => { throw new Error('it broke') }", "onRecord: it broke"],
  ["onAnswer", "onAnswer: async () => { throw new Error('it broke') }", "onAnswer: it broke"],
  ["a verdict that is none", "onForward: () => ({ status: 'no' })", "onForward: "],
])("a hook that fails is named, and the command fails: %s", async (_name, hook, line) => {
  const path = file("broken.ts", `export default { apiVersion: 1, name: "broken", setup: () => ({ ${hook} }) };`);
  const { status, out } = await cli.run("plugins", "test", path);
  expect(status).toBe(1);
  expect(out).toContain(`  FAILED ${line}`);
  expect(out).toEndWith("\n5 exchanges, 5 failed\n");
});

test("a provider in OpenAI's manner is tried with its samples, one with a format of its own needs an exchange", async () => {
  const like = file(
    "like.ts",
    `export default { apiVersion: 1, name: "LIKE", extends: "OPENAI", hosts: ["like.example"] };`,
  );
  const tried = await cli.run("plugins", "test", like);
  expect(tried.status).toBe(0);
  expect(tried.out).toContain(
    '  usage: {"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}\n  text: Hello.\n',
  );
  const own = await cli.run("plugins", "test", join(EXAMPLES, "corp.ts"));
  expect(own).toMatchObject({ status: 1, out: "" });
  expect(own.err).toContain("reads a format of its own: give an exchange in it with --exchange FILE");
});

test("what an exchange expects and does not get is printed", async () => {
  const path = file(
    "plain.ts",
    `export default { apiVersion: 1, name: "PLAIN", hosts: ["plain.example"], readResponse: () => ({ model: "m" }) };`,
  );
  const exchange = { request: { url: "https://plain.example/", body: {} }, response: { body: {} } };
  const wanted = [
    { ...exchange, expect: { model: "n" } },
    { ...exchange, name: "the second", expect: { modle: "m" } },
  ];
  const { status, out } = await cli.run(
    "plugins",
    "test",
    path,
    "--exchange",
    file("wanted.json", JSON.stringify(wanted)),
  );
  expect(status).toBe(1);
  expect(out).toContain('exchange 1\n  model: m\n  FAILED expect.model: wanted "n", got "m"\n');
  expect(out).toContain(
    "the second\n  model: m\n  FAILED expect.modle: there is no such result; known: request_model, model,",
  );
});

test.each([
  ["no JSON", "{", "JSON"],
  ["no request", '{ "response": {} }', "request"],
  [
    "an address that is none",
    '[{ "request": { "url": "/v1" }, "response": {} }]',
    "[0]: request.url is not an address such as https://",
  ],
  [
    "a member that there is not",
    '{ "request": { "url": "https://a.example", "boddy": 1 }, "response": {} }',
    "request.boddy",
  ],
])("an exchange file that cannot be used is refused by its place: %s", async (_name, text, part) => {
  const path = file("bad.json", text);
  const { status, err } = await cli.run("plugins", "test", join(EXAMPLES, "corp.ts"), "--exchange", path);
  expect(status).toBe(1);
  expect(err).toContain(path);
  expect(err).toContain(part);
});

test("options are given on the command line, and must be a JSON object", async () => {
  const path = join(EXAMPLES, "allowed-models.ts");
  const without = await cli.run("plugins", "test", path);
  expect(without).toMatchObject({ status: 1, out: "" });
  expect(without.err).toContain(
    "models: it is missing (options: no configuration file was found; --options sets others)",
  );
  const bad = await cli.run("plugins", "test", path, "--options", "[]");
  expect(bad.status).toBe(2);
  expect(bad.err).toContain("--options takes a JSON object");
});
