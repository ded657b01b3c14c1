import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chance } from "../chance.ts";
import { commandLine } from "./terminal.ts";

const CHANCE = chance("rotation");
const KEY = "sk-planted-0123456789abcdef";

test("a credential is added before the first start, listed, changed and removed", async () => {
  const cli = commandLine();
  const added = await cli.feed(
    `${KEY}\n`,
    ...["credentials", "add", "openai", "--models", "gpt-5*, !gpt-5-pro", "--weight", "2", "--limit", "600;w=60"],
    ...["--model-map", "gpt-4o=my-deployment", "--header", "x-team=a=b", "--base-url", "https://llm.example.com/v1"],
    ...["--ask-usage", "no", "--disable"],
  );
  expect([added.status, added.out]).toEqual([0, "openai\n"]);
  const shown = JSON.parse((await cli.run("credentials", "show", "openai")).out);
  expect(shown).toMatchObject({
    provider: "OPENAI",
    state: "disabled",
    secrets: { api_key: { last4: "cdef" } },
    models: ["gpt-5*", "!gpt-5-pro"],
    weight: 2,
    limit: "600;w=60",
    model_map: { "gpt-4o": "my-deployment" },
    headers: { "x-team": "a=b" },
    base_url: "https://llm.example.com/v1",
    ask_usage: false,
  });
  const set = await cli.feed("", ...["credentials", "set", "openai", "--enable", "--reset", "limit,models", "--json"]);
  expect(JSON.parse(set.out)).toMatchObject({ state: "ready", limit: null, models: [], weight: 2 });
  const secret = await cli.feed(`${KEY}wxyz`, "credentials", "set", "openai", "--secret", "api_key", "--json");
  expect(JSON.parse(secret.out).secrets.api_key.last4).toBe("wxyz");
  const listed = await cli.run("credentials", "list");
  expect(listed.out).toMatch(/openai +OPENAI +ready +stored +2 +all +api_key …wxyz/);
  expect(JSON.stringify([added, shown, set, secret, listed])).not.toContain("planted");
  expect((await cli.run("credentials", "remove", "openai")).status).toBe(0);
  expect((await cli.run("credentials", "remove", "openai")).status).toBe(1);
  expect((await cli.run("credentials", "list")).err).toContain("there are no credentials");
});

test("--set takes every member, also those that are true or false", async () => {
  const cli = commandLine();
  const members = ["--set", "base_url=http://127.0.0.1:9/v1", "--set", "private=true", "--set", "ask_usage=false"];
  const added = await cli.feed(KEY, "credentials", "add", "openai", ...members);
  expect([added.status, added.err]).toEqual([0, expect.not.stringContaining("private")]);
  const shown = JSON.parse((await cli.run("credentials", "show", "openai")).out);
  expect(shown).toMatchObject({ private: true, ask_usage: false, base_url: "http://127.0.0.1:9/v1" });
});

test.each([
  ["aws", '{"access_key_id":"AKIA","secret_access_key":"planted-secret-1"}', ["access_key_id", "secret_access_key"]],
  [
    "aws",
    "aws_access_key_id = AKIA\naws_secret_access_key = planted-secret-1\n",
    ["access_key_id", "secret_access_key"],
  ],
  [
    "aws",
    'export AWS_ACCESS_KEY_ID=AKIA\nexport AWS_SECRET_ACCESS_KEY="planted-secret-1"',
    ["access_key_id", "secret_access_key"],
  ],
  ["aws", "planted-bearer-12", ["api_key"]],
  ["google", '{"client_email":"a@b","private_key":"planted-key-12345"}', ["service_account"]],
  ["google", "AIza-planted-12345", ["api_key"]],
])("the secrets of %s come on stdin: %p", async (provider, stdin, members) => {
  const cli = commandLine();
  const region = provider === "aws" ? ["--set", "region=eu-central-1"] : [];
  const added = await cli.feed(stdin, "credentials", "add", provider, "--json", ...region);
  expect([added.status, added.err]).toEqual([0, ""]);
  expect(Object.keys(JSON.parse(added.out).secrets)).toEqual(members);
  expect(added.out).not.toContain("planted");
});

test.each([
  [["add", "opnai"], KEY, 2, "did you mean openai?"],
  [["add", "openai"], "", 2, "needs api_key"],
  [["add", "openai", "--set", "region"], KEY, 2, "NAME=VALUE"],
  [["add", "openai", "--set", "region=x"], KEY, 2, "no such member"],
  [["add", "openai", "--set", `api_key=${KEY}`], "", 2, "--set api_key: other users can see arguments"],
  [["add", "aws", "--set", `secrets={"api_key":"${KEY}"}`], "", 2, "--set secrets: other users can see arguments"],
  [["add", "openai", "--secret", "token"], KEY, 2, "no such secret"],
  [["add", "openai", "--ask-usage", "maybe"], KEY, 2, "yes or no"],
  [["add", "openai"], "{broken", 2, "JSON"],
  [["add", "echo"], KEY, 2, "has no secret; leave stdin empty"],
  [["add"], KEY, 2, "takes <provider>"],
  [["add", "openai", KEY], "", 2, "takes <provider>"],
  [["show", "none"], "", 1, "there is no"],
])("weir credentials %p is refused in one line", async (words, stdin, status, says) => {
  const cli = commandLine();
  await cli.run("keys", "create", "--name", "first");
  const refused = await cli.feed(stdin, "credentials", ...words);
  expect([refused.status, refused.out]).toEqual([status, ""]);
  expect(refused.err).toContain(says);
  expect(refused.err.trimEnd()).not.toContain("\n");
});

test.each([
  [["credentials", "add", "openai", "--set", "region=x"], KEY],
  [["routes", "set", "fast", "--strategy", "nearest"], '{"targets": ["openai/gpt-5"], "strategy": "nearest"}'],
])("weir %p makes no organization if it is refused", async (words, stdin) => {
  const cli = commandLine();
  await cli.run("keys", "create", "--name", "first");
  expect((await cli.feed(stdin, ...words, "--org", "typo")).status).toBe(2);
  expect((await cli.run("credentials", "list", "--org", "typo")).err).toContain("there is no organization typo");
});

test("a new key goes first, all secrets are encrypted with it, and the old one goes away", async () => {
  const [old, next] = [CHANCE.bytes(32).toString("base64"), CHANCE.bytes(32).toString("base64")];
  const env: Record<string, string> = { WEIR_CREDENTIALS_KEY_FILE: "keys" };
  const cli = commandLine(env);
  const path = join(cli.directory, "keys");
  writeFileSync(path, `${old}\n`);
  for (const name of ["a", "b"]) await cli.feed(KEY, "credentials", "add", "openai", "--name", name);
  const ids = async () => {
    const all = JSON.parse((await cli.run("credentials", "list", "--json")).out);
    return all.map((each: { state: string; secrets: { api_key: { key_id: string } } }) => [
      each.state,
      each.secrets.api_key.key_id,
    ]);
  };
  const [[, first]] = await ids();
  writeFileSync(path, `${next}\n`);
  expect(await ids()).toEqual([
    ["locked", first],
    ["locked", first],
  ]);
  const nothing = await cli.run("credentials", "rotate");
  expect([nothing.status, nothing.err]).toEqual([1, expect.stringContaining("OPENAI a is locked")]);
  writeFileSync(path, `${next}\n${old}\n`);
  expect((await cli.run("credentials", "rotate")).err).toContain("2 encrypted again");
  expect((await cli.run("credentials", "rotate")).err).toContain("2 had it already");
  writeFileSync(path, `${next}\n`);
  const [[state, second], other] = await ids();
  expect([state, other]).toEqual(["ready", ["ready", second]]);
  expect(second).not.toBe(first);
});

test("a credential of weir.toml is listed with the place of its secret; a literal secret is refused", async () => {
  const cli = commandLine();
  writeFileSync(
    join(cli.directory, "weir.toml"),
    `[credentials.main]\nprovider = "openai"\napi_key = "env:OPENAI_API_KEY"`,
  );
  await cli.run("keys", "create", "--name", "first");
  const [main] = JSON.parse((await cli.run("credentials", "list", "--json")).out);
  expect(main).toMatchObject({ name: "main", source: "file", secrets: { api_key: { from: "env:OPENAI_API_KEY" } } });
  expect((await cli.run("credentials", "remove", "main")).err).toContain("change it there");
  writeFileSync(join(cli.directory, "weir.toml"), `[credentials.main]\nprovider = "openai"\napi_key = "${KEY}"`);
  const refused = await cli.run("credentials", "list");
  expect([refused.status, refused.err]).toEqual([
    1,
    expect.stringContaining("[credentials.main] api_key: a secret must not be in the configuration file"),
  ]);
  expect(refused.err).not.toContain(KEY);
});

test("routes are set from a file, from stdin and from targets, listed and removed", async () => {
  const cli = commandLine();
  writeFileSync(join(cli.directory, "fast.json"), '{"targets":["groq/llama-3.3-70b"],"retries":2}');
  expect((await cli.run("routes", "set", "fast", "--file", "fast.json")).status).toBe(0);
  expect((await cli.feed('{"targets":["fast"]}', "routes", "set", "claude-*")).status).toBe(0);
  const words = ["--target", "openai/gpt-5", "--target", "azure/gpt-5", "--strategy", "cheapest"];
  expect((await cli.run("routes", "set", "big", ...words)).status).toBe(0);
  const listed = await cli.run("routes", "list");
  expect(listed.out).toMatch(/big +stored +cheapest +openai\/gpt-5, azure\/gpt-5/);
  expect(JSON.parse((await cli.run("routes", "list", "--json")).out)).toHaveLength(3);
  expect((await cli.run("routes", "remove", "big")).status).toBe(0);
  const wrong = await cli.run("routes", "set", "fast", "--target", "claude-*");
  expect([wrong.status, wrong.err]).toEqual([2, expect.stringContaining("targets.0")]);
  expect((await cli.run("routes", "set", "fast", "--target", "fast")).err).toContain("form a cycle");
  expect((await cli.run("routes", "set", "fast")).status).toBe(2);
  expect(readFileSync(join(cli.directory, "fast.json"), "utf8")).toContain("groq");
});
