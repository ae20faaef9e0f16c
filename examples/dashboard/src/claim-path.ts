interface Label {
  readonly deviceId: string;
  readonly claimCode: string;
}

/** Returns the path on a gateway's label. It opens the claim form filled in. */
export const claimPath = ({ deviceId, claimCode }: Label) =>
  `/claim?${new URLSearchParams({ device: deviceId, code: claimCode })}`;
