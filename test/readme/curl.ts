#!/usr/bin/env bun
// What the README asks of curl, for machines that have none: URL, -H, -d, -X, -i; status 22 for an HTTP error.
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    header: { type: "string", short: "H", multiple: true, default: [] },
    data: { type: "string", short: "d" },
    request: { type: "string", short: "X" },
    include: { type: "boolean", short: "i" },
  },
});
const headers = values.header.map((header): [string, string] => {
  const [name = "", ...rest] = header.split(":");
  return [name, rest.join(":").trim()];
});
const method = values.request ?? (values.data === undefined ? "GET" : "POST");
const response = await fetch(positionals[0]!, { method, headers, ...(values.data && { body: values.data }) });
if (values.include) for (const [name, value] of response.headers) console.log(`${name}: ${value}`);
console.log(await response.text());
process.exit(response.ok ? 0 : 22);
