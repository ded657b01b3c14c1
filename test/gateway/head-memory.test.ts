import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { labelOf, parseTarget } from "../../src/gateway/target.ts";
import { HostTable } from "../../src/plugin-host/hosts.ts";
import { RequestParser, type RequestSink } from "../../src/runtime/http/request-parser.ts";

const HEADS = 300;
const HEAD_BYTES = 50_000;

/** The value of `name` in a head that also has a key. */
function valueIn(name: string, value: string): string {
  let found: string | undefined;
  const sink: RequestSink = {
    onHead: ({ headers }) => {
      found = headers[headers.indexOf(name) + 1];
    },
    onData: () => {},
    onWhole: () => {},
  };
  const head = `GET / HTTP/1.1\r\n${name}: ${value}\r\nAuthorization: Bearer ${"k".repeat(HEAD_BYTES)}\r\n\r\n`;
  new RequestParser(2 * HEAD_BYTES, sink).execute(Buffer.from(head));
  return found!;
}

function heapBytes(): number {
  Bun.gc(true);
  const { heapSize, extraMemorySize } = heapStats();
  return Math.max(heapSize, extraMemorySize);
}

test.each<[string, (number: number) => void]>([
  ["Host", (number) => void labelOf(valueIn("Host", `host${number}.example.test`), "example.test")],
  ["target", (number) => void parseTarget(valueIn("Gateway-Target-Url", `https://api${number}.example.test`))],
])("a remembered %s does not keep the head that it came in", (_name, remember) => {
  const before = heapBytes();
  for (let number = 0; number < HEADS; number++) remember(number);
  expect(heapBytes() - before).toBeLessThan((HEADS * HEAD_BYTES) / 4);
});

const LONG = "long-".repeat(HEAD_BYTES / 5);
const hosts = new HostTable<number>();

test.each<[string, (number: number) => void]>([
  ["Host", (number) => void labelOf(`${LONG}${number}.example.test`, "example.test")],
  ["target", (number) => void parseTarget(`https://${LONG}${number}.example.test`)],
  ["host of a provider", (number) => void hosts.find(Buffer.from(`${LONG}${number}`).toString())],
])("a %s longer than any name is not remembered", (_name, remember) => {
  const before = heapBytes();
  for (let number = 0; number < HEADS; number++) remember(number);
  expect(heapBytes() - before).toBeLessThan((HEADS * HEAD_BYTES) / 4);
});
