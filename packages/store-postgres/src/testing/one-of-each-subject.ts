import type { StoreCase } from "@device-gateway/testing";

const subjectOf = ({ name }: StoreCase) => name.split(":")[0];

/** Returns the first case of each subject: the text before the colon of its name. */
export const oneOfEachSubject = (cases: readonly StoreCase[]): readonly StoreCase[] =>
  cases.filter((each) => each === cases.find((other) => subjectOf(other) === subjectOf(each)));
