/** The files that `weir plugins new` writes. Both load unchanged and do nothing until they are edited. */
export function providerSkeleton(name: string): string {
  const upper = name.toUpperCase().replaceAll("-", "_");
  return `/// <reference path="./weir-plugin.d.ts" />
import type { ProviderPlugin } from "weir/plugin";

/**
 * A provider says which hosts it has, and how to read its traffic. It is plain data and pure functions, without state: it is loaded in
 * several threads. Import only types from "weir/plugin". The service loads a change within five seconds.
 */
export default {
  apiVersion: 1,

  // Upper case: the \`provider\` of its records.
  name: "${upper}",

  // Target hosts of this provider; approved from the start. "*." stands for one or more labels.
  hosts: ["api.${name}.invalid"],

  // Where its own gateway address forwards to: ${name}.<gateway domain>.
  target: "https://api.${name}.invalid",
  dedicatedDomain: "${name}",

  // Read its traffic as another provider's. Leave it out for a wire format of its own.
  extends: "OPENAI",

  // Its own wire format, as JSON Pointers. It has precedence over learnt mappings.
  // mapping: {
  //   format: 1,
  //   request: { model: "/engine", messages: { list: "/turns/*", role: "/speaker", text: "/utterance", roles: { customer: "user" } } },
  //   response: { text: "/reply/utterance", usage: { prompt_tokens: "/billing/in", completion_tokens: "/billing/out" } },
  //   stream: { text: { path: "/bit", mode: "append" }, usage: { prompt_tokens: "/billing/in", completion_tokens: "/billing/out" } },
  // },

  // Credentials of its own, lower case: their values are never stored.
  // mask: { headers: ["x-${name}-key"], query: ["token"] },

  // Overrides of read values. Leave a member out to keep the value that was read; usage is one member, and is replaced whole.
  // readRequest: (body) => ({ model: body?.model, stream: body?.stream === true }),
  // readResponse: (body) => ({ model: body?.model, usage: { prompt_tokens: body?.usage?.in } }),
  // readEvent: (reading, { data }) => (data?.usage === undefined ? reading : { ...reading, usage: { completion_tokens: data.usage.out } }),

  // US dollars for one exchange; null if the price is unknown.
  // cost: (usage, model) => (usage.prompt_tokens ?? 0) * 1e-6 + (usage.completion_tokens ?? 0) * 2e-6,
} satisfies ProviderPlugin;
`;
}

export function pluginSkeleton(name: string): string {
  return `/// <reference path="./weir-plugin.d.ts" />
import type { GatewayPlugin, PluginHooks } from "weir/plugin";

/** Its table in the configuration file; \`optionsSchema\` below describes it to the service. */
interface Options {
  team?: string;
}

/**
 * A plugin takes part in the traffic. State lives inside \`setup\`, which runs once in each thread that calls hooks.
 * Import only types from "weir/plugin". The service loads a change within five seconds.
 */
export default {
  apiVersion: 1,
  name: "${name}",

  // JSON Schema of the table [plugins.${name}] in the configuration file.
  optionsSchema: {
    type: "object",
    properties: { team: { type: "string" } },
    additionalProperties: false,
  },

  setup: ({ options, log }) => ({
    // Parts of the body to read first: "user", "model", "body". Without it bodies are streamed.
    // needs: ["model"],

    // Before the provider is called. Return nothing to let it pass, a refusal, or { send: { headers, body } } to change
    // the provider's request. Throwing, or taking 250 ms, responds with 500.
    onRequest: (request) => {
      if (request.path !== "/${name}-is-closed") return undefined;
      log.info("refused a request");
      return { status: 403, code: "closed", message: "come back at nine" };
    },

    // Before the record is stored. Change the draft, or return false to drop it. Throwing changes nothing.
    onRecord: (draft) => {
      if (options.team !== undefined) draft.properties.Team = options.team;
    },

    // In the gateway's thread, after the client has its response. Return { properties, scores } for the record, or nothing.
    // onAnswer: ({ text, usage, model }) => ({ scores: { long: (usage.completion_tokens ?? 0) > 1_000 ? 1 : 0 } }),

    // After the record is in the database: checks in code. Return { scores, properties } for the record, or nothing.
    // onRecorded: ({ facts }) => ({ scores: { apology: /\\bsorry\\b/i.test(facts.responseText ?? "") } }),

    // When the plugin is unloaded.
    // dispose: () => {},
  }) satisfies PluginHooks,
} satisfies GatewayPlugin<Options>;
`;
}
