import ts from "typescript";

/** Attributes and properties of components whose value users see or hear. */
const visibleAttributes = new Set(
  "title placeholder alt label hint action all aria-label aria-description".split(" "),
);
/** Calls whose first argument is shown. */
const visibleCalls = /^(showToast|useTitle)$/;
/** Calls whose arguments are not shown. */
const quietCalls = /RegExp|querySelector|matchMedia|closest|getItem|setItem|addEventListener/;

const letter = /\p{L}/u;
/** A capitalised word, two words, or a number with a unit. `\0` stands for an expression in a template. */
const wording =
  /^[“"]?[A-Z][a-z’']+($|[ .,!?…:;])|[\p{L}\0][.,:;)]? \p{L}{2,}|[\d\0] \p{L}|\p{L}{2,} \0|\p{L} ?…/u;
/** A word in small letters. It is text unless a program reads it somewhere. */
const plainWord = /^\p{Ll}{2,}$/u;

const isQuietAttribute = (name: string) => !visibleAttributes.has(name);

/** Returns the text of a string literal or template, with `\0` for each expression. Undefined for other nodes. */
function toLiteral(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `\0${literal.text}`).join("");
}

type Place = "shown" | "hidden" | "argument" | "unknown";

/** Says whether users see the value of an expression. A function may show its argument, or read it. */
function placeOf(node: ts.Node): Place {
  const { parent } = node;
  if (ts.isJsxExpression(parent)) {
    return ts.isJsxAttribute(parent.parent) ? placeOf(parent) : "shown";
  }
  if (ts.isJsxAttribute(parent)) {
    return isQuietAttribute(parent.name.getText()) ? "argument" : "shown";
  }
  if (ts.isConditionalExpression(parent)) {
    return parent.condition === node ? "hidden" : placeOf(parent);
  }
  // A constant in the code, such as `"ascending" as const`.
  if (ts.isAsExpression(parent)) return "hidden";
  if (ts.isParenthesizedExpression(parent) || ts.isTemplateSpan(parent)) return placeOf(parent);
  if (ts.isTemplateExpression(parent)) return placeOf(parent);
  if (ts.isCallExpression(parent)) {
    return visibleCalls.test(parent.expression.getText()) ? "shown" : "argument";
  }
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
    if (ts.isElementAccessExpression(at)) return true;
    if (ts.isCallExpression(at) && quietCalls.test(at.expression.getText())) return true;
    if (ts.isJsxAttribute(at)) return /^(class|style|d|viewBox)$/.test(at.name.getText());
    if (ts.isJsxElement(at) || ts.isJsxFragment(at)) return false;
  }
  return false;
}

/**
 * Returns the words that programs read in the given sources: in types, comparisons and names of properties. A literal that
 * equals one is no text.
 */
export function findCodeWords(sources: readonly ts.SourceFile[]): ReadonlySet<string> {
  const words = new Set<string>();
  const add = (node: ts.Node) => {
    if (ts.isStringLiteralLike(node)) words.add(node.text);
  };
  const visit = (node: ts.Node) => {
    if (ts.isLiteralTypeNode(node)) add(node.literal);
    if (ts.isCaseClause(node)) add(node.expression);
    if (ts.isBinaryExpression(node) && /^[!=]==$/.test(node.operatorToken.getText())) {
      add(node.left);
      add(node.right);
    }
    if (ts.isPropertyAssignment(node) || ts.isPropertySignature(node)) {
      if (ts.isIdentifier(node.name)) words.add(node.name.text);
      else add(node.name);
    }
    ts.forEachChild(node, visit);
  };
  for (const source of sources) visit(source);
  return words;
}

function isVisible(node: ts.Node, codeWords: ReadonlySet<string>): boolean {
  if (ts.isJsxText(node)) return letter.test(node.text);
  const text = toLiteral(node);
  if (text === undefined || !letter.test(text) || isQuiet(node)) return false;
  const place = placeOf(node);
  if (place === "shown") return true;
  if (place === "hidden") return false;
  return (
    wording.test(text) || (place === "unknown" && plainWord.test(text) && !codeWords.has(text))
  );
}

/**
 * Returns each piece of text in a source file that users would see, with its line.
 * @param codeWords words that are no text, of `findCodeWords`.
 */
export function findVisibleText(
  source: ts.SourceFile,
  codeWords: ReadonlySet<string>,
): { line: number; text: string }[] {
  const found: { line: number; text: string }[] = [];
  const visit = (node: ts.Node) => {
    if (isVisible(node, codeWords)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      found.push({ line: line + 1, text: (toLiteral(node) ?? node.getText(source)).trim() });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
