const PREFIXES: Readonly<Record<string, string>> = {
  "chat-completions": "chatcmpl-",
  completions: "cmpl-",
  responses: "resp_",
  messages: "msg_",
};

/** The id of a translated response in its API's form. It contains the request's id. @param requestId - a UUID. */
export function idsOf(shape: string, requestId: string): string {
  const [first, second] = [requestId.slice(0, 8), requestId.slice(9, 13)];
  return `${PREFIXES[shape] ?? ""}${first}${second}${requestId.slice(14, 18)}${requestId.slice(19, 23)}${requestId.slice(24)}`;
}

/** The request whose response has this id; undefined if the id is a provider's own. */
export function requestIdIn(answerId: string): string | undefined {
  const hex = /^(?:chatcmpl-|cmpl-|resp_|msg_)([0-9a-f]{32})$/.exec(answerId)?.[1];
  return hex?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
