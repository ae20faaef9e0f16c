/** Returns the argument of a command that takes exactly one and no options, or undefined if it got others. */
export const onlyArgument = ([argument, ...others]: readonly string[]): string | undefined =>
  argument?.startsWith("-") || others.length > 0 ? undefined : argument;
