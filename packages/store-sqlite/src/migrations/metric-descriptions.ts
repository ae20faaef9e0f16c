/** Version 20: how operators want metrics to be shown. */
export const metricDescriptions = `
CREATE TABLE metric_descriptions (
  target_hardware TEXT NOT NULL PRIMARY KEY,
  content TEXT NOT NULL -- canonical JSON: descriptions by the names of metrics
) STRICT, WITHOUT ROWID;
`;
