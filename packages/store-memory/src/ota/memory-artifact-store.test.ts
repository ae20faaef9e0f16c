import { describeArtifactConformance } from "@device-gateway/testing";
import { createMemoryArtifactStore } from "./memory-artifact-store.js";

describeArtifactConformance("memory", {
  async open() {
    const images = new Map<string, Uint8Array>();
    return {
      handles: [createMemoryArtifactStore(images), createMemoryArtifactStore(images)],
      dispose: async () => {},
    };
  },
});
