interface Passwords {
  verify: (data: { hash: string; password: string }) => Promise<boolean>;
}

/**
 * Holds back the result of the next check of a password. `checked` resolves once the check is over, and `release` lets
 * its caller have the result.
 */
export function holdPasswordCheck(passwords: Passwords) {
  const { verify } = passwords;
  let reportChecked = () => {};
  let release = () => {};
  const checked = new Promise<void>((resolve) => {
    reportChecked = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  passwords.verify = async (input) => {
    passwords.verify = verify;
    const isCorrect = await verify(input);
    reportChecked();
    await released;
    return isCorrect;
  };
  return { checked, release };
}
