import type { LookOf } from "../../series/metric-look.js";
import { displayName, escapeName } from "../../series/metric-names.js";
import { formatNumber } from "../../ui/format.js";

interface NodeProps {
  readonly name: string;
  /** The path, written like the name of a metric. */
  readonly path: string;
  readonly value: unknown;
  readonly depth: number;
  readonly lookOf: LookOf;
}

function Leaf({ name, path, value, lookOf }: Omit<NodeProps, "depth">) {
  const look = lookOf(path);
  const isNamed = look.name !== displayName(path);
  const number =
    typeof value === "number" && look.decimals !== undefined
      ? formatNumber(value, look.decimals)
      : String(value);
  const text = typeof value === "number" && look.unit ? `${number} ${look.unit}` : number;
  return (
    <li class="leaf">
      <span class="key" {...(isNamed && { title: path })}>
        {isNamed ? look.name : name}
      </span>
      {/* The key makes a new element for each text. Right-aligned text that changes would count as a layout shift. */}
      <span key={text}>{text}</span>
    </li>
  );
}

function Node({ name, path, value, depth, lookOf }: NodeProps) {
  if (typeof value !== "object" || value === null) {
    return <Leaf name={name} path={path} value={value} lookOf={lookOf} />;
  }
  const entries = Object.entries(value) as [string, unknown][];
  return (
    <li>
      <details open={depth < 2 && entries.length <= 24}>
        <summary>
          {name} <span class="key">{Array.isArray(value) ? `[${entries.length}]` : ""}</span>
        </summary>
        <ul>
          {entries.map(([key, inner]) => (
            <Node
              key={key}
              name={key}
              path={`${path}.${escapeName(key)}`}
              value={inner}
              depth={depth + 1}
              lookOf={lookOf}
            />
          ))}
        </ul>
      </details>
    </li>
  );
}

interface RecordTreeProps {
  readonly record: Readonly<Record<string, unknown>>;
  readonly lookOf: LookOf;
}

/** Shows a record section by section, with the display names and units of its metrics. */
export const RecordTree = ({ record, lookOf }: RecordTreeProps) => (
  <div class="tree">
    <ul>
      {Object.entries(record)
        .filter(([name]) => name !== "timestamp")
        .map(([name, value]) => (
          <Node
            key={name}
            name={name}
            path={escapeName(name)}
            value={value}
            depth={0}
            lookOf={lookOf}
          />
        ))}
    </ul>
  </div>
);
