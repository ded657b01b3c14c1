import type { ByteSocket } from "../../runtime/http/sockets.ts";
import type { MessageMeta, Outcome, RawHeaders } from "../../spool/frame.ts";
import type { Recording } from "../recording.ts";
import { endSocket } from "./socket-response.ts";
import { agreedInflate, MessageReader } from "./websocket-frames.ts";

interface Joint {
  readonly client: ByteSocket;
  /** Bytes that arrived after the client's head and must still be passed on. */
  readonly clientEarly: Uint8Array;
  readonly provider: ByteSocket;
  readonly providerEarly: Uint8Array;
  /** Of the 101 response. */
  readonly headers: RawHeaders;
  readonly recording: Recording;
  /** Called exactly once. */
  readonly onEnd: (outcome: Outcome) => void;
}

/**
 * Passes bytes both ways between two sockets, unchanged and with back-pressure, and records the messages in them.
 *
 * @returns a function that cuts both connections.
 */
export function joinSockets(joint: Joint): () => void {
  const { client, provider, recording } = joint;
  let ended = false;
  const end = (outcome: Outcome) => {
    if (ended) return;
    ended = true;
    joint.onEnd(outcome);
  };
  const cut = () => {
    client.destroy();
    provider.destroy();
  };

  const toProvider = createTap(joint, "client");
  const toClient = createTap(joint, "provider");
  pass(client, provider, (bytes) => {
    recording.requestBytes += bytes.byteLength;
    toProvider.execute(bytes);
  });
  pass(provider, client, (bytes) => {
    recording.firstByteAt ??= recording.now();
    recording.responseBytes += bytes.byteLength;
    toClient.execute(bytes);
  });

  // Many clients leave with a reset; the messages that passed are complete anyway.
  client.on("error", () => client.destroy());
  provider.on("error", () => provider.destroy());
  client.on("close", () => {
    end("complete");
    provider.destroy();
  });
  provider.on("close", () => {
    end("complete");
    if (!client.destroyed) endSocket(client);
  });

  if (joint.clientEarly.byteLength > 0) client.emit("data", Buffer.from(joint.clientEarly));
  if (joint.providerEarly.byteLength > 0) provider.emit("data", Buffer.from(joint.providerEarly));
  client.resume();
  provider.resume();
  return cut;
}

function pass(from: ByteSocket, to: ByteSocket, see: (bytes: Buffer) => void): void {
  from.on("data", (bytes: Buffer) => {
    see(bytes);
    if (to.writable && !to.write(bytes)) from.pause();
  });
  to.on("drain", () => from.resume());
  from.on("end", () => to.end());
}

function createTap({ headers, recording }: Joint, direction: MessageMeta["direction"]): MessageReader {
  return new MessageReader(
    {
      onMessage(payload, isText, bytes) {
        if (payload === undefined) recording.messageTooLarge(direction);
        else if (isText) recording.message({ time: recording.now(), direction, text: payload.toString("utf8") }, bytes);
        else recording.message({ time: recording.now(), direction, base64: payload.toString("base64") }, bytes);
      },
    },
    () => recording.messageRoom(direction),
    agreedInflate(headers, direction),
  );
}
