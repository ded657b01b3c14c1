import { describe, expect, test } from "bun:test";
import { GatewayError } from "../../src/errors.ts";
import { readModelString } from "../../src/routing/model-string.ts";
import { type Choice, type Nested, resolve, type Target } from "../../src/routing/resolve.ts";
import type { Scope } from "../../src/routing/scope.ts";
import { credential, models, route, scope, target } from "./things.ts";

const text = (member: Target | Nested): string =>
  "choice" in member
    ? `(${names(member.choice)})`
    : `${member.provider.name}/${member.model}[${member.credentials.map(({ name }) => name).join(" ")}]`;
const names = (choice: Choice): string => choice.members.map(text).join(" ");
const resolved = (model: string, more: Partial<Scope> = {}, further: readonly string[] = []) =>
  resolve(readModelString(model, further), scope(more)).map(names).join(" | ");
const refusal = (model: string, more: Partial<Scope> = {}) => {
  try {
    return resolved(model, more);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return [error.code, error.message] as const;
  }
};

describe("a name is resolved by the first rule that fits", () => {
  test.each([
    ["provider/model", "openai/gpt-9", "OPENAI/gpt-9[openai]"],
    ["in any case", "OpenAI/gpt-9", "OPENAI/gpt-9[openai]"],
    ["the model is what follows, whole", "groq/openai/gpt-oss-120b", "GROQ/openai/gpt-oss-120b[groq]"],
    ["model/provider", "llama/x/groq", "GROQ/llama/x[groq]"],
    ["model/provider/credential", "llama/groq/groq", "GROQ/llama[groq]"],
    [
      "a bare model, at every provider that has it, by age of credentials",
      "gpt-oss-120b",
      "OPENAI/gpt-oss-120b[openai] GROQ/gpt-oss-120b[groq]",
    ],
    ["[1m] is left off a bare model", "claude-sonnet-5-5[1m]", "ANTHROPIC/claude-sonnet-5-5[anthropic]"],
    ["[1m] is left off everywhere", "anthropic/claude-x[1m]", "ANTHROPIC/claude-x[anthropic]"],
    ["[1m] is left off before a provider's name is read", "claude-x/anthropic[1m]", "ANTHROPIC/claude-x[anthropic]"],
    ["[1m] is left off behind an order", "openai/gpt-5-mini:floor[1m]", "OPENAI/gpt-5-mini[openai]"],
    ["[1m] is left off before an order", "openai/gpt-5-mini[1m]:floor", "OPENAI/gpt-5-mini[openai]"],
    ["an ordered list", "claude-sonnet-5-5, openai/x", "ANTHROPIC/claude-sonnet-5-5[anthropic] | OPENAI/x[openai]"],
    ["!provider takes it out of all", "gpt-oss-120b,!openai", "GROQ/gpt-oss-120b[groq]"],
    ["a name that leads nowhere is left out among others", "nope,openai/x", "OPENAI/x[openai]"],
  ])("%s: %s", (_what, model, expected) => {
    expect(resolved(model)).toBe(expected);
  });

  test("a provider without a credential gives way to a bare model with that name", () => {
    const credentials = [credential("GROQ", "groq", { models: ["together/llama"] })];
    expect(resolved("together/llama", { credentials })).toBe("GROQ/together/llama[groq]");
  });

  test("provider:credential/model takes that credential alone", () => {
    const credentials = [credential("OPENAI", "a"), credential("OPENAI", "b")];
    expect(resolved("openai:b/x", { credentials })).toBe("OPENAI/x[b]");
    expect(resolved("openai/x", { credentials })).toBe("OPENAI/x[a b]");
  });

  test("a credential's own list and map name its models", () => {
    const credentials = [
      credential("OPENAI", "a", { modelMap: { house: "deployment-7" } }),
      credential("GROQ", "b", { models: ["hut"] }),
    ];
    expect(resolved("house,hut", { credentials })).toBe("OPENAI/house[a] | GROQ/hut[b]");
  });

  test("Gateway-Target-Provider stands before a bare model", () => {
    expect(resolved("gpt-oss-120b", { defaultProvider: "groq" })).toBe("GROQ/gpt-oss-120b[groq]");
    expect(resolved("openai/x", { defaultProvider: "groq" })).toBe("OPENAI/x[openai]");
  });

  test("models and fallbacks of the body are appended", () => {
    expect(resolved("openai/a", {}, ["groq/b", "nope"])).toBe("OPENAI/a[openai] | GROQ/b[groq]");
  });

  test("the client's own key serves where nothing is stored", () => {
    const hasOwnKey = ({ name }: { name: string }) => name === "TOGETHER";
    expect(resolved("together/x", { hasOwnKey })).toBe("TOGETHER/x[]");
  });
});

describe("routes", () => {
  const routes = [
    route("fast", ["groq/llama", "openai/gpt-5-mini"]),
    route("claude-*", ["anthropic/claude-*", "aws/us.anthropic.claude-*"]),
    route("claude-haiku-*", ["groq/h-*"]),
    route("claude-haiku-1", ["openai/exact"]),
    route("outer", ["fast", "openai/last"]),
    route("loop-a", ["loop-b"]),
    route("loop-b", ["loop-a", "openai/end"]),
  ];
  test.each([
    ["fast", "GROQ/llama[groq] OPENAI/gpt-5-mini[openai]"],
    ["claude-opus", "ANTHROPIC/claude-opus[anthropic] AWS/us.anthropic.claude-opus[aws]"],
    ["claude-haiku-9", "GROQ/h-9[groq]"],
    ["claude-haiku-1", "OPENAI/exact[openai]"],
    ["outer", "(GROQ/llama[groq] OPENAI/gpt-5-mini[openai]) OPENAI/last[openai]"],
    ["fast[1m]", "GROQ/llama[groq] OPENAI/gpt-5-mini[openai]"],
    ["claude-opus[1m]", "ANTHROPIC/claude-opus[anthropic] AWS/us.anthropic.claude-opus[aws]"],
    ["loop-a", "(OPENAI/end[openai])"],
  ])("%s", (model, expected) => {
    expect(resolved(model, { routes })).toBe(expected);
  });

  test("the file's route goes before a stored one of the same name", () => {
    const file = route("fast", ["openai/file"], { source: "file", organizationId: undefined });
    expect(resolved("fast", { routes: [routes[0]!, file] })).toBe("OPENAI/file[openai]");
    expect(resolved("fast", { routes: [file, routes[0]!] })).toBe("OPENAI/file[openai]");
  });

  test("a pattern catches what clients write, and no target of another route", () => {
    const all = [route("*", ["openai/caught"]), route("fast", ["groq/llama"]), route("x-*", ["claude-*"]), ...routes];
    expect(resolved("fast", { routes: all })).toBe("GROQ/llama[groq]");
    expect(resolved("anything", { routes: all })).toBe("OPENAI/caught[openai]");
    expect(resolved("x-sonnet", { routes: all })).toBe(`(${resolved("claude-sonnet", { routes })})`);
  });

  test("an order at a target's end holds for it, and is no part of the model's name", () => {
    const cheap = [route("cheap", ["openai/gpt-5-mini:floor", "fast:nitro"]), ...routes];
    expect(resolved("cheap", { routes: cheap })).toContain("OPENAI/gpt-5-mini[openai]");
    const [choice] = resolve(readModelString("cheap"), scope({ routes: cheap }));
    expect(choice!.members).toMatchObject([{ choice: { strategy: "cheapest" } }, { choice: { strategy: "fastest" } }]);
  });

  test("a dollar sign in a name is no replacement pattern", () => {
    expect(resolved("x-$&", { routes: [route("x-*", ["openai/y-*"])] })).toBe("OPENAI/y-$&[openai]");
  });

  test("a route's name counts as it is written, before its end has a meaning", () => {
    const all = [route("fast:floor", ["openai/exact"]), route("big[1m]", ["fast:floor"]), ...routes];
    expect(resolved("fast:floor", { routes: all })).toBe("OPENAI/exact[openai]");
    expect(resolved("big[1m]", { routes: all })).toBe("(OPENAI/exact[openai])");
    expect(resolve(readModelString("fast:floor"), scope({ routes: all }))[0]!.strategy).toBe("order");
  });

  test(":floor and :nitro order the targets", () => {
    const order = (model: string) => resolve(readModelString(model), scope({ routes }))[0]!.strategy;
    expect(order("fast:floor[1m]")).toBe("cheapest");
    expect([order("fast"), order("fast:floor"), order("gpt-oss-120b:nitro")]).toEqual(["order", "cheapest", "fastest"]);
  });
});

describe("what a key may use", () => {
  test.each([
    ["openai/x", ["openai/*"], "OPENAI/x[openai]"],
    ["gpt-oss-120b", ["groq/*"], "GROQ/gpt-oss-120b[groq]"],
    ["fast", ["fast"], "GROQ/llama[groq]"],
    ["fast", ["groq/llama"], "GROQ/llama[groq]"],
  ])("%s with models %p", (model, allowed, expected) => {
    expect(resolved(model, { allowed, routes: [route("fast", [target("groq/llama")])] })).toBe(expected);
  });
});

describe("errors say what is missing", () => {
  test.each([
    [
      "a bare model of several providers, none with a credential",
      "gpt-oss-120b",
      { credentials: [] },
      "no_credential",
      'no provider of "gpt-oss-120b" has a credential: openai, groq; add one with: weir credentials add PROVIDER',
    ],
    ["no such model", "gpt-5-mino", {}, "model_not_found", 'did you mean "openai/gpt-5-mini"'],
    [
      "a route whose targets are gone",
      "old",
      { routes: [route("old", ["nowhere/m", "gone"])] },
      "model_not_found",
      'the route "old" leads to no known model: nowhere/m, gone',
    ],
    ["nothing stored", "together/x", {}, "no_credential", "weir credentials add together"],
    [
      "a known model without a credential",
      "claude-sonnet-5-5",
      { credentials: [] },
      "no_credential",
      "weir credentials add anthropic",
    ],
    ["not for this key", "openai/x", { allowed: ["groq/*"] }, "model_forbidden", "groq/*"],
    ["no credential with this name", "openai:nope/x", {}, "no_credential", "openai:nope/x"],
    ["no name", " , ,", {}, "invalid_body", "names no model"],
    ["an exclusion of no provider", "openai/x,!opeani", {}, "invalid_body", '"!opeani" names no provider'],
    ["an exclusion of a credential", "openai/x,!openai:a", {}, "invalid_body", '"!openai:a" names no provider'],
    [
      "no credential that the key may use",
      "openai/x",
      { credentials: [], someCredentials: true },
      "no_credential",
      'this service key may use no credential for OPENAI that serves "openai/x"; use a key with other credentials, or',
    ],
    [
      "no credential of several that the key may use",
      "gpt-oss-120b",
      { credentials: [], someCredentials: true },
      "no_credential",
      "has a credential that this service key may use: openai, groq; use a key with other credentials, or send",
    ],
    ["too many names", "groq/x,".repeat(51), {}, "invalid_body", "at most 50"],
    ["too many exclusions", `groq/x${",!openai".repeat(51)}`, {}, "invalid_body", "at most 50"],
    ["a provider without any key at all", "openai/x", { credentials: [] }, "no_credential", "OPENAI"],
  ] as const)("%s", (_what, model, more, code, message) => {
    const [found, said] = refusal(model, more) as readonly [string, string];
    expect(found).toBe(code);
    expect(said).toContain(message);
  });

  test("the nearest name is looked for once, whatever the number of names", () => {
    let looks = 0;
    const counted = {
      ...models,
      names() {
        looks++;
        return models.names();
      },
    };
    expect(refusal(Array(50).fill("gpt-5-mino").join(","), { models: counted })[0]).toBe("model_not_found");
    expect(looks).toBe(1);
  });

  test("a model that several providers have is named with each, those with a credential first", () => {
    const known = { ...models, names: () => ["acme/claude-x", "anthropic/claude-x", "zeta/claude-x", "yeti/claude-x"] };
    expect(refusal("claud-x", { models: known })[1]).toEndWith(
      'did you mean "anthropic/claude-x" or "acme/claude-x" or "zeta/claude-x"?',
    );
  });

  test("a long name is cut in the message", () => {
    expect(refusal("m".repeat(100_000))[1]!.length).toBeLessThan(500);
  });
});
