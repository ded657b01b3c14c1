import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS } from "../../src/cli/commands.ts";
import { ROOT } from "../e2e/weir.ts";
import { commandLine } from "./terminal.ts";

describe("help", () => {
  test("is printed by weir alone, and names every command", async () => {
    const { status, out, err } = await commandLine().run();
    expect([status, err]).toEqual([0, ""]);
    for (const { name, summary } of COMMANDS) {
      expect(out).toContain(name);
      expect(out).toContain(summary);
    }
  });

  test.each(COMMANDS.map((command) => [command.name, command] as const))("explains %s", async (name, command) => {
    const cli = commandLine();
    const { status, out } = await cli.run("help", ...name.split(" "));
    expect(status).toBe(0);
    for (const option of Object.keys(command.options ?? {})) expect(out).toContain(`--${option}`);
    expect((await cli.run(...name.split(" "), "--help")).out).toBe(out);
  });

  test("of a group lists its commands, and works with a broken configuration", async () => {
    const { status, out } = await commandLine({ WEIR_NOPE: "1" }).run("help", "keys");
    expect(status).toBe(0);
    expect(out).toContain("keys revoke");
    for (const word of ["--help", "-h"])
      expect(await commandLine().run("keys", word)).toMatchObject({ status: 0, out });
  });
});

test("if npm has started the program, help shows the command of npm", () => {
  const env = {
    ...process.env,
    npm_lifecycle_event: "weir",
    npm_config_user_agent: "npm/11.0.0 node/v20.0.0 linux x64",
  };
  const { stdout } = Bun.spawnSync([process.execPath, join(ROOT, "src/main.ts"), "help"], { env });
  expect(stdout.toString()).toContain("usage: npm run weir -- <command> [options]\n");
});

test.each([
  [["serv"], 'weir: there is no command "serv"; did you mean "serve"?'],
  [["nonsense"], 'weir: there is no command "nonsense"; try `'],
  [["--config", "a.toml", "config"], "weir: write --config after the command; try `"],
  [["keys"], 'weir: "keys" needs a command; known: keys create, keys list, keys rotate, keys transfer, keys revoke'],
  [["keys", "make"], 'weir: there is no command "keys make"'],
  [["keys", "create"], "weir: keys create needs --name NAME"],
  [
    ["keys", "create", "--nam", "x"],
    "weir: keys create: there is no option --nam; did you mean --name? (see weir help keys create)",
  ],
  [["keys", "create", "--name"], "weir: keys create: --name needs a value"],
  [
    ["keys", "create", "--expires", "-1d"],
    "weir: keys create: --expires needs a value; write a value that begins with a dash",
  ],
  [["domains", "approve", "https://acme.test"], "weir: a domain is a host name or address without scheme"],
  [["keys", "create", "--name", "x", "--scopes", "red"], 'there is no scope "red"'],
  [["keys", "create", "--name", "x", "--expires", "soon"], "weir: expires: "],
  [["keys", "create", "--name", "x", "y"], "weir: keys create takes no arguments, not y"],
  [["keys", "transfer", "x"], "weir: keys transfer needs either --to EMAIL or --no-owner"],
  [["keys", "transfer", "x", "--to", "a@x.test", "--no-owner"], "weir: keys transfer needs either --to EMAIL or --no"],
  [["keys", "transfer", "x", "--to", "ada"], "weir: --to: give an e-mail address"],
  [["keys", "revoke"], "weir: keys revoke takes <id>, not nothing (see weir help keys revoke)"],
  [["help", "nothing"], /^weir: there is no command "nothing"; `.*help` lists them$/m],
  [["query", "foo"], /there is no field "foo"(?!.*did you mean)/],
  [["migrate", "records"], "weir: migrate records needs --to clickhouse"],
  [["credentials", "add", "opnai"], "weir: provider: there is no such provider; did you mean openai?"],
  [
    ["credentials", "add", "nothing-near"],
    "weir: provider: there is no such provider; `weir providers list` shows them",
  ],
  [["plugins", "new", "../x"], "weir: a name has letters, digits and dashes"],
  [["constructor"], 'weir: there is no command "constructor"'],
])("bad usage %p is one line and status 2", async (words, line) => {
  const { status, out, err } = await commandLine().run(...words);
  expect(err).toMatch(line);
  expect(err.trimEnd()).not.toContain("\n");
  expect([status, out]).toEqual([2, ""]);
});

test.each([
  [
    ["keys", "create", "--nam", "x", "--frm", "--scopes", "read", "--expires"],
    [
      "weir: keys create: there is no option --nam; did you mean --name? (see weir help keys create)",
      "weir: keys create: there is no option --frm (see weir help keys create)",
      "weir: keys create: --expires needs a value (see weir help keys create)",
    ],
  ],
  [
    ["query", "foo=1", "--format", "xml", "--limit", "x", "--columns", "nope", "--sort", "cots"],
    [/--format/, /"nope"/, /"foo"/, /--limit/, /"cots"/],
  ],
  [["query", "--last", "5x"], ['weir: --last takes a number with s, m, h, d or w, such as 15m, 24h or 7d, not "5x"']],
  [
    ["export", "--nope", "--format"],
    [
      "weir export: there is no option --nope (see weir help export)",
      "weir export: --format needs a value (see weir help export)",
    ],
  ],
  [
    ["export", "--format", "xml", "--limit", "x", "--region", "mars"],
    [/--format/, /--limit/, /--region/, /WEIR_API_KEY/],
  ],
  [
    ["alerts", "create", "--metric", "cost", "--above", "x", "--window", "y", "--cooldown", "z"],
    [/needs --name/, /--above takes a number/, /--window takes a time/, /--cooldown takes a time/],
  ],
  [
    [
      "alerts",
      "create",
      "--name",
      "a",
      "--metric",
      "cost",
      "--above=1",
      "--minimum-requests=0.5",
      "--cooldown",
      "999d",
    ],
    [/^weir: minimum_requests: /, /^weir: cooldown_seconds: /],
  ],
  [
    ["webhooks", "add", "nope", "--sample-rate", "x", "--secret-file", "nowhere"],
    [/--sample-rate/, /--secret-file/],
  ],
  [
    ["retention", "set", "--days", "x", "--body-days", "y", "--property", "z"],
    [/--days/, /--body-days/, /--property/],
  ],
  [
    ["audit", "list", "--limit", "x", "--since", "y", "--until", "z"],
    [/--limit/, /--since/, /--until/],
  ],
  [
    ["import", "x", "--brand", "a b", "--api-url", "nope"],
    [/--brand/, /http:\/\//, /WEIR_API_KEY/],
  ],
])("every error of %p has its line", async (words, lines) => {
  const { err } = await commandLine().run(...words);
  expect(err.trimEnd().split("\n")).toEqual(lines.map((line) => expect.stringMatching(line)) as never);
});

test.each([
  [["import", "nowhere.jsonl"], "weir import: nowhere.jsonl: there is no such file or folder"],
  [["plugins", "check", "nowhere.ts"], /^weir: \S+nowhere\.ts: there is no such file or folder\n$/],
  [["plugins", "check", "nowhere.ts", "--provider"], /^weir: \S+nowhere\.ts: there is no such file or folder\n$/],
  [["plugins", "check", "."], /^weir: \S+: it is a directory, not a file\n$/],
  [["restore", "nowhere.tar"], /nowhere/],
  [["config", "--config", "nowhere.toml"], "weir: nowhere.toml: cannot be read: there is no such file or folder"],
])("%p says in words that a file is missing", async (words, says) => {
  const { status, err } = await commandLine({ WEIR_API_KEY: "sk-weir-us-x" }).run(...words);
  expect(err).toMatch(says);
  expect(err).not.toMatch(/E[A-Z]{4,}/);
  expect(status).toBe(1);
});

test("a data directory that cannot be used is one line and status 1", async () => {
  const cli = commandLine({ WEIR_DATA_DIR: `${import.meta.path}/weir` });
  for (const words of [
    ["keys", "list"],
    ["costs", "recompute"],
    ["plugins", "new", "x"],
  ]) {
    const { status, out, err } = await cli.run(...words);
    expect([status, out]).toEqual([1, ""]);
    expect(err).toMatch(/^weir: [^\n]*a part of its path is not a directory\n$/);
  }
});

test("a broken configuration is a line for each problem and status 1", async () => {
  const { status, out, err } = await commandLine({ WEIR_REGION: "x", WEIR_NOPE: "1" }).run("config");
  expect(err.trimEnd().split("\n")).toHaveLength(2);
  expect([status, out]).toEqual([1, ""]);
});

test("version is printed", async () => {
  expect((await commandLine().run("version")).out).toMatch(/^weir \d+\.\d+\.\d+(?:-rc\.\d+)?\n$/);
  expect((await commandLine().run("--version")).out).toMatch(/^weir /);
});

test("config prints the configuration and where its file is", async () => {
  const { status, out } = await commandLine({ WEIR_GATEWAY_PORT: "99" }).run("config");
  expect(status).toBe(0);
  expect(out).toMatch(/^gateway_port = 99 +# WEIR_GATEWAY_PORT$/m);
});

describe("keys", () => {
  test("that cannot be created are refused with every fault at once", async () => {
    const { status, out, err } = await commandLine().run("keys", "create", "--expires", "foo", "--scopes", "red");
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err.trimEnd().split("\n")).toEqual([
      "weir: keys create needs --name NAME",
      'weir: there is no scope "red"; scopes are gateway, figures, read, write, admin',
      "weir: expires: give a duration such as 90s, 15m, 12h or 30d, or an ISO 8601 date",
    ]);
  });

  test("are made, listed and revoked; the key alone is on stdout", async () => {
    const cli = commandLine();
    const made = await cli.run(
      "keys",
      "create",
      "--name",
      "ci",
      "--org",
      "acme",
      "--scopes",
      "read,gateway",
      "--expires",
      "30d",
    );
    expect(made.status).toBe(0);
    expect(made.out).toMatch(/^sk-weir-us-[0-9A-Za-z]+\n$/);
    expect(made.err).not.toContain(made.out.trim());
    const [listed, ...others] = JSON.parse((await cli.run("keys", "list", "--json")).out);
    expect(others).toEqual([]);
    expect(listed).toMatchObject({
      name: "ci",
      organization: "acme",
      scopes: ["gateway", "read"],
      region: "us",
      revoked_at: null,
    });
    expect(Object.keys(listed).sort()).toEqual(
      [
        "id",
        "name",
        "organization",
        "scopes",
        "region",
        "created_at",
        "expires_at",
        "last_used_at",
        "revoked_at",
        "models",
        "credentials",
        "user_id",
        "user",
        "previous_until",
        "stopped",
      ].sort(),
    );
    expect((await cli.run("keys", "list")).out).toContain(listed.expires_at ?? "never");
    expect((await cli.run("keys", "revoke", listed.id)).status).toBe(0);
    expect(JSON.parse((await cli.run("keys", "list", "--json")).out)[0].revoked_at).not.toBeNull();
    expect((await cli.run("keys", "list")).out).toContain("revoked");
  });

  test("are transferred to a member or left without an owner, and named when they stop with their owner", async () => {
    const cli = commandLine();
    await cli.run("keys", "create", "--name", "ci");
    await cli.run("users", "create", "ada@x.test");
    const listed = async () => JSON.parse((await cli.run("keys", "list", "--json")).out)[0];
    const { id } = await listed();
    const toAda = () => cli.run("keys", "transfer", id, "--to", "ada@x.test");
    expect(await toAda()).toMatchObject({ status: 1, err: expect.stringContaining("must be a member of its organ") });
    expect((await cli.run("members", "set", "ada@x.test")).err).toContain("needs --role; give one of viewer, analyst");
    await cli.run("members", "set", "ada@x.test", "--role", "developer");
    expect(await toAda()).toMatchObject({ status: 0, out: "", err: `key "ci" (${id}) belongs to ada@x.test\n` });
    expect((await listed()).user).toBe("ada@x.test");
    expect((await cli.run("members", "remove", "ada@x.test")).err).toContain(`their keys stop: "ci" (${id});`);
    expect((await listed()).stopped).toBe("owner_not_member");
    expect((await cli.run("keys", "list")).out).toContain("stopped");
    expect(await cli.run("keys", "transfer", id, "--no-owner")).toMatchObject({ status: 0 });
    expect((await listed()).stopped).toBeNull();
    expect((await listed()).user_id).toBeNull();
    expect((await cli.run("users", "remove", "ada@x.test")).err).toBe("user ada@x.test is removed\n");
    expect((await cli.run("keys", "transfer", "nobody", "--no-owner")).err).toContain("there is no key with the id");
  });

  test("that do not exist cannot be revoked: status 1", async () => {
    const { status, err } = await commandLine().run("keys", "revoke", "nobody");
    expect(status).toBe(1);
    expect(err).toContain('there is no key with the id "nobody"');
  });
});

test("an organization is looked up where keys are stored, whatever region is requested", async () => {
  const cli = commandLine({ WEIR_EU_GATEWAY_PORT: "0", WEIR_EU_API_PORT: "0" });
  await cli.run("keys", "create", "--name", "first", "--org", "acme");
  const errorFor = async (name: string) =>
    (await cli.run("models", "show", "m", "--org", name, "--region", "eu")).err.split(";")[0];
  expect(await errorFor("acme")).toBe("weir: no recorded request names the model m");
  expect(await errorFor("nobody")).toBe("weir: there is no organization nobody");
});

describe("plugins", () => {
  test.each([
    ["plugins", []],
    ["providers", ["--provider"]],
  ])("new writes into %s a skeleton that passes check, with types next to it", async (folder, options) => {
    const cli = commandLine();
    const made = await cli.run("plugins", "new", "acme-door", ...options);
    const path = join(cli.directory, "weir-data", folder, "acme-door.ts");
    expect(made).toMatchObject({ status: 0, out: `${path}\n` });
    expect(readdirSync(join(cli.directory, "weir-data", folder)).sort()).toEqual(["acme-door.ts", "weir-plugin.d.ts"]);
    const checked = await cli.run("plugins", "check", path);
    expect(checked).toMatchObject({ status: 0, err: "" });
    expect((await cli.run("plugins", "new", "acme-door", ...options)).err).toContain("already exists");
    if (options.length > 0) expect((await cli.run("providers", "new", "acme-door")).err).toContain("already exists");
    const listed = JSON.parse((await cli.run("plugins", "list", "--json")).out) as { file: string; source: string }[];
    expect(listed.find(({ file }) => file === path)).toMatchObject({ source: "drop-in", replaces: false });
    expect(listed.some(({ source }) => source === "built-in")).toBe(true);
  });

  test("a broken drop-in is listed with its reason, along with everything else", async () => {
    const cli = commandLine();
    await cli.run("plugins", "new", "acme-door");
    const folder = join(cli.directory, "weir-data", "plugins");
    writeFileSync(join(folder, "broken.ts"), "export default {");
    writeFileSync(join(folder, "twice.ts"), readFileSync(join(folder, "acme-door.ts")));
    const { status, out, err } = await cli.run("plugins", "list", "--json");
    const listed = JSON.parse(out) as { name: string | null; file: string; reason: string | null }[];
    expect([status, err]).toEqual([0, expect.stringContaining("broken.ts: line 1, column ")]);
    expect(listed.slice(0, 2).map(({ name, reason }) => [name, reason])).toEqual([
      [null, expect.stringContaining("line 1, column ")],
      [null, `the name "acme-door" is taken by ${join(folder, "acme-door.ts")}`],
    ]);
    expect(listed.find(({ name }) => name === "acme-door")?.reason).toBe(null);
    expect(listed.some(({ name }) => name === "rate-limits")).toBe(true);
    expect((await cli.run("plugins", "list")).out).toContain("broken");
  });

  test("the types next to a skeleton are all of the contract", async () => {
    const cli = commandLine();
    await cli.run("plugins", "new", "whole", "--dir", ".");
    const written = readFileSync(join(cli.directory, "weir-plugin.d.ts"), "utf8");
    const folder = join(import.meta.dir, "../../src/plugin-host/contract");
    const names = readdirSync(folder).flatMap((file) => [
      ...readFileSync(join(folder, file), "utf8").matchAll(/^export (?:interface|type) (\w+)/gm),
    ]);
    expect(names.filter(([declaration]) => !written.includes(`  ${declaration}`))).toEqual([]);
    expect(names.length).toBeGreaterThan(50);
  });

  test("a skeleton has no type errors in a folder of its own", async () => {
    const cli = commandLine();
    for (const options of [[], ["--provider"]])
      await cli.run("plugins", "new", `x${options.length}`, "--dir", ".", ...options);
    const tsc = Bun.spawnSync(
      [
        process.execPath,
        join(import.meta.dir, "../../node_modules/typescript/bin/tsc"),
        "--noEmit",
        "--strict",
        "--target",
        "esnext",
        "--module",
        "preserve",
        "--types",
        "",
        "x0.ts",
        "x1.ts",
      ],
      { cwd: cli.directory },
    );
    expect(tsc.stdout.toString()).toBe("");
    expect(tsc.exitCode).toBe(0);
  });

  test("check tells what is wrong with file and member: status 1", async () => {
    const cli = commandLine();
    const path = join(cli.directory, "bad.ts");
    await Bun.write(path, 'export default { apiVersion: 1, name: "BAD", extends: "OPENIA" };');
    const { status, err } = await cli.run("plugins", "check", "bad.ts");
    expect(status).toBe(1);
    expect(err).toBe(
      `weir: ${path}: the member "extends" names "OPENIA", which no provider has; did you mean "OPENAI"?\n`,
    );
    expect((await cli.run("plugins", "check", "nowhere.ts")).status).toBe(1);
  });

  test("providers list shows built-ins with their hosts, and writes nothing", async () => {
    const cli = commandLine();
    const listed = JSON.parse((await cli.run("providers", "list", "--json")).out);
    const openai = listed.find(({ name }: { name: string }) => name === "OPENAI");
    expect(openai).toMatchObject({ kind: "provider", source: "built-in" });
    expect(openai.hosts).toContain("api.openai.com");
    expect(existsSync(join(cli.directory, "weir-data"))).toBe(false);
  });
});
