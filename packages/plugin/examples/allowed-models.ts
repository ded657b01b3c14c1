import type { GatewayPlugin, PluginHooks } from "@weir/plugin";

/** Refuses models that are not on the list, and marks records of models that are about to leave it. */
export default {
  apiVersion: 1,
  name: "allowed-models",
  optionsSchema: {
    type: "object",
    required: ["models"],
    properties: {
      models: { type: "array", items: { type: "string" } },
      leaving: { type: "array", items: { type: "string" }, default: [] },
    },
    additionalProperties: false,
  },
  setup: ({ options }) =>
    ({
      needs: ["model"],
      onRequest({ model }) {
        if (model !== undefined && options.models.includes(model)) return undefined;
        return { status: 403, code: "model_not_allowed", message: `${model ?? "no model"} is not on the list` };
      },
      onRecord(draft) {
        const model = draft.facts.requestModel;
        if (model !== null && options.leaving.includes(model)) draft.properties["Model-Leaves"] = "yes";
      },
    }) satisfies PluginHooks,
} satisfies GatewayPlugin<{ models: string[]; leaving: string[] }>;
