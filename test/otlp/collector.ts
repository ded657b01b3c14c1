import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { Json } from "../../src/plugin-host/contract.ts";

interface CollectedBatch {
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  readonly resource: Readonly<Record<string, Json>>;
  readonly spans: readonly CollectedSpan[];
}

interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code: number; readonly message?: string };
  readonly attributes: Readonly<Record<string, Json>>;
}

/** A collector on loopback that takes OTLP over HTTP in JSON; `answer` returns the response to the n-th batch, from 0. */
export async function startCollector(
  respond: (batch: number) => { status: number; headers?: Record<string, string>; body?: string } | "stall" = () => ({
    status: 200,
    body: "{}",
  }),
) {
  const batches: CollectedBatch[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      const said = respond(batches.length);
      const { resourceSpans } = JSON.parse(text);
      const [{ resource, scopeSpans }] = resourceSpans;
      batches.push({
        headers: request.headers,
        path: request.url ?? "",
        resource: values(resource.attributes),
        spans: scopeSpans.flatMap(({ spans }: Json) =>
          spans.map((span: Json) => ({ ...span, attributes: values(span.attributes) })),
        ),
      });
      if (said !== "stall") response.writeHead(said.status, said.headers).end(said.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    batches,
    spans: () => batches.flatMap(({ spans }) => spans),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function values(attributes: readonly { key: string; value: Json }[]): Record<string, Json> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));
}

function plain(value: Json): Json {
  const [[type, each]] = Object.entries(value) as [[string, Json]];
  if (type === "intValue") return Number(each);
  return type === "arrayValue" ? each.values.map(plain) : each;
}
