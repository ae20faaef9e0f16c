/** Whether the tests run that `npm test` leaves out because they take long: `TEST_ALL=1`. torture/README.md lists them. */
export const allTests = process.env["TEST_ALL"] === "1";
