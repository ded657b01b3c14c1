import { afterEach, beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import fc from "fast-check";
import { Counts } from "../../plugins/domains/counts.ts";
import { type Action, readDomain, STEPS, type State } from "../../plugins/domains/decisions.ts";
import domains from "../../plugins/domains.ts";
import type { Json } from "../../src/plugin-host/contract.ts";
import { Journal } from "../../src/plugin-host/host/journal.ts";
import { assertProperty } from "../chance.ts";
import { temporaryDirectory } from "../directory.ts";
import { keptLog } from "../plugin-host/folder.ts";
import { COMPLETE, openPlugin, REFUSED, requestOf } from "./open.ts";

const MIDNIGHT = Date.UTC(2026, 0, 2);

// A day and a second are over when a test says so.
beforeEach(() => void setSystemTime(new Date("2026-11-29T12:00:00Z")));
afterEach(() => void setSystemTime());

describe("a domain", () => {
  test.each([
    ["Example.COM", "example.com"],
    [" example.com. ", "example.com"],
    ["example.com..", "example.com"],
    ["münchen.de", "xn--mnchen-3ya.de"],
    ["127.0.0.1", "127.0.0.1"],
    ["2130706433", "127.0.0.1"],
    ["::1", "::1"],
    ["[2001:DB8::0:1]", "2001:db8::1"],
    ["my_host", "my_host"],
    ["", undefined],
    ["example.com:443", undefined],
    ["https://example.com", undefined],
    ["example.com/path", undefined],
    ["user@example.com", undefined],
    ["*.example.com", undefined],
    ["example..com", undefined],
    ["exa mple.com", undefined],
    ["example.com#x", undefined],
    ["a%2eb", undefined],
    ["[example.com]", undefined],
    [`${"a".repeat(250)}.com`, undefined],
  ])("%p is read as %p", (text, domain) => {
    expect(readDomain(text)).toBe(domain);
  });

  const table: readonly [State, Partial<Record<Action, State>>][] = [
    ["unapproved", { request: "pending", approve: "approved", deny: "denied" }],
    ["pending", { request: "pending", prove: "approved", approve: "approved", deny: "denied" }],
    ["approved", { approve: "approved", deny: "denied", revoke: "revoked" }],
    ["revoked", { request: "pending", approve: "approved", deny: "denied" }],
    ["denied", { approve: "approved", deny: "denied" }],
  ];
  test.each(table)("that is %s can go this way and no other", (state, ways) => {
    for (const [action, { from, to }] of Object.entries(STEPS)) {
      expect([action, from.includes(state) ? to : undefined]).toEqual([action, ways[action as Action]]);
    }
  });

  test("keeps the history of what was done with it, and what was decided outlives a restart", async () => {
    await using it = await openPlugin(domains);
    const act = (action: string, body?: Json) =>
      it.call("POST", `/v1/domains/:domain/${action}`, { domain: "A.test." }, body);
    await it.call("POST", "/v1/domains/approval-requests", {}, { domain: "a.test", company: "Acme" });
    await act("approve", { private: true });
    expect(it.host.privateTargets()).toEqual(["a.test"]);
    expect((await act("revoke")).data.private).toBe(false);
    expect(it.host.privateTargets()).toEqual([]);
    const { data } = await act("deny");
    expect(data.history.map(({ from, to, by }: Json) => [from, to, by])).toEqual([
      ["unapproved", "pending", "tester"],
      ["pending", "approved", "tester"],
      ["approved", "revoked", "tester"],
      ["revoked", "denied", "tester"],
    ]);
    await using again = await openPlugin(domains, { from: it });
    expect(await again.hooks.onRequest!(requestOf({ host: "a.test" }))).toMatchObject({
      status: 403,
      code: "target_forbidden",
    });
  });

  test.each([
    ["127.0.0.1", ["127.0.0.1:11434"], "approved"],
    ["127.0.0.2", ["127.0.0.1"], "unapproved"],
    ["10.1.2.3", ["10.0.0.0/8"], "approved"],
    ["::1", ["[::1]:11434"], "approved"],
    ["localhost", ["127.0.0.1:11434"], "approved"],
    ["models.localhost", ["::1"], "approved"],
    ["localhost", ["10.0.0.0/8"], "unapproved"],
    ["ollama.lan", ["ollama.lan:11434"], "approved"],
    ["ollama.lan", ["10.0.0.0/8"], "unapproved"],
    ["example.com", ["127.0.0.1"], "unapproved"],
  ])("%s with %j opened is %3$s", async (domain, allowed, state) => {
    await using it = await openPlugin(domains, { config: { allow_private_targets: allowed } });
    const { data } = await it.call("GET", "/v1/domains/:domain", { domain });
    expect(data).toMatchObject({ state, source: state === "approved" ? "configuration" : null });
  });

  test.each([
    ["127.0.0.1:11434", "; did you mean 127.0.0.1?"],
    ["http://LLM.example.com/v1", "; did you mean llm.example.com?"],
    ["http://[::1]:8080", "; did you mean ::1?"],
    ["no domain", ""],
  ])("%p is refused, with the domain in it if there is one", async (domain, hint) => {
    await using it = await openPlugin(domains);
    const { message } = await it.call("POST", "/v1/domains/approval-requests", {}, { domain, company: "Acme" });
    expect(message).toBe(`a domain is a host name or address without scheme, port and path${hint}`);
  });

  test.each<[Json, number, string | undefined]>([
    [{ domain: "a.test", company: "Acme" }, 200, undefined],
    [{ domain: "a.test", personal: true }, 200, undefined],
    [{ domain: "a.test" }, 400, "company"],
    [{ domain: "a.test", personal: false }, 400, "company"],
    [{ domain: "a.test", company: "Acme", personal: true }, 400, "company"],
    [{ domain: "a.test", company: "" }, 400, "company"],
    [{ domain: "a.test", company: " \t" }, 400, "company"],
    [{ domain: "http://a.test", company: "Acme" }, 400, "domain"],
    [{ domain: "127.0.0.1", personal: true }, 400, "domain"],
    [{ company: "Acme" }, 400, undefined],
    [{ domain: "a.test", company: "Acme", more: 1 }, 400, undefined],
    [undefined, 400, undefined],
  ])("is requested with a valid body, else 400: %#", async (body, status, path) => {
    await using it = await openPlugin(domains);
    const response = await it.call("POST", "/v1/domains/approval-requests", {}, body);
    expect(response.status ?? 200).toBe(status);
    if (path !== undefined) expect(response.path).toBe(path);
    if (status === 200) expect(response.data.state).toBe("pending");
    if (body?.personal && status === 200) {
      expect(response.data).toMatchObject({
        txt_name: "_weir-challenge.a.test",
        txt_value: expect.stringMatching(/^[\w-]{32}$/),
      });
    }
  });

  test("keeps both of two steps that are taken at once", async () => {
    await using it = await openPlugin(domains);
    const act = (action: string) => it.call("POST", `/v1/domains/:domain/${action}`, { domain: "a.test" });
    await Promise.all([act("approve"), act("revoke"), act("deny")]);
    const { data } = await it.call("GET", "/v1/domains/:domain", { domain: "a.test" });
    expect(data.history.map(({ action }: Json) => action)).toEqual(["approve", "revoke", "deny"]);
  });

  test("requested by one organization is visible to it and the operator only", async () => {
    await using it = await openPlugin(domains);
    const as = (organizationId: string, operator = false) => ({ organizationId, operator });
    await it.call("POST", "/v1/domains/approval-requests", {}, { domain: "a.test", personal: true }, as("one"));
    const seen = async (who: Json) =>
      (await it.call("GET", "/v1/domains", {}, undefined, who)).data.map(({ domain }: Json) => domain);
    expect(await seen(as("one"))).toEqual(["a.test"]);
    expect(await seen(as("two"))).toEqual([]);
    expect(await seen(as("boss", true))).toEqual(["a.test"]);
    const other = await it.call("GET", "/v1/domains/:domain", { domain: "a.test" }, undefined, as("two"));
    expect(other.data).toMatchObject({ state: "unapproved", history: [] });
    expect(JSON.stringify(other)).not.toContain("txt_value");
    expect(
      await it.call("POST", "/v1/domains/:domain/verify", { domain: "a.test" }, undefined, as("two")),
    ).toMatchObject({ status: 409, code: "domain_state" });
    expect(
      (await it.call("POST", "/v1/domains/:domain/approve", { domain: "a.test" }, undefined, as("two"))).status,
    ).toBe(403);
  });

  test("is matched whole: no prefix, suffix or parent of an approved one is approved", async () => {
    await using it = await openPlugin(domains, { options: { approved: ["A.test", "10.0.0.1"] } });
    const isLimited = async (host: string, owner?: string) => {
      const verdicts = [0, 1].map(() => it.hooks.onForward!(requestOf({ host, ...(owner && { owner }) })));
      return (verdicts[1] as Json)?.status === 429;
    };
    for (const host of ["a.test", "a.test.", "10.0.0.1"]) expect([host, await isLimited(host)]).toEqual([host, false]);
    for (const host of ["b.a.test", "a.test.evil.test", "xa.test", "test", "10.0.0.10"]) {
      expect([host, await isLimited(host)]).toEqual([host, true]);
    }
    expect(await isLimited("of-a-provider.test", "ACME")).toBe(false);
  });

  test("of a provider is approved until somebody decides otherwise", async () => {
    await using it = await openPlugin(domains, { providerHosts: ["api.acme.test", "*.acme.test", "x-*.b.test"] });
    const state = async (domain: string) => (await it.call("GET", "/v1/domains/:domain", { domain })).data.state;
    for (const host of ["api.acme.test", "deep.er.acme.test", "x-1.b.test"]) expect(await state(host)).toBe("approved");
    for (const host of ["acme.test", "notacme.test", "x-1.2.b.test", "acme.test.evil"])
      expect(await state(host)).toBe("unapproved");
    await it.call("POST", "/v1/domains/:domain/revoke", { domain: "api.acme.test" });
    const verdicts = [0, 1].map(() => it.hooks.onForward!(requestOf({ host: "api.acme.test", owner: "ACME" })) as Json);
    expect(verdicts.map((response) => response?.status ?? 200)).toEqual([200, 429]);
  });
});

describe("an unapproved domain", () => {
  const open = (path: string) => {
    const journal = new Journal(`${path}/counts.jsonl`, keptLog().log);
    return { journal, counts: new Counts(journal) };
  };

  test("is not locked by a clock that jumps, and its counts do not stay for ever", () => {
    const jumps = fc.array(fc.constantFrom(1_000, 86_400_000, 730 * 86_400_000, -60_000, -86_400_000), {
      minLength: 1,
      maxLength: 40,
    });
    assertProperty(
      fc.property(jumps, (steps) => {
        using directory = temporaryDirectory();
        let { counts } = open(directory.path);
        let now = MIDNIGHT;
        for (const [at, by] of steps.entries()) {
          now += by;
          expect(counts.take({ id: `r${at}`, organization: "one", host: "a.test" }, now)).toBeUndefined();
          counts.end(`r${at}`, true);
        }
        expect(counts.today("one", now).get("a.test")).toBeLessThanOrEqual(steps.length);
        expect(counts.today("one", now + 86_400_000).size).toBe(0);
        counts.close();
        ({ counts } = open(directory.path));
        expect(counts.today("one", now + 86_400_000).size).toBe(0);
        counts.close();
      }),
      { numRuns: 50 },
    );
  });

  test("gets a request a second and 10,000 a day, whatever the requests: a plain list of admissions says the same", () => {
    const step = fc.record({
      waitMs: fc.oneof(fc.constantFrom(0, 1, 999, 1_000, 1_001), fc.nat(3_000)),
      host: fc.constantFrom("a.test", "b.test"),
      organization: fc.constantFrom("one", "two"),
      refusedElsewhere: fc.boolean(),
    });
    assertProperty(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        using directory = temporaryDirectory();
        const { counts } = open(directory.path);
        const admitted: { key: string; at: number }[] = [];
        let now = MIDNIGHT - 60_000;
        for (const [at, { waitMs, host, organization, refusedElsewhere }] of steps.entries()) {
          now += waitMs;
          const key = `${organization} ${host}`;
          const fits = !admitted.some((one) => one.key === key && one.at > now - 1_000);
          const rule = counts.take({ id: `r${at}`, organization, host }, now);
          expect(rule?.text).toBe(fits ? undefined : "1 request per second");
          if (fits && !refusedElsewhere) admitted.push({ key, at: now });
          counts.end(`r${at}`, !refusedElsewhere);
        }
        const day = Math.floor(now / 86_400_000);
        const today = admitted.filter(({ key, at }) => key === "one a.test" && Math.floor(at / 86_400_000) === day);
        expect(counts.today("one", now).get("a.test") ?? 0).toBe(today.length);
      }),
      { numRuns: 60 },
    );
  });

  test("is closed after 10,000 requests until midnight, also after a restart", async () => {
    using directory = temporaryDirectory();
    const first = open(directory.path);
    // The journal is read against the clock of today.
    const day = Math.floor(Date.now() / 86_400_000) * 86_400_000;
    for (let at = 0; at < 10_000; at++)
      expect(first.counts.take({ id: `r${at}`, organization: "o", host: "a.test" }, day + at * 1_000)).toBeUndefined();
    const late = day + 20_000_000;
    expect(first.counts.take({ id: "x", organization: "o", host: "a.test" }, late)).toEqual({
      text: "10,000 requests per UTC day",
      seconds: 66_400,
    });
    expect(first.counts.take({ id: "y", organization: "o", host: "b.test" }, late)).toBeUndefined();
    expect(first.counts.take({ id: "z", organization: "p", host: "a.test" }, late)).toBeUndefined();
    await new Promise((resolve) => setImmediate(resolve));

    const second = open(directory.path);
    expect(second.counts.today("o", late)).toEqual(
      new Map([
        ["a.test", 10_000],
        ["b.test", 1],
      ]),
    );
    expect(second.counts.take({ id: "x", organization: "o", host: "a.test" }, day + 86_399_000)?.seconds).toBe(1);
    expect(second.counts.take({ id: "x", organization: "o", host: "a.test" }, day + 86_400_000)).toBeUndefined();
  });

  test("is refused with Retry-After, the rule and what to do; what is refused counts for nothing", async () => {
    await using it = await openPlugin(domains);
    const ask = () => it.hooks.onForward!(requestOf({ host: "a.test" })) as Json;
    expect(ask()).toBeUndefined();
    const refusal = ask();
    expect(refusal).toMatchObject({ status: 429, code: "rate_limited", headers: { "Retry-After": "1" } });
    expect(refusal.message).toContain("1 request per second");
    expect(refusal.message).toContain(
      "weir domains approve a.test, or ask for approval: POST /v1/domains/approval-requests",
    );
    const { data } = await it.call("GET", "/v1/domains/:domain", { domain: "a.test" });
    expect(data).toMatchObject({ state: "unapproved", requests_today: 1, remaining_today: 9_999 });
    expect(data.resets_at).toMatch(/T00:00:00\.000Z$/);
  });

  test("of ever new names is refused once too many are counted, approved ones continue", () => {
    using directory = temporaryDirectory();
    const { counts } = open(directory.path);
    const now = Date.now();
    for (let at = 0; at < 20_000; at++) counts.take({ id: `r${at}`, organization: "o", host: `h${at}.test` }, now);
    expect(counts.take({ id: "x", organization: "o", host: "one-more.test" }, now)?.text).toContain(
      "no request while 20,000 other domains",
    );
    counts.show("o", "one-more.test", 1, now); // passed on, and not counted
    counts.show("o", "h7.test", 2, now);
    expect([counts.today("o", now).get("one-more.test"), counts.today("o", now).get("h7.test")]).toEqual([
      undefined,
      3,
    ]);
    expect(counts.take({ id: "x", organization: "other", host: "one-more.test" }, now)).toBeUndefined();
    counts.close();
  });

  test("gets back what a request took that another rule refused", async () => {
    await using it = await openPlugin(domains);
    const first = requestOf({ host: "a.test" });
    it.hooks.onForward!(first);
    it.hooks.onEnd!({ id: first.id, ...REFUSED });
    const second = requestOf({ host: "a.test" });
    expect(it.hooks.onForward!(second)).toBeUndefined();
    it.hooks.onEnd!({ id: second.id, ...COMPLETE });
    expect((it.hooks.onForward!(requestOf({ host: "a.test" })) as Json).status).toBe(429);
  });
});
