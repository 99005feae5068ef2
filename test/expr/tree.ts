// Owns what generated expressions look like: a tree of its own, and its source text in two ways. `print` writes every
// parenthesis; `printLeast` only those that the table of operators asks for, so that precedence is compared too.

/** A generated expression. */
export type Tree =
  | { is: 'value'; value: null | boolean | number | string }
  | { is: 'list'; items: Tree[] }
  | { is: 'path'; root: string; steps: (string | number | '*' | Tree)[] }
  | { is: 'not' | 'minus'; of: Tree }
  | { is: 'two'; operator: string; left: Tree; right: Tree }
  | { is: 'if'; test: Tree; yes: Tree; no: Tree }
  | { is: 'pipe'; value: Tree; filter: string; args: Tree[] };

// How tight each form binds, as docs/internals/expr.md has it.
const [CHOICE, COALESCE, OR, AND, NOT, COMPARISON, SUM, PRODUCT, BANG, PIPE, MINUS, ATOM] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] as const;
const LEVELS: readonly (readonly [level: number, operators: string])[] = [
  [COALESCE, '??'],
  [OR, '|| or'],
  [AND, '&& and'],
  [COMPARISON, '== != === !== < <= > >= in not_in'],
  [SUM, '+ -'],
  [PRODUCT, '* / %'],
];
const LEVEL_OF = new Map(LEVELS.flatMap(([level, operators]) => operators.split(' ').map((name) => [name.replace('_', ' '), level])));

/** Every operator of two operands. */
export const OPERATORS: readonly string[] = [...LEVEL_OF.keys()];

type Wrap = (node: Tree, least: number) => string;

/** The source with all parentheses written. */
export function print(node: Tree): string {
  return written(node, (child) =>
    child.is === 'value' || child.is === 'path' || child.is === 'list' ? print(child) : `(${print(child)})`,
  );
}

/** The source with no parenthesis that can be left out. */
export function printLeast(node: Tree): string {
  return written(node, (child, least) => (levelOf(child) < least ? `(${printLeast(child)})` : printLeast(child)));
}

function levelOf(node: Tree): number {
  switch (node.is) {
    case 'if':
      return CHOICE;
    case 'two':
      return LEVEL_OF.get(node.operator) as number;
    case 'not':
      return bangs(node) ? BANG : NOT;
    case 'pipe':
      return PIPE;
    case 'minus':
      return MINUS;
    default:
      return ATOM;
  }
}

/** `!` binds tighter than arithmetic and `not` looser than comparisons: each is used where it needs no parentheses. */
function bangs(node: Tree & { is: 'not' | 'minus' }): boolean {
  return levelOf(node.of) >= BANG;
}

function written(node: Tree, wrap: Wrap): string {
  switch (node.is) {
    case 'value':
      return typeof node.value === 'string' ? quoted(node.value) : String(node.value);
    case 'list':
      return `[${node.items.map((item) => wrap(item, CHOICE)).join(', ')}]`;
    case 'path':
      return node.root + node.steps.map((step) => writtenStep(step, wrap)).join('');
    case 'not':
      return bangs(node) ? `!${wrap(node.of, BANG)}` : `not ${wrap(node.of, NOT)}`;
    case 'minus':
      return `-${wrap(node.of, MINUS)}`;
    case 'two':
      return writtenPair(node, wrap);
    case 'if':
      return `${wrap(node.test, COALESCE)} ? ${wrap(node.yes, CHOICE)} : ${wrap(node.no, CHOICE)}`;
    case 'pipe':
      return `${wrap(node.value, PIPE)} | ${node.filter}${node.args.length > 0 ? `(${node.args.map((arg) => wrap(arg, CHOICE)).join(', ')})` : ''}`;
  }
}

function writtenPair(node: Tree & { is: 'two' }, wrap: Wrap): string {
  const level = levelOf(node);
  const side = (child: Tree, least: number) => wrap(child, level === COALESCE ? besideCoalesce(child, least) : least);
  // A chain is read from the left, but a comparison is never one of a chain.
  const left = side(node.left, level === COMPARISON ? SUM : level);
  return `${left} ${node.operator} ${side(node.right, level + 1)}`;
}

/** Beside `??`, only arithmetic, values and further `??` to the left go without parentheses. */
function besideCoalesce(child: Tree, least: number): number {
  if (child.is === 'not') return ATOM;
  return child.is === 'two' && child.operator === '??' ? least : SUM;
}

function writtenStep(step: string | number | Tree, wrap: Wrap): string {
  if (typeof step === 'object') return `[${wrap(step, CHOICE)}]`;
  if (step === '*') return '.*';
  if (typeof step === 'number') return `[${step}]`;
  return /^\w+$/.test(step) ? `.${step}` : `['${step}']`;
}

function quoted(text: string): string {
  return `"${text.replaceAll(/[^\w .]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`;
}
