export { controlOpenApi } from "./control-openapi.js";
export { type ControlOptions, type ControlServer, serveControl } from "./serve-control.js";
export {
  type StartedTestCloud,
  startTestCloud,
  type TestCloudPorts,
} from "./start-test-cloud.js";
