import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readRoute } from "../../src/routing/read-route.ts";
import { shownRoute } from "../../src/routing/shown-route.ts";
import { assertProperty } from "../chance.ts";

const target = (model: string) => ({
  model,
  weight: 1,
  body: undefined,
  on: undefined,
  when: undefined,
  timeoutSeconds: undefined,
});
const route = (name: string, ...models: string[]) => ({ name, targets: models.map(target) });

describe("a route", () => {
  test("is targets, and defaults for all else", () => {
    expect(readRoute("fast", { targets: ["groq/llama-3.3-70b"] }, [])).toEqual({
      targets: [target("groq/llama-3.3-70b")],
      strategy: "order",
      sticky: "session",
      retries: 0,
      timeoutSeconds: undefined,
      description: undefined,
    });
  });

  test("keeps all that it is given, and is shown as it was sent", () => {
    const body = {
      targets: [
        { model: "azure:eu/gpt-4o", weight: 7, timeout_seconds: 20 },
        {
          model: "mistral/mistral-large-latest:floor",
          weight: 0,
          body: { temperature: 0, user: null },
          on: [429, "5xx", "auth"],
        },
        {
          model: "fast",
          weight: 1,
          when: {
            key: ["team-*"],
            user: ["u-1"],
            "property:Plan": ["free", "trial*"],
            needs: ["tools", "images"],
            max_input_tokens: 8_000,
            min_input_tokens: 10,
          },
        },
      ],
      strategy: "weighted" as const,
      sticky: "property:Plan",
      retries: 2,
      timeout_seconds: 60,
      description: "for support",
    };
    const read = readRoute("support", body, [route("fast", "groq/x")]);
    expect(shownRoute(read)).toEqual(body);
    expect(readRoute("support", shownRoute(read), [])).toEqual(read);
    expect(read.targets[2]!.when).toEqual({
      key: ["team-*"],
      user: ["u-1"],
      properties: { Plan: ["free", "trial*"] },
      needs: ["tools", "images"],
      maxInputTokens: 8_000,
      minInputTokens: 10,
    });
  });

  test("with a star hands it on, and takes a text for a list", () => {
    const read = readRoute(
      "claude-*",
      { targets: [{ model: "anthropic/claude-*", when: { "property:Plan": "free" } }] },
      [],
    );
    expect(read.targets[0]!.when).toEqual({ properties: { Plan: ["free"] } });
  });

  test.each([
    ["", "name"],
    ["a b", "name"],
    ["a,b", "name"],
    ["!a", "name"],
    ["a*b*", "name"],
    ["a\u0000", "name"],
    ["x".repeat(101), "name"],
  ])("is not called %p", (name, path) => {
    expect(() => readRoute(name, { targets: ["openai/x"] }, [])).toThrow(expect.objectContaining({ path }));
  });

  test.each([
    [{}, "targets", "missing"],
    [{ targets: [] }, "targets", "1 to 20"],
    [{ targets: Array.from({ length: 21 }, () => "a/b") }, "targets", "1 to 20"],
    [{ targets: ["a/b", 7] }, "targets.1", "model's name"],
    [{ targets: ["a/b,c/d"] }, "targets.0", "without spaces"],
    [{ targets: ["!openai"] }, "targets.0", "leading !"],
    [{ targets: ["openai/*"] }, "targets.0", "has none"],
    [{ targets: [{ model: "a/b", wieght: 1 }] }, "targets.0.wieght", "no such member"],
    [{ targets: [{ weight: 1 }] }, "targets.0.model", "missing"],
    [{ targets: [{ model: "a/b", weight: -1 }] }, "targets.0.weight", "0 to 1000000"],
    [{ targets: [{ model: "a/b", on: [200] }] }, "targets.0.on.0", "400 to 599"],
    [{ targets: [{ model: "a/b", on: ["6xx"] }] }, "targets.0.on.0", "one of 4xx"],
    [{ targets: [{ model: "a/b", on: [] }] }, "targets.0.on", "list of failures"],
    [{ targets: [{ model: "a/b", body: [] }] }, "targets.0.body", "object"],
    [{ targets: [{ model: "a/b", when: { plan: "x" } }] }, "targets.0.when.plan", "no such member"],
    [{ targets: [{ model: "a/b", when: { needs: ["voice"] } }] }, "targets.0.when.needs.0", "tools"],
    [{ targets: [{ model: "a/b", when: { user: 7 } }] }, "targets.0.when.user", "text"],
    [{ targets: [{ model: "a/b", when: { "property:P": 7 } }] }, "targets.0.when.property:P", "text"],
    [
      { targets: [{ model: "a/b", when: { max_input_tokens: 1, min_input_tokens: 2 } }] },
      "targets.0.when.min_input_tokens",
      "never",
    ],
    [{ targets: [{ model: "a/b", timeout_seconds: 0 }] }, "targets.0.timeout_seconds", "seconds"],
    [{ targets: ["a/b"], strategy: "random" }, "strategy", "order, weighted"],
    [{ targets: [{ model: "a/b", weight: 0 }], strategy: "weighted" }, "targets", "above 0"],
    [{ targets: ["a/b"], sticky: "key" }, "sticky", "property:<Name>"],
    [{ targets: ["a/b"], retries: 6 }, "retries", "0 to 5"],
    [{ targets: ["a/b"], timeout: 6 }, "timeout", "no such member"],
    [[], "", "object with targets"],
  ])("%p is refused at %s", (body, path, says) => {
    expect(() => readRoute("fast", body, [])).toThrow(
      expect.objectContaining({ code: "invalid_body", path, message: expect.stringContaining(says) }),
    );
  });

  test.each([
    ["names itself", "a", ["a"], [], "form a cycle: a → a; name the provider"],
    ["names itself with an order", "a", ["a:floor"], [], "form a cycle"],
    ["names one that names it", "a", ["b"], [route("b", "a")], "form a cycle: a → b → a"],
    ["closes a circle of three", "a", ["x/y", "b"], [route("b", "c"), route("c", "a")], "form a cycle: a → b → c → a"],
    ["names a route that is three deep", "a", ["b"], [route("b", "c"), route("c", "d"), route("d", "x/y")], "3 deep"],
    [
      "makes one that names it too deep",
      "c",
      ["d"],
      [route("a", "b"), route("b", "c"), route("d", "x/y")],
      "a → b → c → d",
    ],
    ["is a pattern that names itself", "a-*", ["a-*"], [], "form a cycle"],
  ])("that %s is refused", (_name, name, targets, others, says) => {
    expect(() => readRoute(name, { targets }, others)).toThrow(says);
  });

  test("may be three deep, and next to a circle of others", () => {
    readRoute("a", { targets: ["b"] }, [route("b", "c"), route("c", "x/y")]);
    readRoute("a", { targets: ["x/y"] }, [route("b", "c"), route("c", "b")]);
  });

  test("takes any JSON, or says what is wrong with it", () => {
    assertProperty(
      fc.property(fc.json(), fc.jsonValue(), (text, value) => {
        for (const body of [JSON.parse(text), { targets: [value] }, { targets: ["a/b"], sticky: value }]) {
          try {
            readRoute("fast", body, []);
          } catch (error) {
            expect(error).toMatchObject({ code: "invalid_body" });
          }
        }
      }),
    );
  });
});
