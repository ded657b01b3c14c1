import http from "node:http";
import https from "node:https";
import { isIP } from "node:net";
import type {
  ResolvedAddress,
  Upstream,
  UpstreamCall,
  UpstreamEvents,
  UpstreamOptions,
  UpstreamOrigin,
  UpstreamRequest,
} from "../../src/runtime/http/upstream.ts";
import { mayResend, UPSTREAM_DEFAULTS, UpstreamError } from "../../src/runtime/http/upstream.ts";

/**
 * Upstream over `node:http`: llhttp's parser and nothing of our own, a good deal dearer per request than the strict
 * client. It is the reference that the strict client is tested against.
 */
export function createNodeUpstream(options: UpstreamOptions): Upstream {
  const pooled = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 4_096, timeout: 0 };
  const agents = {
    plain: new http.Agent(pooled),
    secure: new https.Agent({ ...pooled, ...(options.ca === undefined ? {} : { ca: [...options.ca] }) }),
  };
  return {
    open: (request, events) => new NodeCall(request, events, options, agents),
    close() {
      agents.plain.destroy();
      agents.secure.destroy();
    },
  };
}

interface Agents {
  readonly plain: http.Agent;
  readonly secure: https.Agent;
}

class NodeCall implements UpstreamCall {
  readonly #request: UpstreamRequest;
  readonly #events: UpstreamEvents;
  readonly #options: UpstreamOptions;
  readonly #agents: Agents;
  #outgoing: http.ClientRequest | undefined;
  #incoming: http.IncomingMessage | undefined;
  #pending: Uint8Array[] = [];
  #endRequested = false;
  #paused = false;
  #settled = false;
  #headSeen = false;
  /** When it was sent, unless a response began or it was sent again. */
  #resendableAt: number | undefined;

  constructor(request: UpstreamRequest, events: UpstreamEvents, options: UpstreamOptions, agents: Agents) {
    this.#request = request;
    this.#events = events;
    this.#options = options;
    this.#agents = agents;
    // A literal address never reaches `lookup`, so it is checked here.
    const checked = isIP(request.origin.host) === 0 ? Promise.resolve() : options.resolve(request.origin);
    checked.then(() => this.#send(false)).catch((error) => this.#fail(toUpstreamError(error, false)));
  }

  write(bytes: Uint8Array): boolean {
    if (this.#outgoing !== undefined) return this.#outgoing.write(bytes);
    this.#pending.push(bytes);
    return false;
  }

  end(): void {
    this.#endRequested = true;
    this.#outgoing?.end();
  }

  pause(): void {
    this.#paused = true;
    this.#incoming?.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#incoming?.resume();
  }

  abort(): void {
    this.#settled = true;
    this.#outgoing?.destroy();
    this.#incoming?.destroy();
  }

  #send(fresh: boolean): void {
    if (this.#settled) return;
    this.#resendableAt = fresh ? undefined : performance.now();
    const { origin, method, path, headers, framing, body } = this.#request;
    const agent = fresh ? false : origin.secure ? this.#agents.secure : this.#agents.plain;
    const outgoing = (origin.secure ? https : http).request({
      host: origin.host,
      port: origin.port,
      ...(origin.secure && isIP(origin.host) === 0 ? { servername: origin.host.replace(/\.$/, "") } : {}),
      ...(this.#options.ca === undefined ? {} : { ca: [...this.#options.ca] }),
      lookup: this.#lookup(origin),
      agent,
      method,
      path,
      headers: headers as unknown as string[],
      setDefaultHeaders: false,
      maxHeaderSize: this.#options.headBytesMax ?? UPSTREAM_DEFAULTS.headBytesMax,
    } as https.RequestOptions);
    this.#outgoing = outgoing;
    outgoing.on("information", (information) => {
      this.#resendableAt = undefined;
      this.#events.onInformation?.(information.statusCode, information.rawHeaders as string[]);
    });
    outgoing.on("response", (incoming) => this.#receive(incoming));
    outgoing.on("upgrade", (incoming, socket, early) => {
      if (this.#settled) return void socket.destroy();
      if (this.#request.upgrade !== true) {
        socket.destroy();
        return this.#fail(new UpstreamError("protocol", "the provider switched protocols without being asked"));
      }
      this.#settled = true;
      socket.pause();
      this.#events.onUpgrade?.(101, incoming.statusMessage ?? "", incoming.rawHeaders, socket, early);
    });
    outgoing.on("error", (error) => {
      if (outgoing === this.#outgoing) this.#lost(error);
    });
    // A 101 without a request for it gives neither 'response' nor 'error'.
    outgoing.on("close", () => {
      if (outgoing === this.#outgoing && !this.#headSeen) this.#lost(new Error("the connection was closed"));
    });
    outgoing.on("drain", () => this.#events.onDrain?.());

    if (body !== undefined) outgoing.end(body);
    else if (framing === "none") outgoing.end();
    else {
      outgoing.flushHeaders();
      const waiting = this.#pending;
      this.#pending = [];
      for (const bytes of waiting) outgoing.write(bytes);
      if (this.#endRequested) outgoing.end();
      else if (waiting.length > 0) this.#events.onDrain?.();
    }
  }

  #receive(incoming: http.IncomingMessage): void {
    if (this.#settled) return;
    this.#headSeen = true;
    this.#incoming = incoming;
    incoming.on("data", (bytes: Uint8Array) => {
      if (!this.#settled) this.#events.onData(bytes);
    });
    incoming.on("end", () => {
      if (this.#settled || !incoming.complete) return;
      this.#settled = true;
      this.#events.onEnd();
    });
    incoming.on("error", (error) => this.#fail(toUpstreamError(error, true)));
    incoming.on("close", () => this.#fail(new UpstreamError("broken", "the provider broke off its answer")));
    if (this.#paused) incoming.pause();
    this.#events.onHead(incoming.statusCode ?? 0, incoming.statusMessage ?? "", incoming.rawHeaders);
  }

  /** A kept connection that the provider closed just then is no failure yet: nothing of the response has arrived. */
  #lost(error: Error): void {
    if (this.#settled) return;
    const { method, framing, body } = this.#request;
    const sentAt = this.#outgoing?.reusedSocket === true && !this.#headSeen ? this.#resendableAt : undefined;
    const sendable = framing === "none" || body !== undefined;
    if (sentAt !== undefined && sendable && mayResend(method, sentAt, this.#options.unreadMs)) this.#send(true);
    else this.#fail(toUpstreamError(error, this.#headSeen));
  }

  #fail(error: UpstreamError): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#outgoing?.destroy();
    this.#events.onError(error);
  }

  #lookup(origin: UpstreamOrigin) {
    type Done = (error: Error | null, address?: string | readonly ResolvedAddress[], family?: number) => void;
    return (_host: string, wanted: { all?: boolean }, done: Done) => {
      this.#options.resolve(origin).then(
        (found) => (wanted.all === true ? done(null, found) : done(null, found[0]!.address, found[0]!.family)),
        (error: Error) => done(error),
      );
    };
  }
}

function toUpstreamError(error: unknown, headSeen: boolean): UpstreamError {
  if (error instanceof UpstreamError) return error;
  const { code = "", message = "" } = error as { code?: string; message?: string };
  if (/^HPE_|PARSE/i.test(code))
    return new UpstreamError("protocol", `the response is not well-formed HTTP (${code})`, { cause: error });
  if (headSeen || /ECONNRESET|EPIPE|closed|hang up/i.test(`${code} ${message}`))
    return new UpstreamError("broken", "the provider closed the connection before its response was complete", {
      cause: error,
    });
  return new UpstreamError("unreachable", `no connection (${code === "" ? message : code})`, { cause: error });
}
