import type { ProviderPlugin } from "weir/plugin";

/** ElevenLabs: speech. Its forms are its own and stay as they came. */
export default {
  apiVersion: 1,
  name: "ELEVENLABS",
  hosts: ["api.elevenlabs.io", "*.elevenlabs.io"],
  target: "https://api.elevenlabs.io",
  dedicatedDomain: "elevenlabs",
  mask: { headers: ["xi-api-key"] },
} satisfies ProviderPlugin;
