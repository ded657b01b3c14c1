import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import tls from "node:tls";
import { OK } from "../raw-http.ts";
import { ask, loopback, UPSTREAMS } from "./upstreams.ts";

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), "utf8");
const ca = [fixture("ca.pem")];

async function startTlsProvider() {
  const names: string[] = [];
  const sockets = new Set<tls.TLSSocket>();
  const server = tls.createServer({ key: fixture("key.pem"), cert: fixture("cert.pem") }, (socket) => {
    names.push(socket.servername || "");
    sockets.add(socket);
    socket.on("data", () => socket.write(OK));
    socket.on("error", () => socket.destroy());
  });
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    names,
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe.each(UPSTREAMS)("upstream over %s", (_client, createUpstream) => {
  test.each([
    ["a name that the certificate holds, with its authority trusted", "provider.test", ca, undefined],
    ["the same with a trailing dot", "provider.test.", ca, undefined],
    ["another name", "other.test", ca, "unreachable"],
    ["an authority that nobody trusts", "provider.test", undefined, "unreachable"],
    ["an address that the certificate holds", "127.0.0.1", ca, undefined],
  ] as const)("speaks TLS with %s", async (_name, host, trusted, failure) => {
    await using provider = await startTlsProvider();
    const upstream = createUpstream({ resolve: loopback, ...(trusted === undefined ? {} : { ca: trusted }) });
    const request = { origin: { secure: true, host, port: provider.port } };
    const response = await ask(upstream, provider.port, request).done;
    expect<unknown>(response.error?.kind).toBe(failure);
    if (failure === undefined) {
      expect(response.body.toString()).toBe("ok");
      expect(provider.names).toEqual([host.startsWith("provider") ? "provider.test" : ""]);
      expect((await ask(upstream, provider.port, request).done).body.toString()).toBe("ok");
    }
    upstream.close();
  });
});
