import type { Route } from "@device-gateway/core/contract";
import type { ActorName } from "../samples/actor-names.js";
import type { WorldReply } from "../world.js";
import { deviceId, markers, releaseMarkers, type Scene } from "./scene.js";

const former = Object.values(markers.former);
const present = Object.values(markers.present);
const { image, draftNotes } = releaseMarkers;

/** Returns the markers that an actor may see through a route that accepts the actor. */
function allowed(actor: ActorName, route: Route): readonly string[] {
  const forUsers = route.auth[0] === "session" || route.auth[0] === "customer";
  const { config, command } = markers.present;
  switch (actor) {
    case "owner":
    case "owner's browser, from another site":
      return forUsers ? [deviceId, ...present] : [];
    case "operator":
    case "operator's browser, from another site":
      return forUsers || route.auth[0] === "operator"
        ? [deviceId, ...former, ...present, draftNotes]
        : [];
    case "the device":
      return route.auth[0] === "device" ? [deviceId, config, command, image] : [];
    default:
      return [];
  }
}

/** Returns the planted secrets and markers that a response contains but must not. */
export function leaksOf(
  reply: WorldReply,
  { forbidden }: Scene,
  actor: ActorName,
  route: Route,
): string[] {
  const text = JSON.stringify(reply.headers) + reply.body;
  const open = allowed(actor, route);
  const markersOfAll = [deviceId, ...former, ...present, image, draftNotes];
  const closed = markersOfAll.filter((marker) => !open.includes(marker));
  return [...forbidden, ...closed].filter((marker) => text.includes(marker));
}
