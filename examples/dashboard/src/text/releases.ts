export const publishRelease = "Publish release";
export const pausedAutomatically = "Paused automatically";
export const latest = "latest";
export const releases = "Releases";
export const noReleasesYet = "No releases yet";
export const noReleasesHint =
  "Publish signed firmware. Devices with matching hardware are offered it, at the share that you choose.";
export const version = "Version";
export const status = "Status";
export const channel = "Channel";
export const rollout = "Rollout";
export const released = "Released";
export const showMore = "Show more";
export const publishFailed = (version: string, message: string) =>
  `Release ${version} was not published: ${message}`;
export const uploadedHint = "Uploaded. Activate the release to start the rollout.";
export const publishHint =
  "Your private key never leaves your machine: sign four lines there and paste the signature here. No device is offered the release until you activate it.";
export const stepImage = "1. Image";
export const firmwareImage = "Firmware image";
export const imageHint = "The exact file that devices install.";
export const targetHardware = "Target hardware";
export const imageSha256 = "SHA-256 of the image";
export const imageSha256Hint = "Calculated when you choose the file.";
export const stepSignature = "2. Signature";
export const fillInImageFirst =
  "Fill in the image details first. The lines to sign then appear here.";
export const signatureAsBase64 = "Signature (base64)";
export const signingKey = "Signing key";
export const signingKeyHint = "The ID of its public key on the server.";
export const algorithm = "Algorithm";
export const ecdsaP256 = "ECDSA P-256";
export const ed25519 = "Ed25519";
export const stepRollout = "3. Rollout";
export const shareOfDevicesPercent = "Share of devices (percent)";
export const mandatory = "Mandatory";
export const releaseNotes = "Release notes";
export const upload = "Upload";
export const uploadedPercent = (uploaded: number) => `${uploaded}% uploaded`;
export const uploadAsDraft = "Upload as draft";
export const hardware = "Hardware";
export const image = "Image";
export const notUploaded = (size: string) => `${size}, not uploaded`;
export const signedWith = "Signed with";
export const minimumVersion = "Minimum version";
export const firstActivated = "First activated";
export const about = "About";
export const sha256 = "SHA-256";
export const titleOf = (version: string) => `Release ${version}`;
export const title = "Release";
export const releaseFor = (version: string, targetHardware: string) =>
  `${version} for ${targetHardware}`;
export const shareOfDevices = (rolloutPercent: number) => `${rolloutPercent}% of devices`;
export const activated = "Active. Devices are offered this release from now on.";
export const activate = "Activate";
export const resume = "Resume";
export const confirmResuming = (version: string) => `Resume ${version}?`;
export const resumeRollout = "Resume rollout";
export const resumeHint = "Devices are offered this release again.";
export const paused = "Paused. No device is offered this release.";
export const pauseRollout = "Pause rollout";
export const withdraw = "Withdraw";
export const haltedHint = (haltedAt: string) =>
  `The rollout paused automatically on ${haltedAt}, because too many updates failed. Find the cause before you resume it.`;
export const confirmWithdrawal = (version: string) => `Withdraw ${version}?`;
export const withdrawRelease = "Withdraw release";
export const releaseWithdrawn = "Release withdrawn.";
export const withdrawHint =
  "No device is offered this release any more, and you can't activate it again. To stop it for a while, pause the rollout instead.";
export const none = "none";
export const yes = "yes";
export const no = "no";
export const never = "never";
