/** Methods that both `Result` and `ResultAsync` of neverthrow have. */
const resultMethods = ["andThen", "mapErr", "match", "unwrapOr"];

const isResult = (type) =>
  (type.isUnion() ? type.types : [type]).some((part) =>
    resultMethods.every((name) => part.getProperty(name) !== undefined),
  );

/** Returns the expressions whose value is lost if `node` is a statement. */
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
 * Reports a statement that discards a `Result`, a `ResultAsync` or a promise of one, because the error is lost.
 * Biome's noUnusedVariables reports a result in a variable that is never read.
 */
export const mustUseResult = {
  meta: {
    type: "problem",
    docs: { description: "Every Result is used." },
    schema: [],
    messages: { unused: "This statement discards a Result and its error. Handle both cases." },
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
