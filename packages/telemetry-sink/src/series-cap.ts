/**
 * Why a series is refused: the device has used up its own series (`device`), or the smaller number that it gets while
 * few are left for all devices (`scarce`), or none are left (`total`).
 */
export type SeriesRefusal = "device" | "scarce" | "total";

/** Decides which series the sink may create. */
export interface SeriesCap {
  /**
   * Returns whether the device may send the metric with this hardware. A series that was admitted once stays admitted.
   */
  admit(deviceId: string, hardware: string, metric: string): "admitted" | SeriesRefusal;
  /** Returns how many series are admitted. */
  count(): number;
}

export interface SeriesBounds {
  /** Different metrics of one device with one hardware. */
  readonly metricsPerDevice: number;
  /** Series of all devices together. */
  readonly series: number;
}

/** FNV-1a, 32 bits. If two names of a device have the same hash, they count as one, which only loosens the cap. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), 0x01000193);
  return hash >>> 0;
}

/** A device can declare another hardware at each login. Further ones get no series. */
const maxHardware = 4;
/** When less than a quarter is left, a device may have this part of `metricsPerDevice`, so that one client cannot take it all. */
const scarceShare = 1 / 16;

/**
 * Creates a cap on the number of series, because a device can send other names in each record. It holds from the start of
 * the process: names are not stored, only their hashes, some 40 bytes for each series.
 */
export function createSeriesCap({ metricsPerDevice, series }: SeriesBounds): SeriesCap {
  const known = new Map<string, Map<string, Set<number>>>();
  const scarceSeries = Math.ceil(metricsPerDevice * scarceShare);
  let count = 0;

  /** Returns why the device gets no further series, or null. */
  function refuse(
    ofDevice: ReadonlyMap<string, ReadonlySet<number>>,
    hardware: string,
  ): SeriesRefusal | null {
    const metrics = ofDevice.get(hardware);
    if (metrics === undefined && ofDevice.size >= maxHardware) return "device";
    if (metrics !== undefined && metrics.size >= metricsPerDevice) return "device";
    const left = series - count;
    if (left <= 0) return "total";
    if (left >= series / 4) return null;
    const ofAllHardware = [...ofDevice.values()].reduce((sum, { size }) => sum + size, 0);
    return ofAllHardware >= scarceSeries ? "scarce" : null;
  }

  return {
    admit(deviceId, hardware, metric) {
      const hash = hashOf(metric);
      const ofDevice = known.get(deviceId);
      const metrics = ofDevice?.get(hardware);
      if (metrics?.has(hash)) return "admitted";
      const refusal = refuse(ofDevice ?? new Map(), hardware);
      if (refusal !== null) return refusal;
      count += 1;
      if (metrics !== undefined) metrics.add(hash);
      else if (ofDevice !== undefined) ofDevice.set(hardware, new Set([hash]));
      else known.set(deviceId, new Map([[hardware, new Set([hash])]]));
      return "admitted";
    },
    count: () => count,
  };
}
