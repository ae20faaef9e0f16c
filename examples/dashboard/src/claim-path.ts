interface Label {
  readonly deviceId: string;
  readonly claimCode: string;
}

/** The link on a gateway's label: it fills in the claim form. */
export const claimPath = ({ deviceId, claimCode }: Label) =>
  `/claim?${new URLSearchParams({ device: deviceId, code: claimCode })}`;
