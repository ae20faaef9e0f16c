import { customer, type Gateway } from "@device-gateway/core";

/** Deletes the alert rules of a user whose account is deleted, with their alerts. If it rejects, call it again. */
export async function removeAlertRules(gateway: Pick<Gateway, "as">, id: string): Promise<void> {
  const api = gateway.as(customer({ id, emailVerified: true }));
  for (;;) {
    const listed = await api.listAlertRules();
    if (listed.isErr()) throw new Error(listed.error.detail, { cause: listed.error.cause });
    const { rules } = listed.value.body;
    if (rules.length === 0) return;
    for (const { id: ruleId } of rules) {
      const removed = await api.removeAlertRule({ params: { ruleId } });
      if (removed.isOk() || removed.error.code === "alert_rule_not_found") continue;
      throw new Error(removed.error.detail, { cause: removed.error.cause });
    }
  }
}
