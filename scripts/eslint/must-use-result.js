/** What both neverthrow's `Result` and its `ResultAsync` have. */
const resultMethods = ["andThen", "mapErr", "match", "unwrapOr"];

const isResult = (type) =>
  (type.isUnion() ? type.types : [type]).some((part) =>
    resultMethods.every((name) => part.getProperty(name) !== undefined),
  );

/** The expressions whose value nobody sees when `node` stands as a statement. */
function discardedBy(node) {
  switch (node.type) {
    case "UnaryExpression":
      return discardedBy(node.argument);
    case "LogicalExpression":
      return discardedBy(node.right);
    case "ConditionalExpression":
      return [node.consequent, node.alternate].flatMap(discardedBy);
    case "SequenceExpression":
      return node.expressions.flatMap(discardedBy);
    case "AssignmentExpression":
      return [];
    default:
      return [node];
  }
}

/**
 * Reports a `Result`, a `ResultAsync` or a promise of one that stands as a statement, so that its
 * error is lost. One kept in a variable that is never read is Biome's noUnusedVariables.
 */
export const mustUseResult = {
  meta: {
    type: "problem",
    docs: { description: "Every Result is used." },
    schema: [],
    messages: { unused: "This Result is thrown away, and its error with it. Branch on it." },
  },
  create(context) {
    const services = context.sourceCode.parserServices;
    const checker = services.program.getTypeChecker();
    return {
      ExpressionStatement(statement) {
        for (const node of discardedBy(statement.expression)) {
          const type = services.getTypeAtLocation(node);
          if (isResult(type) || isResult(checker.getAwaitedType(type) ?? type)) {
            context.report({ node, messageId: "unused" });
          }
        }
      },
    };
  },
};
