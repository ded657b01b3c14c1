import { expect } from "bun:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Json } from "../../src/plugin-host/contract.ts";

/** The SDK's client, connected to the MCP server of an API. */
export async function connectedTo(origin: string, key: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  // The SDK's own types do not agree under exactOptionalPropertyTypes.
  const transport = new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { requestInit });
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

export type Result = { isError?: boolean; text: string; value: Json };

/** Calls a tool with the SDK's client, which holds the result against the tool's own schema. */
export async function call(client: Client, name: string, input: Record<string, unknown> = {}): Promise<Result> {
  const { isError, content, structuredContent } = await client.callTool({ name, arguments: input });
  const [{ text }] = content as [{ text: string }];
  if (!isError) expect(JSON.parse(text)).toEqual(structuredContent);
  return { text, value: structuredContent, ...(isError === true && { isError }) };
}
