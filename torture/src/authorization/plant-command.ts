import type { GatewayStore } from "@device-gateway/core";

/** Stores an open command with a marker in its payload, under an id that the samples know. */
export async function plantCommand(
  store: GatewayStore,
  planted: { readonly deviceId: string; readonly commandId: string; readonly marker: string },
  sender: { readonly id: string; readonly now: number },
): Promise<void> {
  const { deviceId, commandId, marker } = planted;
  const { id, now } = sender;
  const expiresAt = now + 3_600_000;
  const outcome = await store.commands.send({
    command: {
      ...{ commandId, deviceId, name: "show", payload: { text: marker }, sentBy: id, sentAt: now },
      ...{ key: null, expiresAt, answerWithinMs: 600_000, state: "pending", deliveredAt: null },
      ...{ dueAt: expiresAt, endedAt: null, answer: null, answeredAt: null },
    },
    ...{ ownerId: id, maxOpen: 20, keepEnded: 100 },
    event: {
      ...{ kind: "device.command_sent", at: now, deviceId, actor: id },
      ...{ requestId: null, clientAddress: null, details: {} },
    },
  });
  if (outcome.kind !== "sent") throw new Error(`The command was not planted: ${outcome.kind}.`);
}
