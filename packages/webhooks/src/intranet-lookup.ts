import { lookup } from "node:dns";
import { Resolver } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import { isUnknownName, resolveName } from "./public-address.js";

/**
 * Creates a `lookup` for sockets that returns addresses of any kind. It asks the name servers itself, as
 * `createPublicLookup` does. The system looks up the other names, such as those in `/etc/hosts`. While the name servers do
 * not answer, it looks up one at a time, because each may hold one of the few threads that look up names.
 */
export function createIntranetLookup(resolver: Resolver): LookupFunction {
  let isAsking = false;
  return (host, options, callback) => {
    resolveName(resolver, host).then(
      ([first, ...others]) => {
        if (first === undefined) lookup(host, options, callback);
        else if (options.all === true) callback(null, [first, ...others]);
        else callback(null, first.address, first.family);
      },
      (error: Error) => {
        if (isUnknownName(error)) return lookup(host, options, callback);
        if (isAsking) return callback(error, "", 0);
        isAsking = true;
        lookup(host, options, (...found: Parameters<typeof callback>) => {
          isAsking = false;
          callback(...found);
        });
      },
    );
  };
}

let shared: LookupFunction | undefined;

/** The lookup of all endpoints where intranet addresses are allowed. */
export const lookUpIntranet: LookupFunction = (...call) => {
  shared ??= createIntranetLookup(new Resolver({ timeout: 2_000, tries: 2 }));
  shared(...call);
};
