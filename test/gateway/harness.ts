import { Value } from "@sinclair/typebox/value";
import { CONFIG_SCHEMA, type Config } from "../../src/config.ts";
import type { Gateway, GatewayOptions } from "../../src/gateway/gateway.ts";
import { startGateway } from "../../src/gateway/start.ts";
import type { ProviderIndex } from "../../src/gateway/target.ts";
import { edited } from "../../src/json-text/edits.ts";
import { hashKey, type KeySnapshot } from "../../src/keys.ts";
import { createLog } from "../../src/log.ts";
import type { ProviderPlugin } from "../../src/plugin-host/contract.ts";
import type {
  BeginMeta,
  EndMeta,
  HeadMeta,
  MessageMeta,
  ProviderRequestMeta,
  ProviderResponseMeta,
  SpoolWriter,
} from "../../src/spool/frame.ts";
import { headersFrom } from "../../src/spool/sent-headers.ts";
import { exchangeRaw } from "../raw-http.ts";

export const KEY = "sk-weir-us-test";

/** What the spool received of one exchange. */
interface Recorded {
  readonly id: string;
  readonly begin: BeginMeta;
  requestBody: Buffer;
  head: HeadMeta | undefined;
  responseBody: Buffer;
  readonly messages: MessageMeta[];
  /** The provider's side, where it is not the client's. */
  readonly provider: {
    requestHead?: ProviderRequestMeta;
    request?: Buffer;
    responseHead?: ProviderResponseMeta;
    response?: Buffer;
  };
  end: EndMeta | undefined;
}

/** A spool that keeps its frames in memory, as the writer would (`memory-spool.test.ts`); `flushed` says what a crash would have left. */
export class MemorySpool implements SpoolWriter {
  readonly exchanges = new Map<string, Recorded>();
  readonly #waiting = new Set<() => void>();
  /** Ids whose begin has reached the page cache. */
  readonly flushed = new Set<string>();
  #unflushed: string[] = [];
  readonly problems: string[] = [];
  full = false;
  syncing: Promise<void> = Promise.resolve();
  stats = { framesWritten: 0, bytesWritten: 0, exchangesDropped: 0, healthy: true, lastError: undefined };

  begin(id: string, begin: BeginMeta): boolean {
    if (this.full) return false;
    const key = id.toLowerCase();
    if (this.exchanges.has(key)) this.problems.push(`begin twice: ${key}`);
    const empty = Buffer.alloc(0);
    this.#unflushed.push(key);
    this.exchanges.set(key, {
      id: key,
      begin: asWritten(begin),
      requestBody: empty,
      head: undefined,
      responseBody: empty,
      messages: [],
      provider: {},
      end: undefined,
    });
    return true;
  }
  requestChunk(id: string, bytes: Uint8Array): void {
    const one = this.#open(id, "requestChunk");
    if (one !== undefined) one.requestBody = Buffer.concat([one.requestBody, bytes]);
  }
  head(id: string, head: HeadMeta): void {
    const one = this.#open(id, "head");
    if (one === undefined) return;
    one.head = asWritten(head);
    const { sent } = one.head;
    const headers = sent && headersFrom(sent.headers, one.begin.headers);
    if (sent !== undefined && headers === undefined) this.problems.push(`headers of no pair: ${id}`);
    else if (sent !== undefined)
      this.providerRequest(id, { time: head.time, headers: headers!, hasBody: false, edited: sent.edited });
  }
  responseChunk(id: string, bytes: Uint8Array): void {
    const one = this.#open(id, "responseChunk");
    if (one !== undefined) one.responseBody = Buffer.concat([one.responseBody, bytes]);
  }
  providerRequest(id: string, requestHead: ProviderRequestMeta): void {
    const one = this.#open(id, "providerRequest");
    const edit = one?.requestBody.byteLength === requestHead.edited?.of ? requestHead.edited : undefined;
    const request = edit === undefined ? Buffer.alloc(0) : edited(one!.requestBody, edit.edits);
    if (one !== undefined) Object.assign(one.provider, { requestHead: asWritten(requestHead), request });
  }
  providerRequestChunk(id: string, bytes: Uint8Array): void {
    const side = this.#open(id, "providerRequestChunk")?.provider;
    if (side !== undefined) side.request = Buffer.concat([side.request ?? Buffer.alloc(0), bytes]);
  }
  providerResponse(id: string, responseHead: ProviderResponseMeta): void {
    const one = this.#open(id, "providerResponse");
    if (one !== undefined) Object.assign(one.provider, { responseHead, response: Buffer.alloc(0) });
  }
  providerResponseChunk(id: string, bytes: Uint8Array): void {
    const side = this.#open(id, "providerResponseChunk")?.provider;
    if (side !== undefined) side.response = Buffer.concat([side.response ?? Buffer.alloc(0), bytes]);
  }
  message(id: string, message: MessageMeta): void {
    this.#open(id, "message")?.messages.push(asWritten(message));
  }
  end(id: string, end: EndMeta): void {
    const one = this.#open(id, "end");
    if (one !== undefined) one.end = asWritten(end);
    for (const wake of this.#waiting) wake();
  }
  atTurnEnd(work: () => void): void {
    setImmediate(() => {
      work();
      this.flush();
    });
  }
  flush(): void {
    for (const id of this.#unflushed) this.flushed.add(id);
    this.#unflushed = [];
  }
  synced(): Promise<void> {
    this.flush();
    return this.syncing;
  }
  async close(): Promise<void> {}

  /** The exchange with this id once it has ended. */
  async ended(id: string): Promise<Recorded> {
    return (await this.until(() => this.exchanges.get(id)?.end !== undefined && this.exchanges.get(id)))!;
  }

  /** The only exchange of this path once it has ended. */
  async endedPath(path: string): Promise<Recorded> {
    const find = () => [...this.exchanges.values()].find((one) => one.begin.path === path && one.end !== undefined);
    return (await this.until(find))!;
  }

  async until<T>(look: () => T | undefined | false): Promise<T> {
    for (const limit = performance.now() + 180_000; performance.now() < limit; ) {
      const found = look();
      if (found !== undefined && found !== false) return found;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      const timer = setTimeout(resolve, 50);
      await promise;
      clearTimeout(timer);
      this.#waiting.delete(resolve);
    }
    throw new Error("nothing of the kind was recorded within 180 s");
  }

  #open(id: string, kind: string): Recorded | undefined {
    const one = this.exchanges.get(id.toLowerCase());
    if (one === undefined) {
      if (!this.full) this.problems.push(`${kind} without begin: ${id}`);
    } else if (one.end !== undefined) this.problems.push(`${kind} after end: ${id}`);
    return one;
  }
}

/** What is written is written: later changes of the object are not. */
function asWritten<T>(meta: T): T {
  return JSON.parse(JSON.stringify(meta)) as T;
}

export function keySnapshot(key: string, changes: Partial<KeySnapshot> = {}): KeySnapshot {
  return {
    id: `id-of-${key}`,
    organizationId: "org-1",
    name: "test key",
    hash: hashKey(key),
    scopes: ["gateway"],
    permissions: ["gateway"],
    userId: null,
    userPermissions: null,
    expiresAt: null,
    revokedAt: null,
    models: null,
    credentials: null,
    ...changes,
  };
}

export function providerIndex(providers: readonly ProviderPlugin[] = []): ProviderIndex {
  const fits = (pattern: string, host: string) =>
    pattern.startsWith("*.") ? host.endsWith(pattern.slice(1)) : pattern === host;
  return {
    providers,
    providerByName: (name) =>
      providers.find((one) => one.name === name.toUpperCase() || one.aliases?.includes(name.toLowerCase())),
    providerByHost: (host) => providers.find((one) => one.hosts?.some((pattern) => fits(pattern, host))),
    providerByLabel: (label) => providers.find((one) => one.dedicatedDomain === label),
    labels: () => providers.flatMap(({ dedicatedDomain = [] }) => dedicatedDomain),
  };
}

export interface TestGateway extends Gateway {
  readonly spool: MemorySpool;
  readonly origin: string;
  readonly logLines: string[];
  [Symbol.asyncDispose](): Promise<void>;
}

export interface TestOptions extends Partial<Omit<GatewayOptions, "config">> {
  readonly config?: Partial<Config>;
  readonly providers?: readonly ProviderPlugin[];
  readonly keys?: readonly KeySnapshot[];
}

/** A gateway on a free port that may call loopback, with one key. */
export async function startTestGateway(options: TestOptions = {}): Promise<TestGateway> {
  const { config, providers, keys, ...rest } = options;
  const spool = new MemorySpool();
  const logLines: string[] = [];
  const gateway = await startGateway({
    config: {
      ...(Value.Create(CONFIG_SCHEMA) as Config),
      gateway_port: 0,
      api_port: 0,
      allow_private_targets: ["127.0.0.1", "::1"],
      ...config,
    },
    log: createLog({ level: "info", format: "json", write: (line) => void logLines.push(line) }),
    spool,
    registry: () => providerIndex(providers),
    claimId: async () => true,
    ...rest,
  });
  gateway.setKeys(keys ?? [keySnapshot(KEY)]);
  return {
    ...gateway,
    spool,
    logLines,
    origin: `http://127.0.0.1:${gateway.port}`,
    [Symbol.asyncDispose]: () => gateway.close(),
  };
}

/** The header block that lets a request through to `target`. */
export function gatewayHeaders(target: string, more = ""): string {
  return `Host: weir.test\r\nGateway-Auth: Bearer ${KEY}\r\nGateway-Target-Url: ${target}\r\n${more}`;
}

/** One request on a connection of its own; the connection closes behind the response. */
export function once(
  gateway: { readonly port: number },
  startLine: string,
  headers: string,
  body = "",
): Promise<string> {
  return exchangeRaw(gateway.port, `${startLine} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n${body}`);
}

export function idOf(response: string): string {
  return /\r\ngateway-id: (\S+)/.exec(response)?.[1] ?? "";
}
