/** What stands in documentation and templates, in lower case, letters and digits only. */
const wellKnown = [
  "changeme",
  "changethis",
  "replaceme",
  "replacethis",
  "replacewith",
  "placeholder",
  "yoursecret",
  "yourjwt",
  "yoursuper",
  "your256bit",
  "astringsecret",
  "secretkey",
  "supersecret",
  "mysecret",
  "jwtsecret",
  "insertsecret",
  "generateme",
  "notsecure",
  "insecure",
  "password",
  "examplesecret",
  "abcdefgh",
  "12345678",
];

/** Fewer different characters than this is no accident in 32 random ones, even hexadecimal ones. */
const fewestDifferent = 8;

/** Whether a secret is one that stands in documentation, or that somebody typed for now. */
export function isPlaceholder(secret: string): boolean {
  const plain = secret.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  return (
    wellKnown.some((text) => plain.includes(text)) ||
    new Set(secret).size < fewestDifferent ||
    /^(.{1,16})\1+.{0,15}$/s.test(secret)
  );
}
