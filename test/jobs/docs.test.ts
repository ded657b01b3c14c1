import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSecret, signatureHeaders } from "../../src/store/deliveries/signing.ts";

test("the code in docs/webhooks.md accepts our signatures and no others", async () => {
  const page = readFileSync(join(import.meta.dir, "../../docs/webhooks.md"), "utf8");
  const [, code] = /```ts\n(.*?)```/s.exec(page)!;
  const directory = mkdtempSync(join(tmpdir(), "weir-verify-"));
  writeFileSync(join(directory, "verify.ts"), code!);
  const { verify } = await import(join(directory, "verify.ts"));
  const [secret, now, body] = [createSecret(), Math.floor(Date.now() / 1_000), '{"a":"ü"}'];
  const signed = new Headers(signatureHeaders(secret, "msg_1", now, body));
  expect(verify(secret, signed, body)).toBe(true);
  expect(verify(secret, signed, `${body} `)).toBe(false);
  expect(verify(createSecret(), signed, body)).toBe(false);
  expect(verify(secret, new Headers(signatureHeaders(secret, "msg_1", now - 400, body)), body)).toBe(false);
  expect(verify(secret, new Headers({ "webhook-id": "msg_1", "webhook-timestamp": String(now) }), body)).toBe(false);
  rmSync(directory, { recursive: true });
});

test("a signature is the one that the scheme's own example has", () => {
  // Example of the Standard Webhooks specification.
  const headers = signatureHeaders(
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "msg_p5jXN8AQM9LWM0D4loKWxJek",
    1614265330,
    '{"test": 2432232314}',
  );
  expect(headers["webhook-signature"]).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});
