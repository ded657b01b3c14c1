import type { ProviderPlugin } from "weir/plugin";

/** ElevenLabs: speech. Its formats are its own; bodies are kept as received. */
export default {
  apiVersion: 1,
  name: "ELEVENLABS",
  hosts: ["api.elevenlabs.io", "*.elevenlabs.io"],
  target: "https://api.elevenlabs.io",
  dedicatedDomain: "elevenlabs",
  mask: { headers: ["xi-api-key"] },
} satisfies ProviderPlugin;
