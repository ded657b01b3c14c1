import type { Json, ProviderPlugin, Usage } from "@weir/plugin";

/** A model server of one's own, with a wire format of its own, JSON and streams. */
export default {
  apiVersion: 1,
  name: "CORP",
  hosts: ["llm.corp.example"],
  target: "https://llm.corp.example",
  dedicatedDomain: "corp",
  mask: { headers: ["x-corp-pass"] },

  readRequest: (body) => ({ model: body?.engine, stream: body?.live === true, userId: body?.employee }),
  readResponse: (body) => ({ id: body?.ticket, model: body?.engine, ...usageIn(body) }),

  // The last event holds what was spent.
  readEvent: (reading, { data }) => ({
    ...reading,
    body: { ...reading.body, ...data, text: (reading.body?.text ?? "") + (data?.text ?? "") },
    ...usageIn(data),
  }),

  cost: ({ total_tokens }) => (total_tokens === undefined ? null : total_tokens * 3e-6),
} satisfies ProviderPlugin;

// A missing value stays missing: it is not the same as 0.
function usageIn(body: Json): { readonly usage?: Usage } {
  const spent = body?.spent;
  if (typeof spent?.read !== "number" || typeof spent?.written !== "number") return {};
  return {
    usage: {
      prompt_tokens: spent.read,
      completion_tokens: spent.written,
      total_tokens: spent.read + spent.written,
    },
  };
}
