/** A template and the devices that get its rows. The template itself is removed. */
export interface CloneSet {
  readonly template: string;
  readonly deviceIds: readonly string[];
}
