interface NodeProps {
  readonly name: string;
  readonly value: unknown;
  readonly depth: number;
}

function Node({ name, value, depth }: NodeProps) {
  if (typeof value !== "object" || value === null) {
    const text = String(value);
    return (
      <li class="leaf">
        <span class="key">{name}</span>
        {/* The key makes a new element for each text. Right-aligned text that changes would count as a layout shift. */}
        <span key={text}>{text}</span>
      </li>
    );
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
            <Node key={key} name={key} value={inner} depth={depth + 1} />
          ))}
        </ul>
      </details>
    </li>
  );
}

/** Shows a record as it was sent, section by section. */
export const RecordTree = ({ record }: { record: Readonly<Record<string, unknown>> }) => (
  <div class="tree">
    <ul>
      {Object.entries(record)
        .filter(([name]) => name !== "timestamp")
        .map(([name, value]) => (
          <Node key={name} name={name} value={value} depth={0} />
        ))}
    </ul>
  </div>
);
