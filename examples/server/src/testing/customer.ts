import { SignJWT } from "jose";

/** The settings that a real issuer and the server share. */
export const customerSettings = {
  CUSTOMER_JWT_SECRET: "kT3v-9xWq_7LmZ2pRb8N-hY4cD6sJ1fG0aVu",
  CUSTOMER_JWT_ISSUER: "https://id.example.com",
  CUSTOMER_JWT_AUDIENCE: "device-gateway",
} as const;

/** Signs a customer's token as that issuer. It is valid for an hour. */
export function signCustomer(
  customer: string,
  claims: Readonly<Record<string, unknown>> = {},
  secret: string = customerSettings.CUSTOMER_JWT_SECRET,
): Promise<string> {
  const payload = {
    sub: customer,
    iss: customerSettings.CUSTOMER_JWT_ISSUER,
    aud: customerSettings.CUSTOMER_JWT_AUDIENCE,
    email_verified: true,
    ...claims,
  };
  return new SignJWT(payload)
    .setProtectedHeader({ alg: "HS256" })
    .setExpirationTime("1 hour")
    .sign(new TextEncoder().encode(secret));
}

export interface CustomerResponse {
  readonly status: number;
  readonly body: { readonly [field: string]: unknown } | undefined;
}

/** Creates a customer's API calls with their token. */
export function createCustomer(url: string, token: string) {
  const call = async (method: string, path: string, body?: unknown): Promise<CustomerResponse> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  };
  return {
    claim: (deviceId: string, claimCode: string) =>
      call("POST", "/user/devices/claim", { deviceId, claimCode }),
    claimBySecret: (deviceId: string, deviceSecret: string) =>
      call("POST", "/user/devices/claim", { deviceId, deviceSecret }),
    release: (deviceId: string) => call("DELETE", `/user/devices/${deviceId}/claim`),
    listDevices: () => call("GET", "/dashboard/devices"),
    readDevice: (deviceId: string) => call("GET", `/dashboard/devices/${deviceId}`),
    openReEnrolment: (deviceId: string) =>
      call("POST", `/dashboard/devices/${deviceId}/re-enrolment`),
    listAllDevices: () => call("GET", "/operator/devices"),
  };
}
