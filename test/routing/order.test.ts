import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readModelString } from "../../src/routing/model-string.ts";
import { type OrderParts, order, speedKey } from "../../src/routing/order.ts";
import { resolve } from "../../src/routing/resolve.ts";
import type { Route } from "../../src/routing/route.ts";
import type { Scope } from "../../src/routing/scope.ts";
import { assertProperty } from "../chance.ts";
import { credential, demand, orderParts, pseudoRandom, route, scope, target } from "./things.ts";

const ordered = (
  model: string,
  routes: readonly Route[],
  more: Partial<OrderParts> = {},
  within: Partial<Scope> = {},
) => order(resolve(readModelString(model), scope({ routes, ...within })), orderParts(more));
const models = (...given: Parameters<typeof ordered>) => ordered(...given).map(({ model }) => model);

/** The key under which the speed of a model is kept. */
const keyOf = (model: string) => speedKey(ordered(model, [])[0]!);

const three = ["openai/a", "groq/b", "anthropic/c"];

test("order calls the targets as they are written", () => {
  expect(models("r", [route("r", three)])).toEqual(["a", "b", "c"]);
});

describe("weighted", () => {
  const weights = [
    target("openai/a", { weight: 7 }),
    target("groq/b", { weight: 3 }),
    target("anthropic/c", { weight: 0 }),
  ];
  const routes = [route("r", weights, { strategy: "weighted" })];

  test("sessions are distributed by weight, and weight 0 is only a fallback", () => {
    const first: Record<string, number> = { a: 0, b: 0, c: 0 };
    for (let session = 0; session < 2_000; session++) {
      const found = models("r", routes, { demand: demand({ session: `s${session}` }) });
      first[found[0]!]!++;
      expect(found[2]).toBe("c");
    }
    expect(first["a"]! / 2_000).toBeCloseTo(0.7, 1);
    expect(first["c"]).toBe(0);
  });

  test("without a session, by chance", () => {
    const random = pseudoRandom(1);
    const first = Array.from({ length: 2_000 }, () => models("r", routes, { random })[0]);
    expect(first.filter((model) => model === "a").length / 2_000).toBeCloseTo(0.7, 1);
  });

  test("a session stays with its target when another one goes", () => {
    assertProperty(
      fc.property(fc.string(), (session) => {
        const all = [
          route(
            "r",
            three.map((model) => target(model)),
            { strategy: "weighted" },
          ),
        ];
        const found = models("r", all, { demand: demand({ session }) });
        const gone = three.filter((model) => !model.endsWith(`/${found[2]}`));
        const fewer = [
          route(
            "r",
            gone.map((model) => target(model)),
            { strategy: "weighted" },
          ),
        ];
        expect(models("r", fewer, { demand: demand({ session }) })).toEqual(found.slice(0, 2));
      }),
    );
  });

  test("the reason is the weight, or that it is sticky", () => {
    expect(ordered("r", routes)[0]!.reason).toMatch(/^weight [73]\/10$/);
    expect(ordered("r", routes, { demand: demand({ session: "s" }) })[0]!.reason).toBe("sticky");
  });

  test.each([
    ["user", { user: "ada" }],
    ["property:Plan", { properties: { Plan: "free" } }],
  ] as const)("sticky by %s", (sticky, more) => {
    const sticks = [route("r", weights, { strategy: "weighted", sticky })];
    expect(ordered("r", sticks, { demand: demand(more) })[0]!.reason).toBe("sticky");
    expect(ordered("r", sticks, { demand: demand({ session: "s" }) })[0]!.reason).not.toBe("sticky");
  });
});

describe("cheapest", () => {
  const prices: Record<string, number> = { a: 3, b: 1 };
  const priceOf: OrderParts["priceOf"] = ({ model }) => prices[model];

  test("by price, unknown ones last", () => {
    const routes = [route("r", ["anthropic/c", "openai/a", "groq/b"], { strategy: "cheapest" })];
    expect(models("r", routes, { priceOf })).toEqual(["b", "a", "c"]);
    expect(models("openai/a,groq/b", [], { priceOf })).toEqual(["a", "b"]);
  });

  test(":floor selects it", () => {
    expect(models("r:floor", [route("r", three)], { priceOf })).toEqual(["b", "a", "c"]);
  });

  test("the client's limit is the output, else the median of the day, else 1,000", () => {
    const outputs: number[] = [];
    const noting: OrderParts["priceOf"] = (_target, _input, output) => {
      outputs.push(output);
      return 1;
    };
    const parts = orderParts({ priceOf: noting });
    for (const outputTokens of [10, 30, 20])
      parts.speeds.note(keyOf("openai/a"), { totalMs: 1, outputTokens }, parts.now);
    const routes = [route("r", ["openai/a", "groq/b"], { strategy: "cheapest" })];
    order(resolve(readModelString("r"), scope({ routes })), parts);
    order(resolve(readModelString("r"), scope({ routes })), { ...parts, demand: demand({ maxTokens: 5 }) });
    expect(outputs).toEqual([20, 1_000, 5, 5]);
  });

  test("the choice of a session is kept for an hour after its last use", () => {
    const routes = [route("r", ["openai/a", "groq/b"], { strategy: "cheapest" })];
    const parts = orderParts({ priceOf, demand: demand({ session: "s" }) });
    const at = (now: number, change: OrderParts["priceOf"]) =>
      order(resolve(readModelString("r"), scope({ routes })), { ...parts, now, priceOf: change })[0]!;
    const turned: OrderParts["priceOf"] = ({ model }) => -prices[model]!;
    expect(at(0, priceOf).model).toBe("b");
    expect(at(3_000_000, turned)).toMatchObject({ model: "b", reason: "sticky" });
    expect(at(6_000_000, turned).model).toBe("b");
    expect(at(9_600_000, turned)).toMatchObject({ model: "a", reason: "cheapest" });
  });
});

describe("fastest", () => {
  const routes = [route("r", three, { strategy: "fastest" })];
  const noted = () => {
    const parts = orderParts({ demand: demand({ stream: true }) });
    for (let i = 0; i < 5; i++) {
      parts.speeds.note(keyOf("openai/a"), { firstTokenMs: 90, totalMs: 1 }, parts.now);
      parts.speeds.note(keyOf("groq/b"), { firstTokenMs: 10, totalMs: 1 }, parts.now);
    }
    return parts;
  };
  const found = (parts: OrderParts) =>
    order(resolve(readModelString("r"), scope({ routes })), parts).map(({ model }) => model);

  test("two credentials of one provider are measured separately", () => {
    const credentials = [credential("AWS", "far"), credential("AWS", "near")];
    const one = route("r", ["aws:far/m", "aws:near/m"], { strategy: "fastest" });
    const parts = orderParts();
    const list = () => order(resolve(readModelString("r"), scope({ routes: [one], credentials })), parts);
    const nameOf = ({ credentials: [only] }: { credentials: readonly { name: string }[] }) => only!.name;
    for (const target of list())
      for (let i = 0; i < 5; i++)
        parts.speeds.note(
          speedKey(target),
          { totalMs: nameOf(target) === "far" ? 90 : 10, outputTokens: 1 },
          parts.now,
        );
    expect(list().map(nameOf)).toEqual(["near", "far"]);
  });

  test("by the median to the first token; too few samples count as fastest", () => {
    expect(found(noted())).toEqual(["c", "b", "a"]);
  });

  test("samples older than ten minutes do not count", () => {
    const parts = noted();
    expect(found({ ...parts, now: parts.now + 600_001 })).toEqual(["a", "b", "c"]);
  });

  test("one request in twenty goes elsewhere", () => {
    const parts = noted();
    const random = pseudoRandom(7);
    const first = Array.from({ length: 2_000 }, () => found({ ...parts, random })[0]);
    const share = first.filter((model) => model !== "c").length / 2_000;
    expect(share).toBeGreaterThan(0.03);
    expect(share).toBeLessThan(0.07);
  });
});

describe("conditions", () => {
  const free = target("groq/b", { when: { properties: { Plan: ["free", "trial-*"] } } });
  test.each([
    [{ properties: { Plan: "free" } }, undefined],
    [{ properties: { Plan: "trial-7" } }, undefined],
    [{ properties: { plan: "free" } }, "property:Plan"],
    [{}, "property:Plan"],
  ])("a target is considered only if all hold: %p", (more, skipped) => {
    const [first] = ordered("r", [route("r", [free])], { demand: demand(more) });
    expect(first?.skipped).toBe(skipped);
  });

  test.each([
    ["key", { key: ["ci"] }, {}, undefined],
    ["key id", { key: ["key-*"] }, {}, undefined],
    ["another key", { key: ["prod"] }, {}, "key"],
    ["user", { user: ["a*"] }, { user: "ada" }, undefined],
    ["no user", { user: ["a*"] }, {}, "user"],
    ["needs", { needs: ["tools"] as const }, { needs: ["tools"] as const }, undefined],
    ["lacking needs", { needs: ["tools", "images"] as const }, { needs: ["tools"] as const }, "needs images"],
    ["small", { maxInputTokens: 100 }, {}, undefined],
    ["large", { maxInputTokens: 99 }, {}, "max_input_tokens"],
    ["too small", { minInputTokens: 101 }, {}, "min_input_tokens"],
  ])("%s", (_what, when, more, skipped) => {
    const [first] = ordered("r", [route("r", [target("openai/a", { when })])], { demand: demand(more) });
    expect(first?.skipped).toBe(skipped);
  });
});

test("a nested route without retries and time limit has those of what leads to it", () => {
  const routes = [
    route("inner", ["openai/a", target("groq/b", { timeoutSeconds: 1 })]),
    route("middle", [target("inner", { timeoutSeconds: 7 })], { timeoutSeconds: 8 }),
    route("outer", ["middle", "anthropic/c"], { retries: 3, timeoutSeconds: 9 }),
  ];
  expect(
    ordered("outer", routes).map(({ model, retries, timeoutSeconds }) => [model, retries, timeoutSeconds]),
  ).toEqual([
    ["a", 3, 7],
    ["b", 3, 1],
    ["c", 3, 9],
  ]);
});

test("a nested route keeps its own order, in its place, with the outer one's name", () => {
  const routes = [
    route("inner", ["openai/a", "groq/b"], { retries: 2, timeoutSeconds: 9 }),
    route("outer", [target("inner", { on: [429] }), "anthropic/c"]),
  ];
  expect(
    ordered("outer", routes).map(({ model, route, retries, timeoutSeconds, path }) => [
      model,
      route,
      retries,
      timeoutSeconds,
      path.length,
    ]),
  ).toEqual([
    ["a", "outer", 2, 9, 2],
    ["b", "outer", 2, 9, 2],
    ["c", "outer", 0, undefined, 1],
  ]);
});
