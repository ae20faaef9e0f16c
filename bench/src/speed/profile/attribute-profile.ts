import { readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { fileURLToPath } from "node:url";
import { type Frame, partOf } from "./profile-parts.js";

/** A profile of the inspector (https://chromedevtools.github.io/devtools-protocol/v8/Profiler). */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples?: readonly number[];
  readonly timeDeltas?: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    readonly lineNumber: number;
    readonly columnNumber: number;
  };
  readonly children?: readonly number[];
}

export interface Attribution {
  /** Microseconds by name, without idle time. */
  readonly parts: ReadonlyMap<string, number>;
  readonly functions: ReadonlyMap<string, number>;
  readonly idle: number;
}

function createSourceFinder() {
  const maps = new Map<string, SourceMap | undefined>();
  const mapOf = (url: string) => {
    if (!maps.has(url)) {
      const isBundle = url.startsWith("file:") && url.endsWith("-process.mjs");
      const text = isBundle ? readFileSync(`${fileURLToPath(url)}.map`, "utf8") : undefined;
      maps.set(
        url,
        text === undefined ? undefined : new SourceMap(JSON.parse(text) as SourceMapPayload),
      );
    }
    return maps.get(url);
  };
  return ({ callFrame }: ProfileNode): Frame => {
    const { functionName: name, url, lineNumber, columnNumber } = callFrame;
    const entry = mapOf(url)?.findEntry(lineNumber, columnNumber);
    const source = entry && "originalSource" in entry ? entry.originalSource : url;
    return { source: source.replace(/^.*\.\.\//, "").replace(/^file:\/\//, ""), name };
  };
}

const add = (sums: Map<string, number>, name: string, value: number) =>
  sums.set(name, (sums.get(name) ?? 0) + value);

/** Adds up the samples of a profile by named part and by function. */
export function attributeProfile({
  nodes,
  samples = [],
  timeDeltas = [],
}: CpuProfile): Attribution {
  const sourceOf = createSourceFinder();
  const frames = new Map(nodes.map((node) => [node.id, sourceOf(node)]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((c) => [c, id])));
  const stackOf = (id: number): Frame[] => {
    const stack: Frame[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      stack.push(frames.get(at) as Frame);
    }
    return stack;
  };

  const spent = new Map<number, number>();
  samples.forEach((id, n) => {
    spent.set(id, (spent.get(id) ?? 0) + (timeDeltas[n] ?? 0));
  });
  const parts = new Map<string, number>();
  const functions = new Map<string, number>();
  let idle = 0;
  for (const [id, us] of spent) {
    const stack = stackOf(id);
    const [self] = stack;
    if (self?.name === "(idle)") {
      idle += us;
      continue;
    }
    if (stack.some(({ source }) => source === "node:inspector")) continue;
    add(parts, partOf(stack), us);
    const owner = stack.find(({ source }) => source !== "");
    const of = owner && owner !== self ? ` < ${owner.name} ${owner.source}` : ` ${self?.source}`;
    add(functions, `${self?.name || "(anonymous)"}${of}`, us);
  }
  return { parts, functions, idle };
}
