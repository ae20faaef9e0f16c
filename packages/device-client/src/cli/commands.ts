import type { Command } from "./command.js";
import { deviceCommands } from "./device/change-device.js";
import { pause, resume, rollout, withdraw } from "./firmware/change-release.js";
import { keygen } from "./firmware/keygen.js";
import { lines } from "./firmware/lines.js";
import { list } from "./firmware/list-releases.js";
import { publish } from "./firmware/publish.js";
import { explain, status } from "./firmware/show-release.js";
import { metricCommands } from "./metrics/metric-commands.js";
import { cleanUp } from "./simulate/clean-up.js";
import { simulate } from "./simulate/simulate.js";
import { testCloud } from "./test-cloud/test-cloud.js";

/** Every command of `device-gateway`, in the order of the help. */
export const commands: readonly Command[] = [
  keygen,
  publish,
  lines,
  list,
  status,
  explain,
  rollout,
  pause,
  resume,
  withdraw,
  ...deviceCommands,
  ...metricCommands,
  simulate,
  cleanUp,
  testCloud,
];
