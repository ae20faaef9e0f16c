/** The running firmware downloads of each device in this process. */
export interface DownloadSlots {
  /**
   * Counts a device's download until the returned function is called. One download too many ends the oldest, so that
   * a device that lost its connection never waits for the download that it left behind.
   */
  take(deviceId: string, end: () => void): () => void;
}

export function createDownloadSlots(perDevice: number): DownloadSlots {
  /** Oldest first for each device. */
  const running = new Map<string, Set<() => void>>();
  return {
    take(deviceId, end) {
      const downloads = running.get(deviceId) ?? new Set();
      const giveBack = () => {
        downloads.delete(end);
        if (downloads.size === 0 && running.get(deviceId) === downloads) running.delete(deviceId);
      };
      for (const oldest of downloads) {
        if (downloads.size < perDevice) break;
        downloads.delete(oldest);
        oldest();
      }
      downloads.add(end);
      running.set(deviceId, downloads);
      return giveBack;
    },
  };
}
