import { expect, test } from "bun:test";
import { Attempts } from "../../src/gateway/retry/attempts.ts";
import { neverThrowing, type Upstream, UpstreamError, type UpstreamRequest } from "../../src/runtime/http/upstream.ts";

const broken: Upstream = {
  open() {
    throw new TypeError("a header that cannot be written");
  },
  close() {},
};
const request: UpstreamRequest = {
  origin: { secure: false, host: "127.0.0.1", port: 9 },
  method: "POST",
  path: "/",
  headers: [],
  framing: "none",
};

/** Events of which only the error counts. */
function errors() {
  const { promise, resolve } = Promise.withResolvers<UpstreamError>();
  const events = { onHead() {}, onData() {}, onEnd() {}, onError: resolve };
  return { promise, events };
}

test("what the opening of a call throws arrives as its error, behind the turn in which it was opened", async () => {
  const { promise, events } = errors();
  let isOpen = false;
  neverThrowing(broken).open(request, {
    ...events,
    onError(error) {
      expect(isOpen).toBe(true);
      events.onError(error);
    },
  });
  isOpen = true;
  const error = await promise;
  expect(error).toBeInstanceOf(UpstreamError);
  expect([error.kind, error.message]).toEqual(["unreachable", "the request could not be sent"]);
});

test("a call that was given up has no error", async () => {
  let count = 0;
  const { events } = errors();
  const call = neverThrowing(broken).open(request, { ...events, onError: () => void count++ });
  call.write(new Uint8Array(1));
  call.end();
  call.abort();
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(count).toBe(0);
});

test("a later try, which a timer makes, may throw as well", async () => {
  const { promise, events } = errors();
  const upstream = neverThrowing(broken);
  let tries = 0;
  new Attempts(
    {
      clock: () => 0,
      plan: { triesMax: 3, factor: 1, waitMs: 1, waitMsMax: 10, fallbacks: [] },
      first: { request, instead: undefined },
      open: (outgoing, toTry) => upstream.open(outgoing.request, toTry),
      fallback: async () => undefined,
      onFailed() {
        tries++;
        return { onData() {}, onEnd() {} };
      },
      onWait() {},
      onResponse() {},
    },
    events,
  );
  expect((await promise).kind).toBe("unreachable");
  expect(tries).toBe(2);
});
