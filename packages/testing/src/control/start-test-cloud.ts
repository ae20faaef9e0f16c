import { createTestCloud } from "../cloud/create-test-cloud.js";
import { serveControl } from "./serve-control.js";

export interface TestCloudPorts {
  /** The address for devices. Default: `127.0.0.1`. */
  readonly host?: string;
  /** Default: a free port. */
  readonly port?: number;
  /** Serves HTTPS to devices. Default: false. */
  readonly tls?: boolean;
  /** Default: `127.0.0.1`. */
  readonly controlHost?: string;
  /** Default: a free port. */
  readonly controlPort?: number;
  /** Required unless `controlHost` is a loopback address. */
  readonly controlToken?: string;
}

/** A test cloud with its control API. */
export interface StartedTestCloud {
  /** The address for devices. */
  readonly url: string;
  readonly controlUrl: string;
  close(): Promise<void>;
}

/**
 * Starts a test cloud in real time with a port for devices and one for its control API.
 * @throws {TypeError} if the control API could be reached from outside without a token.
 *
 * @example
 * const { url, controlUrl, close } = await startTestCloud({ controlPort: 8090 });
 */
export async function startTestCloud(ports: TestCloudPorts = {}): Promise<StartedTestCloud> {
  const { host, port, tls, controlHost, controlPort, controlToken } = ports;
  const cloud = await createTestCloud({ realTime: true });
  try {
    const url = await cloud.listen({
      ...(host !== undefined && { host }),
      ...(port !== undefined && { port }),
      ...(tls !== undefined && { tls }),
    });
    const control = await serveControl(cloud, {
      url,
      ...(controlHost !== undefined && { host: controlHost }),
      ...(controlPort !== undefined && { port: controlPort }),
      ...(controlToken !== undefined && { token: controlToken }),
    });
    return {
      url,
      controlUrl: control.url,
      async close() {
        await control.close();
        await cloud.close();
      },
    };
  } catch (fault) {
    await cloud.close();
    throw fault;
  }
}
