import { expect, test } from "bun:test";
import fc from "fast-check";
import { formFields } from "../../src/mapping/form-fields.ts";
import { assertProperty } from "../chance.ts";

test("a form's fields are read as a client sends them, its files left out", async () => {
  const form = new FormData();
  form.set("model", "whisper-1");
  form.set("prompt", "Grüße\r\n--not the end");
  form.append("timestamp_granularities[]", "word");
  form.set("file", new Blob([new Uint8Array([0, 13, 10, 13, 10, 255])], { type: "audio/wav" }), "a.wav");
  form.set("language", "de");
  const bytes = Buffer.from(await new Response(form).arrayBuffer());
  expect(formFields(bytes)).toEqual({
    model: "whisper-1",
    prompt: "Grüße\r\n--not the end",
    timestamp_granularities: "word",
    language: "de",
  });
  for (let end = 0; end < bytes.byteLength; end++) formFields(bytes.subarray(0, end));
});

test("what is no form has no fields", () => {
  expect(formFields(Buffer.from('{"model":"m"}'))).toBeUndefined();
  assertProperty(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      formFields(Buffer.concat([Buffer.from("--b\r\n"), bytes]));
    }),
  );
});
