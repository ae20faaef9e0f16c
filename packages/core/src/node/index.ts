export { parseJsonBody } from "../http/request/json-body.js";
export { createLibuvSlowHash } from "./crypto/libuv-slow-hash.js";
export { nodeDigest } from "./crypto/node-digest.js";
export { nodeHmac } from "./crypto/node-hmac.js";
export { onNode } from "./crypto/on-node.js";
export {
  createFileArtifactStore,
  type FileArtifactStoreOptions,
} from "./files/file-artifact-store.js";
export { loadOrCreateSecrets } from "./files/load-or-create-secrets.js";
export { makeDurableFolder } from "./files/make-durable-folder.js";
export { clientAddressOf, clientSiteOf, forwardedAddress } from "./listener/forwarded-address.js";
export {
  type ConnectionLimits,
  guardConnections,
  guardRequest,
} from "./listener/guard-connections.js";
export { guardServer } from "./listener/guard-server.js";
export { isAmbiguousPath } from "./listener/is-ambiguous-path.js";
export {
  type NodeListenerOptions,
  type RequestReading,
  readNodeBody,
  toGatewayRequest,
  toNodeListener,
  writeGatewayResponse,
} from "./listener/node-listener.js";
export { toOriginForm } from "./listener/origin-form.js";
export { streamNodeBody } from "./listener/stream-node-body.js";
export {
  type Maintenance,
  type MaintenanceOptions,
  startMaintenance,
} from "./start-maintenance.js";
