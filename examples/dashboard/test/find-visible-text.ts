import ts from "typescript";

/** Attributes and properties of components whose value users see or hear. */
const visibleAttributes = new Set(
  "title placeholder alt label hint action all aria-label aria-description".split(" "),
);
/** Calls whose arguments are not shown. */
const quietCalls = /RegExp|querySelector|matchMedia|closest|getItem|setItem|addEventListener/;

const letter = /\p{L}/u;
/** A capitalised word, or two words. `\0` stands for an expression in a template. */
const wording =
  /^[“"]?[A-Z][a-z’']+($|[ .,!?…:;])|[\p{L}\0][.,:;)]? \p{L}{2,}|\p{L}{2,} \0|\p{L} ?…/u;

const isQuietAttribute = (name: string) => !visibleAttributes.has(name);

/** Returns the text of a string literal or template, with `\0` for each expression. Undefined for other nodes. */
function toLiteral(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `\0${literal.text}`).join("");
}

type Place = "shown" | "hidden" | "unknown";

/** Says whether users see the value of an expression. */
function placeOf(node: ts.Node): Place {
  const { parent } = node;
  if (ts.isJsxExpression(parent)) {
    return ts.isJsxAttribute(parent.parent) ? placeOf(parent) : "shown";
  }
  if (ts.isJsxAttribute(parent)) {
    return isQuietAttribute(parent.name.getText()) ? "unknown" : "shown";
  }
  if (ts.isConditionalExpression(parent)) {
    return parent.condition === node ? "hidden" : placeOf(parent);
  }
  if (ts.isParenthesizedExpression(parent) || ts.isTemplateSpan(parent)) return placeOf(parent);
  if (ts.isTemplateExpression(parent)) return placeOf(parent);
  if (ts.isBinaryExpression(parent)) {
    const operator = parent.operatorToken.getText();
    if (!["&&", "||", "??", "+"].includes(operator)) return "hidden";
    return operator === "&&" && parent.left === node ? "hidden" : placeOf(parent);
  }
  return "unknown";
}

/** Whether a literal is part of a class name, a selector, an import or a type. */
function isQuiet(node: ts.Node): boolean {
  for (let at = node.parent; !ts.isSourceFile(at) && !ts.isBlock(at); at = at.parent) {
    if (ts.isImportDeclaration(at) || ts.isTypeNode(at) || ts.isNewExpression(at)) return true;
    if (ts.isCallExpression(at) && quietCalls.test(at.expression.getText())) return true;
    if (ts.isJsxAttribute(at)) return /^(class|style|d|viewBox)$/.test(at.name.getText());
    if (ts.isJsxElement(at) || ts.isJsxFragment(at)) return false;
  }
  return false;
}

function isVisible(node: ts.Node): boolean {
  if (ts.isJsxText(node)) return letter.test(node.text);
  const text = toLiteral(node);
  if (text === undefined || !letter.test(text) || isQuiet(node)) return false;
  const place = placeOf(node);
  return place === "shown" || (place === "unknown" && wording.test(text));
}

/** Returns each piece of text in a source file that users would see, with its line. */
export function findVisibleText(source: ts.SourceFile): { line: number; text: string }[] {
  const found: { line: number; text: string }[] = [];
  const visit = (node: ts.Node) => {
    if (isVisible(node)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      found.push({ line: line + 1, text: (toLiteral(node) ?? node.getText(source)).trim() });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
