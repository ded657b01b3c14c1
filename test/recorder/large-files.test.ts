import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readExchange } from "../../src/mapping/read-exchange.ts";
import type { RecordDraft } from "../../src/plugin-host/contract.ts";
import type { RecordHooks } from "../../src/recorder/prepare/hooks.ts";
import { chance } from "../chance.ts";
import { pass, rig } from "./harness.ts";

const random = chance("large files in bodies");
const idOf = (file: Buffer) => createHash("sha256").update(file).digest("hex");

test("a conversation that sends its files again is recorded as it was sent", async () => {
  const [picture, document] = [random.bytes(90_001), random.bytes(70_000)];
  const url = `data:image/jpeg;base64,${picture.toString("base64")}`;
  const messages: object[] = [
    {
      role: "user",
      content: [
        { type: "text", text: "What is this? é" },
        { type: "image_url", image_url: { url } },
        { type: "file", file: { filename: "a.pdf", file_data: document.toString("base64") } },
      ],
    },
  ];
  await using weir = await rig({ readExchange });
  const began = { path: "/v1/chat/completions", target: "https://api.openai.com", provider: "OPENAI" };
  const sent: { id: string; request: string; response: string }[] = [];
  for (const [turn, text] of ["A picture.", "Another one.", "The same."].entries()) {
    const request = JSON.stringify({ model: "gpt-4o", messages }, null, turn);
    const b64 = (turn === 1 ? document : picture).toString("base64");
    const response = JSON.stringify({
      model: "gpt-4o-1",
      choices: [{ message: { role: "assistant", content: text } }],
      data: [{ b64_json: b64 }],
      usage: { prompt_tokens: 5, completion_tokens: 2 },
    });
    sent.push({ id: pass(weir.spool, { begin: began, request, response }), request, response });
    messages.push({ role: "assistant", content: text }, { role: "user", content: `turn ${turn}` });
    if (turn === 0) await weir.recorder.barrier();
  }
  await weir.recorder.barrier();
  const ids = [picture, document].map(idOf);
  for (const [turn, { id, request, response }] of sent.entries()) {
    const row = await weir.row(id);
    expect(new Set(JSON.parse(String(row["assets"])))).toEqual(new Set(ids));
    expect([row["prompt_tokens"], row["response_model"], row["unread"]]).toEqual([5, "gpt-4o-1", null]);
    const bodies = (await weir.store.content.get([id], ["request", "response"], "sent")).get(id)!;
    expect(Buffer.from(bodies.request!.content).toString()).toBe(request);
    expect(Buffer.from(bodies.response!.content).toString()).toBe(response);
    const shown = (await weir.body(id, "request"))!.content.toString();
    const withReferences = request
      .replace(picture.toString("base64"), "")
      .replace("data:image/jpeg;base64,", `weir-asset:${ids[0]}`)
      .replace(document.toString("base64"), `weir-asset:${ids[1]}`);
    expect(shown).toBe(withReferences);
    for (const file of [picture, document]) {
      const stored = await weir.store.content.asset(id, idOf(file));
      expect(Buffer.compare(Buffer.from(stored!.content), file)).toBe(0);
      const inResponse = turn === 1 ? document : picture;
      const ofRequest = file === picture ? "image/jpeg" : "application/octet-stream";
      expect(stored!.contentType).toBe(file === inResponse ? "image/png" : ofRequest);
    }
    const { prompt } = (await weir.store.content.texts([id])).get(id)!;
    expect(prompt).toBe(turn === 0 ? "What is this? é" : `turn ${turn - 1}`);
  }
});

test("plugins see the strings that are no files, and references to the files", async () => {
  const [file, other] = [random.bytes(60_000), random.bytes(60_000)];
  const seen: unknown[] = [];
  const hooks: RecordHooks = {
    has: () => true,
    onRecord: async (draft: RecordDraft) => {
      seen.push(structuredClone(draft.request_body));
      draft.request_body.note = "hidden";
      return true;
    },
    onRecorded: () => undefined,
  };
  await using weir = await rig({ hooks });
  const request = { note: other.toString("base64"), model: "m", parts: [{ bytes: file.toString("base64") }] };
  const id = pass(weir.spool, { request: JSON.stringify(request) });
  await weir.recorder.barrier();
  const parts = [{ bytes: `weir-asset:${idOf(file)}` }];
  expect(seen).toEqual([{ ...request, parts }]);
  const stored = (await weir.body(id, "request"))!.content.toString();
  expect(JSON.parse(stored)).toEqual({ note: "hidden", model: "m", parts });
  expect(Buffer.compare(Buffer.from((await weir.store.content.asset(id, idOf(file)))!.content), file)).toBe(0);
});
