import { counted } from "./plural.js";

export const pointUnderTheCursor = (name: string) => `${name}: point under the cursor`;
export const average = "Average";
export const lowest = "Lowest";
export const highest = "Highest";
export const value = "Value";
export const pointsOf = (name: string) => `Points of ${name}`;
export const time = "Time";
export const tableOfPoints = "Table of the shown points";
export const noReading = "no reading";
export const metricCount = (count: number) => counted(count, { one: "metric", other: "metrics" });
export const describeCombined = (metrics: string, spread: string) =>
  `${metrics} in one chart: ${spread}`;
export const spread = (low: string, lowName: string, high: string, highName: string) =>
  `lowest ${low} (${lowName}), highest ${high} (${highName})`;
export const spreadTitle = "Highest minus lowest";
export const noReadingsInRange = "No readings in this range. Choose a longer range.";
export const describeSeries = (metric: string, points: number, low: string, high: string) =>
  `${metric}: ${counted(points, { one: "point", other: "points" })}, from ${low} to ${high}`;
export const noReadingsOf = (metric: string) => `${metric}: no readings in this range`;
export const averageWithRange = (low: string, high: string) => `average, from ${low} to ${high}`;
export const metrics = "Metrics";
export const searchMetrics = "Search metrics";
export const moreMetrics = (length: number) => `${length} more…`;
export const earlierMetrics = "Earlier metrics…";
export const tooManyLines = (most: number) =>
  `At most ${counted(most, { one: "line", other: "lines" })}. Remove one to add another.`;
export const tooManyCharts = (most: number) =>
  `At most ${counted(most, { one: "chart", other: "charts" })}. Remove one to add another, or put them into one chart.`;
export const hour = "Hour";
export const sixHours = "6 h";
export const day = "Day";
export const week = "Week";
export const month = "Month";
export const year = "Year";
export const ownRange = "Custom range";
export const from = "From";
export const to = "To";
export const show = "Show";
export const startAfterEnd = "The start must be before the end.";
export const everyReading = "Every reading.";
export const averageOf = (step: string) =>
  `Average of ${step}, with the range from lowest to highest.`;
export const settingsChanged = (names: string) => `Settings changed: ${names}`;
export const noReadingsFor = (duration: string) => `No readings for ${duration}`;
export const eventsInRange = "Events in this range";
export const noEvents = "No updates, changed settings or outages in this range.";
export const trends = "Trends";
export const resetZoom = "Reset zoom";
export const range = "Range";
export const chartLayout = "Charts";
export const oneChartEach = "Each on its own";
export const inOneChart = "In one chart";
export const dragToZoom = "Drag across a chart to zoom.";
export const downloadShown = "Download what is shown";
export const downloadCsv = "Download as CSV";
