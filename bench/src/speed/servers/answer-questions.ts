/** The questions that the bench can ask a server process, each with a function that answers it. */
export type Questions = Readonly<Record<string, (argument: unknown) => unknown>>;

/** Answers the bench's questions over the IPC channel. */
export function answerQuestions(questions: Questions): void {
  process.on("message", (message: { id: number; question: string; argument: unknown }) => {
    const answer = async () => questions[message.question]?.(message.argument);
    answer().then(
      (value) => process.send?.({ id: message.id, value }),
      (error: unknown) => process.send?.({ id: message.id, error: String(error) }),
    );
  });
  process.on("disconnect", () => process.exit());
}
