import { expect, test } from "bun:test";
import { asGatewayError } from "../../src/api/envelope.ts";
import { GatewayError } from "../../src/errors.ts";
import { connect, expose } from "../../src/runtime/rpc.ts";

/** What a call to another thread, which throws this, rejects with. */
async function thrownAcross(cause: unknown): Promise<unknown> {
  const { port1, port2 } = new MessageChannel();
  expose(port1, {
    fail: () => {
      throw cause;
    },
  });
  port1.start();
  port2.start();
  try {
    return await connect<{ fail: () => void }>(port2)
      .fail()
      .catch((error: unknown) => error);
  } finally {
    port1.close();
  }
}

test("an error keeps its code, message and path on its way from another thread", async () => {
  const wrong = await thrownAcross(new GatewayError("invalid_body", "shape: give one of a, b", { path: "shape" }));
  expect(asGatewayError(wrong)).toMatchObject({
    code: "invalid_body",
    message: "shape: give one of a, b",
    path: "shape",
  });
  expect(asGatewayError(await thrownAcross(new GatewayError("model_not_found")))).toMatchObject({ path: undefined });
  // `fs` sets a path too, which is not of the request.
  const bug = await thrownAcross(Object.assign(new Error("ENOENT"), { code: "ENOENT", path: "/x" }));
  expect(asGatewayError(bug)).toBeUndefined();
});
