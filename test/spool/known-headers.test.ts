import { expect, test } from "bun:test";
import { HeaderList } from "../../src/spool/header-list.ts";

test.each([
  [["CF-IPCountry", "de"], "DE"],
  [["x-vercel-ip-country", "US"], "US"],
  [["CF-IPCountry", "XX"], undefined],
  [["CF-IPCountry", "T1"], undefined],
  [["CF-IPCountry", "DE; drop"], undefined],
  [["CF-IPCountry", "XX", "X-Geo-Country", " fr ", "X-Country-Code", "US"], "FR"],
  [["Content-Type", "DE"], undefined],
])("the country of %j is %p", (headers, country) => {
  expect(HeaderList.of(headers).known.country).toBe(country);
});

test("the last content type and referrer count, content codings are joined", () => {
  const headers = ["Content-Type", "a/b", "Referer", "x", "Content-Encoding", "gzip"];
  headers.push("content-type", "caf\xc3\xa9", "referer", "y", "CONTENT-ENCODING", "br");
  expect(HeaderList.of(headers).known).toEqual({
    contentType: "caf\xc3\xa9",
    contentEncoding: "gzip, br",
    referrer: "y",
    country: undefined,
  });
});

test("names that begin like a wanted one, and those of objects, are others", () => {
  const nothing = { contentType: undefined, contentEncoding: undefined, referrer: undefined, country: undefined };
  expect(HeaderList.of(["content-tape", "a", "constructor", "b", "__proto__", "c", "", "d"]).known).toEqual(nothing);
});
