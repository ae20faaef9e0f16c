/** Version 28: finds the latest alert of a rule and subject without reading those of other rules. */
export const alertsInOrder = `
DROP INDEX device_gateway.alerts_by_rule;

CREATE INDEX alerts_by_rule ON device_gateway.alerts (rule_id, subject, fired_at, id);
`;
