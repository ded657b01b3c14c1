import { expect, test } from "bun:test";
import { streamText } from "../../src/api/requests/stream-text.ts";

const PIECE = "é".repeat(20_000);

/** So many pieces, and then the failure, where there is one. */
async function* pieces(count: number, failure?: Error): AsyncGenerator<string> {
  for (let made = 0; made < count; made++) yield PIECE;
  if (failure !== undefined) throw failure;
}

test.each([0, 1, 52, 53, 54, 400])(
  "a response of %d pieces arrives whole, and no failure is reported",
  async (count) => {
    const broken: unknown[] = [];
    const response = await streamText(pieces(count), { "x-more": "1" }, (error) => broken.push(error));
    expect(await response.text()).toBe(PIECE.repeat(count));
    expect(response.headers.get("x-more")).toBe("1");
    expect(broken).toEqual([]);
  },
);

test("a failure before the first byte is thrown to the caller", async () => {
  const broken: unknown[] = [];
  const failure = new Error("no such table");
  await expect(streamText(pieces(2, failure), {}, (error) => broken.push(error))).rejects.toBe(failure);
  expect(broken).toEqual([]);
});

test("a failure after the first byte aborts the response, and is reported once", async () => {
  const broken: unknown[] = [];
  const failure = new Error("no such table");
  const response = await streamText(pieces(400, failure), {}, (error) => broken.push(error));
  await expect(response.text()).rejects.toThrow("no such table");
  expect(broken).toEqual([failure]);
});

test("a client that disconnects stops the generator, and its later failure is ignored", async () => {
  const pulled = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<void>();
  async function* cutShort(): AsyncGenerator<string> {
    yield* pieces(54);
    pulled.resolve();
    await failed.promise;
    throw new Error("the database is being closed");
  }
  const broken: unknown[] = [];
  const making = cutShort();
  const response = await streamText(making, {}, (error) => broken.push(error));
  const reader = response.body!.getReader();
  await reader.read();
  await pulled.promise;
  const left = reader.cancel();
  failed.resolve();
  await left;
  expect((await making.next()).done).toBe(true);
  expect(broken).toEqual([]);
});
