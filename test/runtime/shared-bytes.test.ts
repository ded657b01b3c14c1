import { expect, test } from "bun:test";
import { connect, expose } from "../../src/runtime/rpc.ts";
import { joinedBytes } from "../../src/runtime/shared-bytes.ts";
import { threadPorts } from "../../src/runtime/thread.ts";

test.each([
  ["copied", 1_000],
  ["shared", 100_000],
])("joined bytes are %s for another thread by their size, and the same in either case", (how, length) => {
  const [first, second] = [Buffer.alloc(length, "a"), Buffer.alloc(3, "b")];
  const joined = joinedBytes([first, second]);
  expect(joined.buffer instanceof SharedArrayBuffer).toBe(how === "shared");
  expect(joined.equals(Buffer.concat([first, second]))).toBe(true);
  expect(joined.toString("utf8")).toBe(`${"a".repeat(length)}bbb`);
});

test("a small chunk alone is the result itself", () => {
  const chunk = Buffer.from("one");
  expect(joinedBytes([chunk])).toBe(chunk);
});

test("a result's buffers are moved where the function says so", async () => {
  const [here, there] = threadPorts();
  const made: Uint8Array[] = [];
  const body = () => {
    const bytes = new Uint8Array(3).fill(7);
    made.push(bytes);
    return { bytes };
  };
  expose(there as never, { body }, (result) => [(result as ReturnType<typeof body>).bytes.buffer as ArrayBuffer]);
  there.start();
  here.start();
  const { bytes } = await connect<{ body: typeof body }>(here as never).body();
  expect([...bytes]).toEqual([7, 7, 7]);
  expect(made.map(({ byteLength }) => byteLength)).toEqual([0]);
  here.close();
  there.close();
});
