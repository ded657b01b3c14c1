/** Which items have ids of ours, and what these begin with. */
export const ITEM_IDS = {
  message: "msg_",
  reasoning: "rs_",
  function_call: "fc_",
  custom_tool_call: "ctc_",
  image_generation_call: "ig_",
} as const;

const RESPONSE = "resp_";

/** The id of an item of an answer that Weir wrote. It holds the response's, so that a reference to it leads to the record. */
export const itemId = (type: keyof typeof ITEM_IDS, responseId: string, index: number): string =>
  ITEM_IDS[type] + responseId.replace(RESPONSE, "") + index.toString(16).padStart(2, "0");

/** The response that has an item of this id; undefined where the id is a provider's own. */
export function responseIdOf(id: string): string | undefined {
  const hex = /^(?:msg|rs|fc|ctc|ig)_([0-9a-f]{32})[0-9a-f]{2,4}$/.exec(id)?.[1];
  return hex === undefined ? undefined : RESPONSE + hex;
}
