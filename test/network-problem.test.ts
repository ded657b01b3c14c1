import { expect, test } from "bun:test";
import { networkProblem } from "../src/network-problem.ts";
import { freePort } from "./ports.ts";

const failure = (call: Promise<unknown>) =>
  call.then(
    () => "no failure",
    (error: unknown) => networkProblem(error),
  );

test("a failed call is described in words", async () => {
  expect(await failure(fetch(`http://127.0.0.1:${await freePort()}/`))).toBe("nothing listens there");
  using silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const signal = AbortSignal.timeout(20);
  expect(await failure(fetch(`http://127.0.0.1:${silent.port}/`, { signal }))).toBe("it does not respond in time");
  using closing = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: (socket) => void socket.end() } });
  const closes = fetch(`http://127.0.0.1:${closing.port}/`);
  expect(await failure(closes)).toBe("it closed the connection");
});

// What Deno's fetch throws: an outer error without a code, and the reason in its cause.
test.each([
  ["client error (Connect): tcp connect error: Connection refused (os error 111)", "nothing listens there"],
  ["client error (Connect): dns error: failed to lookup address information", "its name has no address"],
  ["something else", "something else"],
])("the cause %j is read", (cause, says) => {
  expect(networkProblem(new TypeError("fetch failed", { cause: new Error(cause) }))).toBe(says);
});
