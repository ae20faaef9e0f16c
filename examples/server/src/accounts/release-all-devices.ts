import { customer, type Gateway } from "@device-gateway/core";

/**
 * Releases every device of a user. Each release is in the audit trail with the user as its actor. If it rejects, call it
 * again: the devices that are released stay so.
 */
export async function releaseAllDevices(gateway: Pick<Gateway, "as">, id: string): Promise<void> {
  const api = gateway.as(customer({ id, emailVerified: true }));
  for (;;) {
    const listed = await api.listDevices();
    if (listed.isErr()) throw new Error(listed.error.detail, { cause: listed.error.cause });
    const { devices } = listed.value.body;
    if (devices.length === 0) return;
    for (const device of devices) {
      const released = await api.releaseDevice({ params: { deviceId: device.id } });
      if (released.isOk() || released.error.code === "device_not_found") continue;
      throw new Error(released.error.detail, { cause: released.error.cause });
    }
  }
}
