import {
  type CommandStore,
  compareBytes,
  type Device,
  type DeviceStore,
  type MetadataStore,
  type SearchKey,
} from "@device-gateway/core/store";
import type { Cells } from "./cells.js";
import { mergePages, workInTurn } from "./fan-out.js";

const byId = (a: Device, b: Device) => compareBytes(a.deviceId, b.deviceId);

const searchTexts: Readonly<Record<SearchKey, (device: Device) => string | null>> = {
  name: ({ name }) => name,
  ownerId: ({ ownership }) => ownership?.ownerId ?? null,
  targetHardware: ({ profile }) => profile.targetHardware,
  firmwareVersion: ({ profile }) => profile.firmwareVersion,
};

/** Devices are in their cells. Lists are ordered by values of the devices, so that one place continues all cells. */
export function createCellsDevices({ cells, of, inCell }: Cells): DeviceStore {
  return {
    find: (deviceId) => of(deviceId).devices.find(deviceId),
    list: (input) => mergePages(cells, ({ devices }) => devices.list(input), byId, input.limit),
    listMarked: (input) =>
      mergePages(cells, ({ devices }) => devices.listMarked(input), byId, input.limit),
    search: (input) => {
      const textOf = (device: Device) => searchTexts[input.by](device) ?? "";
      const inOrder = (a: Device, b: Device) => compareBytes(textOf(a), textOf(b)) || byId(a, b);
      return mergePages(cells, ({ devices }) => devices.search(input), inOrder, input.limit);
    },
    register: (input) => of(input.device.deviceId).devices.register(input),
    rotate: inCell((cell, input) => cell.devices.rotate(input)),
    recordUse: inCell((cell, input) => cell.devices.recordUse(input)),
    recordProfile: inCell((cell, input) => cell.devices.recordProfile(input)),
    recordSeen: inCell((cell, input) => cell.devices.recordSeen(input)),
    rename: inCell((cell, input) => cell.devices.rename(input)),
    openReEnrolment: inCell((cell, input) => cell.devices.openReEnrolment(input)),
    revoke: inCell((cell, input) => cell.devices.revoke(input)),
    reinstate: inCell((cell, input) => cell.devices.reinstate(input)),
    erase: inCell((cell, input) => cell.devices.erase(input)),
    async dropUnused(input) {
      if (input.deviceId !== null) return of(input.deviceId).devices.dropUnused(input);
      const dropped: string[] = [];
      await workInTurn(cells, input.limit, async ({ devices }, limit) => {
        const some = await devices.dropUnused({ ...input, limit });
        dropped.push(...some);
        return some.length;
      });
      return dropped;
    },
  };
}

export function createCellsMetadata({ cells, of, inCell }: Cells): MetadataStore {
  return {
    find: (deviceId) => of(deviceId).metadata.find(deviceId),
    replace: inCell((cell, input) => cell.metadata.replace(input)),
    listDevices: (input) =>
      mergePages(cells, ({ metadata }) => metadata.listDevices(input), byId, input.limit),
  };
}

export function createCellsCommands({ cells, of, inCell }: Cells): CommandStore {
  return {
    send: (input) => of(input.command.deviceId).commands.send(input),
    take: inCell((cell, input) => cell.commands.take(input)),
    answer: inCell((cell, input) => cell.commands.answer(input)),
    cancel: inCell((cell, input) => cell.commands.cancel(input)),
    find: inCell((cell, input) => cell.commands.find(input)),
    list: inCell((cell, input) => cell.commands.list(input)),
    endDue: (input) =>
      workInTurn(cells, input.limit, ({ commands }, limit) => commands.endDue({ ...input, limit })),
    prune: (input) =>
      workInTurn(cells, input.limit, ({ commands }, limit) => commands.prune({ ...input, limit })),
  };
}
