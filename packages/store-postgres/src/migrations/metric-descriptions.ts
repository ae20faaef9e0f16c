/** Version 21: how operators want metrics to be shown. */
export const metricDescriptions = `
CREATE TABLE device_gateway.metric_descriptions (
  target_hardware text COLLATE "C" PRIMARY KEY,
  content text COLLATE "C" NOT NULL -- canonical JSON: descriptions by the names of metrics
);
`;
