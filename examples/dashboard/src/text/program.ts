export const unknownProgram = "Unknown program";
export const on = (program: string, system: string) => `${program} on ${system}`;
