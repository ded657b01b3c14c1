import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { FINDERS, finderOf, isCard, isIban } from "../../plugins/redact/finders.ts";
import { redacted } from "../../plugins/redact/walk.ts";
import redact from "../../plugins/redact.ts";
import type { RecordDraft } from "../../src/plugin-host/contract.ts";
import { assertProperty } from "../chance.ts";
import { requestOf } from "./open.ts";
import { setUpPlugin } from "./set-up.ts";

const all = Object.values(FINDERS);
const clean = (text: string) => redacted(text, all).body;

describe("is found", () => {
  test.each([
    ["mail ann.lee+x@mail.example.co.uk now", "mail [email] now"],
    ["<ANN@EXAMPLE.COM>", "<[email]>"],
    ["card 4111 1111 1111 1111, thanks", "card [card], thanks"],
    ["5500-0000-0000-0004", "[card]"],
    ["378282246310005", "[card]"],
    ["IBAN DE89 3704 0044 0532 0130 00.", "IBAN [iban]."],
    ["gb82west12345698765432", "[iban]"],
    ["call +49 (0)89 1234567 today", "call [phone] today"],
    ["call (415) 555-0132", "call [phone]"],
    ["0044 20 7946 0958", "[phone]"],
    ["key sk-proj-abcdefghijklmnop1234", "key [key]"],
    ["AKIAIOSFODNN7EXAMPLE", "[key]"],
    ["ghp_abcdefghijklmnopqrstuvwxyz0123456789", "[key]"],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl", "[key]"],
    ["-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "[key]"],
  ])("%p", (text, expected) => {
    expect(clean(text)).toBe(expected);
  });
});

describe("is left", () => {
  test.each([
    ["a card whose check digit is wrong", "4111 1111 1111 1112"],
    ["an IBAN whose check digits are wrong", "DE88 3704 0044 0532 0130 00"],
    ["a time", "2026-11-22T21:00:00.123456789Z"],
    ["a decimal", "0.4111111111111111"],
    ["an address without a domain", "ann@localhost"],
    ["a decorator", "@app.get and user@"],
    ["a UUID", "0198c2f4-0000-7000-8000-000000000000"],
    ["a count", "call 12345 of 67890"],
    ["a file", `data:image/png;base64,${"A".repeat(50)}4111111111111111`],
  ])("%s", (_name, text) => {
    expect(clean(text)).toBe(text);
  });
});

test("check digits: changing one digit makes any card and IBAN invalid", () => {
  const valid = fc.constantFrom("4111111111111111", "5500000000000004", "378282246310005", "6011000990139424");
  assertProperty(
    fc.property(valid, fc.nat(14), fc.integer({ min: 1, max: 9 }), (card, at, by) => {
      const place = at % card.length;
      const changed = card.slice(0, place) + ((Number(card[place]) + by) % 10) + card.slice(place + 1);
      expect([isCard(card), isCard(changed)]).toEqual([true, false]);
    }),
  );
  assertProperty(
    fc.property(fc.integer({ min: 4, max: 21 }), fc.integer({ min: 1, max: 9 }), (at, by) => {
      const iban = "DE89370400440532013000";
      const changed = iban.slice(0, at) + ((Number(iban[at]) + by) % 10) + iban.slice(at + 1);
      expect([isIban(iban), isIban(changed)]).toEqual([true, false]);
    }),
  );
});

test("texts deep in any JSON are searched, and what holds nothing stays the same value", () => {
  const body = { a: [{ b: "x ann@example.com" }], c: { d: 1 }, e: "plain" };
  const { body: cleaned, names } = redacted(body, all);
  expect([cleaned, names]).toEqual([{ a: [{ b: "x [email]" }], c: { d: 1 }, e: "plain" }, ["email"]]);
  expect(cleaned.c).toBe(body.c);
  assertProperty(
    fc.property(fc.jsonValue(), (value) => {
      const found = redacted(value, []);
      expect(found.body).toBe(value);
    }),
  );
});

test("an expression of one's own is found wherever it stands in a long text", () => {
  const { replace } = finderOf("ticket", "TCK-\\d+");
  for (const at of [0, 15_360, 16_380, 16_384, 40_000]) {
    const text = `${" ".repeat(at)}TCK-12345${" ".repeat(50_000 - at)}`;
    let count = 0;
    const left = replace(text, () => {
      count += 1;
      return "[ticket]";
    });
    expect([count, left.trim(), left.length]).toEqual([1, "[ticket]", text.length - 1]);
  }
});

test.each(["(a+)+b", "(?:\\w*x)*y", "(a|b{2,})+c", "([a-z]+)*$", "a*", "("])(
  "the expression %p is refused",
  (pattern) => {
    expect(() => finderOf("mine", pattern)).toThrow();
  },
);

const body = { model: "m", messages: [{ role: "user", content: "I am ann@example.com" }] };

test("in what is sent, only the members change in which something was found", async () => {
  const { onRequest, needs } = await setUpPlugin(redact, { in: ["send"] });
  expect(needs).toEqual(["body"]);
  expect(await onRequest!(requestOf({ body }))).toEqual({
    send: { body: { messages: [{ role: "user", content: "I am [email]" }] } },
  });
  expect(await onRequest!(requestOf({ body: { model: "m" } }))).toBeUndefined();
  expect(await onRequest!(requestOf({ body: undefined }))).toBeUndefined();
});

test("a refusal names what was found, and does not repeat it", async () => {
  const { onRequest } = await setUpPlugin(redact, { in: ["refuse"], find: ["email"] });
  const refusal = await onRequest!(requestOf({ body }));
  expect(refusal).toMatchObject({ status: 400, code: "personal_data", message: expect.stringContaining("email") });
  expect(JSON.stringify(refusal)).not.toContain("ann@");
  expect(await onRequest!(requestOf({ body: { a: "4111111111111111" } }))).toBeUndefined();
});

test("in records, both bodies are cleaned, text that is no JSON as well", async () => {
  const { onRecord, onRequest } = await setUpPlugin(
    redact,
    { in: ["record"], patterns: { ticket: "TCK-\\d+" } },
    "recorder",
  );
  const draft = { request_body: body, response_body: "TCK-1 for bob@example.com" } as RecordDraft;
  await onRecord!(draft);
  expect(draft).toMatchObject({
    request_body: { messages: [{ content: "I am [email]" }] },
    response_body: "[ticket] for [email]",
  });
  expect(onRequest).toBeUndefined();
});

test("it does nothing until places are configured", async () => {
  expect(await setUpPlugin(redact, {})).toEqual({});
  expect(await setUpPlugin(redact, {}, "recorder")).toEqual({});
  await expect(setUpPlugin(redact, { in: ["records"] })).rejects.toThrow("in.0");
});
