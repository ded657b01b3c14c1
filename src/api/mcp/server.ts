import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { Value } from "@sinclair/typebox/value";
import program from "../../../package.json" with { type: "json" };
import { wantedInWords } from "../../checked.ts";
import { GatewayError } from "../../errors.ts";
import { nearestName } from "../../nearest.ts";
import { RESULT_CHARS_MAX } from "./bounds.ts";
import { type Ask, type Tool, ToolError } from "./tool.ts";
import { TOOLS } from "./tools.ts";

/** An upper bound for results whose parts have none: a record may have large labels, and escaping can double a text. */
const TEXT_CHARS_MAX = 4 * RESULT_CHARS_MAX;

const INSTRUCTIONS =
  "Weir records the LLM requests of this organization. Begin with metrics for totals or query_requests for a list; narrow down with `filter` and `last`; read one with get_request. Costs are US dollars, latencies milliseconds, times UTC.";

/**
 * Responds to one HTTP request of an MCP client. No state is kept between requests, so any process of several can respond.
 *
 * @param tools - those that the caller may use.
 * @param body - of the request, parsed.
 */
export async function respondToMcp(
  request: Request,
  body: unknown,
  tools: readonly Tool[],
  ask: Ask,
): Promise<Response> {
  const server = new Server(
    { name: "weir", title: "Weir", version: program.version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(described) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    called(tools, ask, params.name, params.arguments ?? {}),
  );
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: body });
  } finally {
    await server.close();
  }
}

function described({ name, title, description, input, output, writes }: Tool) {
  const inputSchema = JSON.parse(JSON.stringify(input)); // without TypeBox's symbols
  const outputSchema = { type: "object" as const, properties: output };
  const annotations = {
    title,
    readOnlyHint: writes !== true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  };
  return { name, title, description, inputSchema, outputSchema, annotations };
}

async function called(tools: readonly Tool[], ask: Ask, name: string, input: Record<string, unknown>) {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined)
    return failed(
      TOOLS.some((each) => each.name === name)
        ? `this key may not call ${name}; see the page on permissions`
        : noSuchTool(name, tools),
    );
  const wrong = Value.Errors(tool.input, input).First();
  if (wrong !== undefined) return failed(misfit(tool, wrong.path, wantedInWords(wrong)));
  try {
    const result = await tool.call(ask, input);
    const text = JSON.stringify(result, null, 1);
    if (text.length > TEXT_CHARS_MAX) return failed(`the result has ${text.length} characters: ask for less at once`);
    return { content: [{ type: "text", text }], structuredContent: result };
  } catch (error) {
    if (error instanceof ToolError || error instanceof GatewayError) return failed(error.message);
    throw error;
  }
}

function noSuchTool(name: string, tools: readonly Tool[]): string {
  const names = tools.map((tool) => tool.name);
  const near = nearestName(name, names);
  return `there is no tool "${name.slice(0, 64)}"; ${near === undefined ? `there are: ${names.join(", ")}` : `did you mean ${near}?`}`;
}

function misfit(tool: Tool, path: string, message: string): string {
  const member = path.slice(1).replaceAll("/", ".");
  const known = Object.keys(tool.input.properties);
  const isUnknown = member !== "" && !member.includes(".") && !known.includes(member);
  if (isUnknown)
    return `${tool.name} takes no "${member}"; ${known.length === 0 ? "it takes nothing" : `it takes: ${known.join(", ")}`}`;
  return `${member === "" ? "the arguments" : member}: ${message}`;
}

function failed(text: string) {
  return { content: [{ type: "text", text: text.slice(0, RESULT_CHARS_MAX) }], isError: true };
}
