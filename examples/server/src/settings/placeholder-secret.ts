/** Parts of secrets in documentation and templates, in lower case, letters and digits only. */
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

/** 32 random characters, even hexadecimal ones, practically always have at least this many different ones. */
const minDifferent = 8;

/** Returns whether a secret looks like one from documentation or like one that was typed by hand. */
export function isPlaceholder(secret: string): boolean {
  const plain = secret.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  return (
    wellKnown.some((text) => plain.includes(text)) ||
    new Set(secret).size < minDifferent ||
    /^(.{1,16})\1+.{0,15}$/s.test(secret)
  );
}
