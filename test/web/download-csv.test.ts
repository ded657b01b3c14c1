import { expect, test } from "bun:test";
import { csvCell, csvColumns, csvHead, csvLines } from "../../src/web/download/csv.ts";

test.each([
  [null, ""],
  [undefined, ""],
  ["", '""'],
  ["plain", "plain"],
  ['say "hi"', '"say ""hi"""'],
  ["a,b", '"a,b"'],
  ["two\nlines", '"two\nlines"'],
  ["=1+1", "'=1+1"],
  ["@x,y", `"'@x,y"`],
  ["\tx", "'\tx"],
  [-3.5, "-3.5"],
  [true, "true"],
  [{ a: [1] }, '"{""a"":[1]}"'],
])("%p is the cell %p of a table", (value, cell) => {
  expect(csvCell(value)).toBe(cell);
});

test("a table has the members of a record but its links, and the properties and scores that are shown", () => {
  const row = {
    request_id: "r1",
    properties: { Team: "blue", constructor: "x" },
    scores: { helpful: 0.5 },
    asset_urls: {},
    signed_body_url: "https://…",
  };
  const columns = csvColumns(row, { properties: ["Team", "toString"], scores: ["helpful"] });
  expect(csvHead(columns)).toBe("request_id,properties,scores,property:Team,property:toString,score:helpful\r\n");
  expect(csvLines(columns, [row])).toBe(
    'r1,"{""Team"":""blue"",""constructor"":""x""}","{""helpful"":0.5}",blue,,0.5\r\n',
  );
});

test("a table without a record has a head", () => {
  expect(csvHead(csvColumns(undefined, { properties: [], scores: [] }))).toBe("request_id\r\n");
});
