import type { FormatOf } from "../../series/metric-format.js";
import { displayName, escapeName } from "../../series/metric-names.js";
import { formatNumber } from "../../ui/format.js";

interface NodeProps {
  readonly name: string;
  /** The path, written like the name of a metric. */
  readonly path: string;
  readonly value: unknown;
  readonly depth: number;
  readonly formatOf: FormatOf;
}

function Leaf({ name, path, value, formatOf }: Omit<NodeProps, "depth">) {
  const format = formatOf(path);
  const isNamed = format.name !== displayName(path);
  const number =
    typeof value === "number" && format.decimals !== undefined
      ? formatNumber(value, format.decimals)
      : String(value);
  const text = typeof value === "number" && format.unit ? `${number} ${format.unit}` : number;
  return (
    <li class="leaf">
      <span class="key" {...(isNamed && { title: path })}>
        {isNamed ? format.name : name}
      </span>
      {/* The key makes a new element for each text. Right-aligned text that changes would count as a layout shift. */}
      <span key={text}>{text}</span>
    </li>
  );
}

function Node({ name, path, value, depth, formatOf }: NodeProps) {
  if (typeof value !== "object" || value === null) {
    return <Leaf name={name} path={path} value={value} formatOf={formatOf} />;
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
              formatOf={formatOf}
            />
          ))}
        </ul>
      </details>
    </li>
  );
}

interface RecordTreeProps {
  readonly record: Readonly<Record<string, unknown>>;
  readonly formatOf: FormatOf;
}

/** Shows a record section by section, with the display names and units of its metrics. */
export const RecordTree = ({ record, formatOf }: RecordTreeProps) => (
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
            formatOf={formatOf}
          />
        ))}
    </ul>
  </div>
);
