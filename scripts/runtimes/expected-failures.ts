const bunDropsLength =
  "Bun.serve drops the Content-Length of a stream (oven-sh/bun#10507). node:http on Bun sends it.";
const addsLength =
  "It sends Content-Length: 0 with a response to HEAD whose handler sets no length.";

/**
 * The cases that fail because of a runtime, each with its reason. `pnpm runtimes` fails if another case fails, and also
 * if one of these passes: then remove it here and in the table of `packages/core/README.md`.
 */
export const expectedFailures: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  bun: {
    "wire: Bun × memory > §6 an image is downloaded as uploaded, with headers that describe it":
      bunDropsLength,
    "wire: Bun × memory > §6 an interrupted download resumes if the image is the same":
      bunDropsLength,
    "wire: Bun × memory > §0 HEAD of a stream has no Content-Length, because that of GET is unknown":
      addsLength,
  },
  deno: {
    "wire: Deno × memory > §0 HEAD of a stream has no Content-Length, because that of GET is unknown":
      addsLength,
  },
  next: {
    "a download has a Content-Length":
      "Next removes this header from the response of a route handler.",
  },
};

/**
 * Cases that read a response slowly. They are left out where the client is `fetch` of Bun or Deno, which receives ahead
 * of its reader: the response may end before the gateway cuts it. On workerd, where the suite has no connection between
 * client and gateway, they are run.
 */
export const slowReaders: readonly string[] = [
  "§2 a running download is aborted when its credential ends",
  "§6 a running download is aborted when its release is withdrawn",
  "§7 a slow export is aborted when another customer owns the device",
  "§9 a third download of a device ends its oldest one, and the others continue",
  "§9 the number of downloads of a device is an option",
];
