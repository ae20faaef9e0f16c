export { parseJsonBody } from "../http/json-body.js";
export { createFileArtifactStore, type FileArtifactStoreOptions } from "./file-artifact-store.js";
export { clientAddressOf, clientSiteOf, forwardedAddress } from "./forwarded-address.js";
export { type ConnectionLimits, guardConnections, guardRequest } from "./guard-connections.js";
export { isAmbiguousPath } from "./is-ambiguous-path.js";
export { createLibuvSlowHash } from "./libuv-slow-hash.js";
export { loadOrCreateSecrets } from "./load-or-create-secrets.js";
export { makeDurableFolder } from "./make-durable-folder.js";
export { nodeDigest } from "./node-digest.js";
export { nodeHmac } from "./node-hmac.js";
export {
  type NodeListenerOptions,
  type RequestReading,
  readNodeBody,
  toGatewayRequest,
  toNodeListener,
  writeGatewayResponse,
} from "./node-listener.js";
export { onNode } from "./on-node.js";
export {
  type Maintenance,
  type MaintenanceOptions,
  startMaintenance,
} from "./start-maintenance.js";
export { streamNodeBody } from "./stream-node-body.js";
