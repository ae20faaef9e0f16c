import type { AlertChannel, AlertMessage } from "./alert-channel.js";

const toLateError = (ms: number) =>
  new Error(
    `The channel did not settle within ${Math.round(ms / 1_000)} seconds. Give what it waits for a shorter timeout.`,
  );

/** Sends a message over a channel. Rejects if the channel takes longer than `ms`, because it may never settle. */
export async function sendInTime(
  channel: AlertChannel,
  message: AlertMessage,
  ms: number,
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expiry = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(toLateError(ms)), ms);
  });
  try {
    await Promise.race([channel.send(message), expiry]);
  } finally {
    clearTimeout(timer);
  }
}
