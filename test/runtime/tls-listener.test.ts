import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import tls from "node:tls";
import { readPair, TlsPair } from "../../src/runtime/http/tls-pair.ts";
import { listen } from "../../src/runtime/listen.ts";
import type { Listener } from "../../src/runtime/runtime.ts";

setDefaultTimeout(300_000);

const fixture = (name: string) => join(import.meta.dir, "fixtures", name);

let folder: string;
let certFile: string;
let keyFile: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "weir-tls-"));
  [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
});
afterAll(() => rmSync(folder, { recursive: true }));

function put(cert: string, key: string): void {
  copyFileSync(fixture(cert), certFile);
  copyFileSync(fixture(key), keyFile);
}

describe("a pair that is none is refused, naming the file and what is wrong", () => {
  test.each([
    ["a file that is missing", "cert.pem", undefined, "key.pem: cannot be read"],
    ["a key of another certificate", "cert.pem", "other-key.pem", "the key is not that of the certificate"],
    ["a certificate in place of the key", "cert.pem", "cert.pem", "holds no private key in PEM form"],
    ["a key in place of the certificate", "key.pem", "key.pem", "holds no certificate in PEM form"],
  ])("%s", (_name, cert, key, words) => {
    const files = { certFile: fixture(cert), keyFile: key === undefined ? join(folder, "no/key.pem") : fixture(key) };
    expect(() => readPair(files)).toThrow(words);
  });

  test("a key with a passphrase", () => {
    const encrypted = join(folder, "encrypted.pem");
    writeFileSync(encrypted, "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n");
    expect(() => readPair({ certFile: fixture("cert.pem"), keyFile: encrypted })).toThrow("without a passphrase");
  });
});

describe("a listener over TLS", () => {
  let listener: Listener;
  let pair: TlsPair;
  const said: string[] = [];
  let heard = Promise.withResolvers<void>();
  const note = (text: string) => {
    said.push(text);
    heard.resolve();
  };

  beforeAll(async () => {
    put("cert.pem", "key.pem");
    pair = new TlsPair({ certFile, keyFile, onReloaded: () => note("reloaded"), onRefused: note, lookMs: 50 });
    const onFault = (fault: string) =>
      Buffer.from(`HTTP/1.1 400 Bad\r\nContent-Length: ${fault.length}\r\n\r\n${fault}`);
    listener = await listen("127.0.0.1", 0, handle, { pair, onFault });
  });
  afterAll(() => listener.stop(100));

  async function handle(request: Request, address: string | null): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/address") return new Response(address);
    if (pathname === "/large") return new Response(new Uint8Array(8_000_000));
    if (pathname === "/broken")
      return new Response(new ReadableStream({ pull: (to) => to.error(new Error("broke off")) }));
    if (pathname === "/refused")
      return new Response("no", {
        status: 403,
        headers: [
          ["set-cookie", "a=1"],
          ["set-cookie", "b=2"],
        ],
      });
    return new Response(String((await request.bytes()).reduce((sum, byte) => sum + byte, 0)));
  }

  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`https://127.0.0.1:${listener.port}${path}`, { ...init, tls: { rejectUnauthorized: false } } as RequestInit);
  const subject = async () => {
    const socket = tls.connect({ port: listener.port, host: "127.0.0.1", rejectUnauthorized: false });
    await new Promise<void>((resolve, reject) => socket.once("secureConnect", resolve).once("error", reject));
    const { CN } = socket.getPeerCertificate().subject;
    socket.destroy();
    return CN;
  };

  test("passes requests and responses on whole, both of several megabytes, and knows the client's address", async () => {
    expect(await (await ask("/address")).text()).toBe("127.0.0.1");
    const body = new Uint8Array(5_000_000).fill(1);
    expect(await (await ask("/sum", { method: "POST", body })).text()).toBe("5000000");
    expect((await (await ask("/large")).bytes()).byteLength).toBe(8_000_000);
    expect((await ask("/large", { method: "HEAD" })).status).toBe(200);
    const refused = await ask("/refused", { method: "POST", body });
    expect([refused.status, refused.headers.getSetCookie()]).toEqual([403, ["a=1", "b=2"]]);
    await expect(ask("/broken").then((response) => response.text())).rejects.toThrow();
  });

  test("serves many connections at once", async () => {
    const all = await Promise.all(
      Array.from({ length: 60 }, async () => (await ask("/sum", { method: "POST", body: "a" })).text()),
    );
    expect(new Set(all)).toEqual(new Set(["97"]));
  });

  test.each([
    [
      "HTTP without TLS, which gets a response that says so",
      "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
      "HTTP/1.1 400 Bad\r\nContent-Length: 5\r\n\r\nplain",
    ],
    ["anything else, which gets no response", "\x00\x01\x02\x03", ""],
    ["a handshake that is none", "\x16\x03\x01\x00\x05hello", undefined],
  ])("lives through %s", async (_name, sent, expected) => {
    const socket = net.connect(listener.port, "127.0.0.1");
    let got = "";
    socket.on("data", (bytes) => (got += bytes.toString("latin1")));
    socket.on("error", () => undefined);
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    socket.write(Buffer.from(sent, "latin1"));
    await closed;
    if (expected !== undefined) expect(got).toBe(expected);
    expect(await (await ask("/address")).text()).toBe("127.0.0.1");
  });

  test("takes a new pair when the files change, and keeps the one before while they hold none", async () => {
    expect(await subject()).toBe("provider.test");
    const next = async (change: () => void) => {
      heard = Promise.withResolvers();
      change();
      await heard.promise;
      return said.at(-1)!;
    };
    expect(await next(() => copyFileSync(fixture("other-cert.pem"), certFile))).toContain(
      "the key is not that of the certificate",
    );
    expect(await subject()).toBe("provider.test");
    expect(await next(() => copyFileSync(fixture("other-key.pem"), keyFile))).toBe("reloaded");
    expect(await subject()).toBe("another listener");
    expect(await next(() => rmSync(keyFile))).toContain("cannot be read");
    expect(await subject()).toBe("another listener");
    expect(readFileSync(certFile).byteLength).toBeGreaterThan(100);
    expect(await next(() => put("cert.pem", "key.pem"))).toMatch(/reloaded|not that of/);
  });
});
