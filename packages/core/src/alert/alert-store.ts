import type { SecurityEvent } from "../audit/security-event.js";
import type { Device } from "../device/device.js";
import type { JsonObject } from "../shared/json.js";
import type { Alert, AlertNotification } from "./alert.js";
import type { AlertRule } from "./alert-rule.js";

/** What the evaluator knows about a device, or about the fleet if the id is empty. */
export interface AlertWatch {
  readonly deviceId: string;
  /** Raised by every judgement. */
  readonly revision: number;
  /** The evaluator's own notes. */
  readonly content: JsonObject;
  /** The device is due when telemetry is received later than this (epoch milliseconds). */
  readonly receivedAt: number;
  /** The device is due at this time at the latest (epoch milliseconds). */
  readonly dueAt: number;
  /**
   * When the device counts as silent unless it sends (epoch milliseconds). Null: no rule about silence waits for it.
   */
  readonly silentAt: number | null;
}

/** A device that must be judged. */
export interface DueDevice {
  readonly device: Device;
  /** Null: it was never judged. */
  readonly watch: AlertWatch | null;
}

export interface DuePage {
  readonly devices: readonly DueDevice[];
  /** What to pass as `after` for the next page, opaque. Null: that was the last page. */
  readonly next: string | null;
  /** Devices of this page that a rule about silence waits for, and those of them that are silent. */
  readonly watched: number;
  readonly overdue: number;
}

/** A change of an alert, written with a judgement. Null as `notification`: nobody is notified. */
export type AlertTransition =
  /**
   * Applied if the rule still exists, the owner still owns the device, and the rule has no firing alert of the subject.
   */
  | {
      readonly kind: "firing";
      readonly alert: Alert;
      readonly event: SecurityEvent;
      readonly notification: AlertNotification | null;
    }
  /** Applied if the alert still fires. */
  | {
      readonly kind: "cleared";
      readonly alertId: string;
      readonly at: number;
      readonly event: SecurityEvent;
      readonly notification: AlertNotification | null;
    }
  /** Always applied: the device went online or offline. Only the event is written. */
  | { readonly kind: "presence"; readonly event: SecurityEvent }
  /** Applied if the alert is firing and not acknowledged. */
  | {
      readonly kind: "reminded";
      readonly alertId: string;
      readonly at: number;
      readonly notification: AlertNotification;
    };

export type CreateRuleOutcome = {
  /** `unknown_device`: the rule is for a device that its owner does not own. */
  readonly kind: "created" | "too_many" | "unknown_device";
};
export type ReplaceRuleOutcome = { readonly kind: "replaced" | "conflict" };
export type RemoveRuleOutcome = { readonly kind: "removed" | "more" | "unknown" };
export type ChangeAlertOutcome = { readonly kind: "recorded" | "unknown" };
export type JudgeOutcome = { readonly kind: "judged" | "conflict" };

/**
 * Stores alert rules, alerts, and the notifications that wait for delivery. The release of a device deletes its owner's
 * rules for it, the owner's alerts about it and the notifications about it. The erasure of a device deletes all of
 * them.
 */
export interface AlertStore {
  /** Stores a rule and writes the event, in one transaction, if its owner has fewer than `most` rules. */
  createRule(input: {
    rule: AlertRule;
    most: number;
    event: SecurityEvent;
  }): Promise<CreateRuleOutcome>;
  findRule(id: string): Promise<AlertRule | null>;
  /** Returns at most `limit` rules of an owner (null: the operators) with an id above `after`, ordered by id. */
  listRules(input: {
    ownerId: string | null;
    after: string;
    limit: number;
  }): Promise<readonly AlertRule[]>;
  /** Returns all rules of these owners. Null stands for the operators. */
  rulesOf(ownerIds: readonly (string | null)[]): Promise<readonly AlertRule[]>;
  /** Returns whether anybody has a rule, and whether the operators have one. */
  ruleScope(): Promise<{ readonly any: boolean; readonly fleet: boolean }>;
  /** Replaces a rule and writes the event, in one transaction, if its revision is still the expected one. */
  replaceRule(input: {
    rule: AlertRule;
    expectedRevision: number;
    event: SecurityEvent;
  }): Promise<ReplaceRuleOutcome>;
  /**
   * Deletes at most `limit` alerts of a rule with their notifications. If fewer were left, it also deletes the rule and
   * writes the event, in the same transaction. `more`: call it again.
   */
  removeRule(input: {
    id: string;
    limit: number;
    event: SecurityEvent;
  }): Promise<RemoveRuleOutcome>;

  find(id: string): Promise<Alert | null>;
  /**
   * Returns at most `limit` alerts of an owner (null: the operators), the latest first, then by descending id. With a
   * `deviceId`, only of this device. With `firing`, only those that fire.
   */
  list(input: {
    ownerId: string | null;
    deviceId: string | null;
    firing: boolean;
    before: { readonly firedAt: number; readonly id: string } | null;
    limit: number;
  }): Promise<readonly Alert[]>;
  /** Returns the alerts of these subjects that fire. */
  firing(subjects: readonly string[]): Promise<readonly Alert[]>;
  /** Records who acknowledged an alert, unless somebody did before. */
  acknowledge(input: { id: string; by: string; at: number }): Promise<ChangeAlertOutcome>;
  /**
   * Mutes an alert, and later ones of the same rule and subject, until a time (epoch milliseconds). Null ends it. A
   * store needs to change only this alert and the latest one of its rule and subject.
   */
  mute(input: { id: string; until: number | null }): Promise<ChangeAlertOutcome>;

  /**
   * Examines at most `limit` devices after a place. The empty `after` is the start, others are the `next` of a page.
   * Reading all pages examines each device that exists throughout exactly once. Returns devices that are not revoked,
   * that have an owner with rules (or all, if the operators have rules), and that were never judged, have sent
   * telemetry since their last judgement, or are due at `now`. A due time more than `mostAheadMs` after `now` counts as
   * due too, because a wrong clock wrote it. With `everyone`, also returns devices without rules, and
   * devices that have sent any request since their last judgement.
   */
  due(input: { after: string; now: number; limit: number; everyone: boolean }): Promise<DuePage>;
  findWatch(deviceId: string): Promise<AlertWatch | null>;
  /**
   * Replaces a watch and applies the transitions, with their events and notifications, in one transaction, if the
   * watch's revision is still the expected one (null: there is none) and, for a device, `ownerId` still owns it since
   * `claimedAt`. A transition whose condition does not hold is left out. A firing alert inherits the mute of the
   * latest alert of its rule and subject. While that mute lasts, the notification is left out.
   */
  judge(input: {
    watch: AlertWatch;
    expectedRevision: number | null;
    owner: { readonly ownerId: string; readonly claimedAt: number } | null;
    transitions: readonly AlertTransition[];
  }): Promise<JudgeOutcome>;

  /**
   * Takes at most `limit` notifications that are due at `now`, raises their attempts, and makes them due again at
   * `until`. A due time after `latest` counts as due too, because a wrong clock wrote it. Without `latest`, no due time
   * counts as wrong. Each notification goes to only one of several concurrent callers. Recipients with fewer due
   * notifications come first, then the earliest notifications, so that a recipient of many does not delay those of
   * others.
   */
  takeNotifications(input: {
    now: number;
    until: number;
    latest?: number;
    limit: number;
  }): Promise<readonly AlertNotification[]>;
  /**
   * Deletes a notification. With a `retryAt`, makes it due at that time instead and records the channels that delivered
   * it, if nobody has taken it since: its attempts must still be those that the caller's take returned.
   */
  settleNotification(input: {
    id: string;
    attempts: number;
    delivered: readonly string[];
    retryAt: number | null;
  }): Promise<void>;
  /** Deletes at most `limit` alerts that cleared before a time (epoch milliseconds). Returns how many. */
  prune(input: { clearedBefore: number; limit: number }): Promise<number>;
}
