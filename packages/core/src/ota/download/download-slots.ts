/** The firmware downloads that each device has under way in this process. */
export interface DownloadSlots {
  /**
   * Counts a device's download until the returned function is called. One too many ends the oldest: a
   * device that lost its connection is never kept waiting by the download that it left behind.
   */
  take(deviceId: string, end: () => void): () => void;
}

export function createDownloadSlots(perDevice: number): DownloadSlots {
  /** The oldest of each device first. */
  const underWay = new Map<string, Set<() => void>>();
  return {
    take(deviceId, end) {
      const downloads = underWay.get(deviceId) ?? new Set();
      const giveBack = () => {
        downloads.delete(end);
        if (downloads.size === 0 && underWay.get(deviceId) === downloads) underWay.delete(deviceId);
      };
      for (const oldest of downloads) {
        if (downloads.size < perDevice) break;
        downloads.delete(oldest);
        oldest();
      }
      downloads.add(end);
      underWay.set(deviceId, downloads);
      return giveBack;
    },
  };
}
