import { expect, test } from "bun:test";
import { knownHeaders } from "../../src/recorder/prepare/known-headers.ts";

test.each([
  [["CF-IPCountry", "de"], "DE"],
  [["x-vercel-ip-country", "US"], "US"],
  [["CF-IPCountry", "XX"], undefined],
  [["CF-IPCountry", "T1"], undefined],
  [["CF-IPCountry", "DE; drop"], undefined],
  [["CF-IPCountry", "XX", "X-Geo-Country", " fr ", "X-Country-Code", "US"], "FR"],
  [["Content-Type", "DE"], undefined],
])("the country of %j is %p", (headers, country) => {
  expect(knownHeaders(headers).country).toBe(country);
});

test("the last content type and referrer count, content codings are joined", () => {
  const headers = ["Content-Type", "a/b", "Referer", "x", "Content-Encoding", "gzip"];
  headers.push("content-type", "caf\xc3\xa9", "referer", "y", "CONTENT-ENCODING", "br");
  expect(knownHeaders(headers)).toEqual({
    contentType: "café",
    contentEncoding: "gzip, br",
    referrer: "y",
    country: undefined,
  });
});

test("names that begin like a wanted one, and those of objects, are others", () => {
  const nothing = { contentType: undefined, contentEncoding: undefined, referrer: undefined, country: undefined };
  expect(knownHeaders(["content-tape", "a", "constructor", "b", "__proto__", "c", "", "d"])).toEqual(nothing);
});

test("many lists in turn are not mistaken for each other", () => {
  const lists = Array.from({ length: 9 }, (_, at) => ["content-type", String(at)]);
  const types = [...lists, ...lists.toReversed()].map((list) => knownHeaders(list).contentType);
  expect(types.join("")).toBe("012345678876543210");
});
