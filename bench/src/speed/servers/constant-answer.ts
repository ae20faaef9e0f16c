const body = JSON.stringify({
  accepted: 1,
  duplicates: 0,
  rejected: [],
  serverTime: "2026-01-01T00:00:00.000Z",
  configVersion: "AAAAAAAAAAAAAAAA",
  updateAvailable: false,
});

/** A response as long as the gateway's. */
export const constantAnswer = {
  body,
  headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
};
