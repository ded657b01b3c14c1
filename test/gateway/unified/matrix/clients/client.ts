import type { Next, Scene, Seen } from "../scenes.ts";

/** What stands between a client and the gateway. */
export interface Place {
  readonly origin: string;
  readonly key: string;
  readonly model: string;
}

/** A conversation that a client holds, with a history in its own form. Throws what the client throws. */
export interface Conversation {
  send(next: Next): Promise<Seen>;
}

/** A program that people point at the gateway. */
export interface Client {
  readonly name: string;
  readonly shape: "chat-completions" | "responses" | "messages" | "generate-content";
  /** Scenes that it cannot play; all others it can. */
  readonly lacks?: readonly string[];
  /** Its history brings thoughts back with their state: from whole responses, and from streamed ones. */
  readonly keepsState: "always" | "whole" | "never";
  readonly open: (place: Place, scene: Scene) => Conversation;
}

/** An error as a client knows it. */
export function statusOf(error: unknown): number | undefined {
  const { status, statusCode, code, cause, lastError } = error as Record<string, unknown>;
  for (const value of [status, statusCode, code]) if (typeof value === "number") return value;
  return cause !== undefined ? statusOf(cause) : lastError !== undefined ? statusOf(lastError) : undefined;
}
