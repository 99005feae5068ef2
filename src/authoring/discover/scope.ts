// Owns the names of a module: what each was imported as, which constant holds which expression, and which of them are
// changed after they were made, so that their first value says nothing.

import type { AnyNode, Expression, Pattern, Program } from 'acorn';
import { nodesIn } from './syntax.ts';

/** Where an imported name comes from; a namespace is imported as `*`. */
export interface Imported {
  readonly source: string;
  readonly name: string;
}

const CHANGERS = ['push', 'pop', 'shift', 'unshift', 'splice', 'sort', 'reverse', 'fill', 'copyWithin', 'set', 'add', 'delete'];
const PURE_CALLS = ['freeze', 'keys', 'values', 'entries', 'join', 'concat', 'includes', 'log', 'stringify'];

/** The names of a module. */
export class ModuleScope {
  readonly imports = new Map<string, Imported>();
  /** Expressions of constants at the top of the module. */
  readonly constants = new Map<string, Expression>();
  /** Functions and classes at the top of the module. */
  readonly functions = new Set<string>();
  /** Other names at the top of the module. */
  readonly variables = new Set<string>();
  /** Names whose value is changed, or may be by whoever it is handed to. */
  readonly changed = new Set<string>();

  constructor(tree: Program) {
    for (const statement of tree.body) {
      const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
      if (declaration !== null && declaration !== undefined) this.enter(declaration);
    }
    for (const node of nodesIn(tree)) this.noteChange(node);
  }

  private enter(node: AnyNode): void {
    if (node.type === 'ImportDeclaration') {
      for (const specifier of node.specifiers) {
        const name =
          specifier.type === 'ImportSpecifier' ? nameOf(specifier.imported) : specifier.type === 'ImportDefaultSpecifier' ? 'default' : '*';
        this.imports.set(specifier.local.name, { source: String(node.source.value), name });
      }
    } else if (node.type === 'VariableDeclaration') {
      for (const { id, init } of node.declarations) {
        if (node.kind === 'const' && id.type === 'Identifier' && init !== null && init !== undefined) this.constants.set(id.name, init);
        else for (const name of boundNames(id)) this.variables.add(name);
      }
    } else if ((node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') && node.id) this.functions.add(node.id.name);
  }

  private noteChange(node: AnyNode): void {
    if (node.type === 'AssignmentExpression') this.change(node.left);
    else if (node.type === 'UpdateExpression') this.change(node.argument);
    else if (node.type === 'UnaryExpression' && node.operator === 'delete') this.change(node.argument);
    else if (node.type === 'CallExpression') {
      const { callee } = node;
      const method = callee.type === 'MemberExpression' && callee.property.type === 'Identifier' ? callee.property.name : undefined;
      if (callee.type === 'MemberExpression' && method !== undefined && CHANGERS.includes(method)) this.change(callee.object);
      const imported = callee.type === 'Identifier' ? this.imports.get(callee.name) : undefined;
      const isHarmless =
        imported?.source === 'pawl' ||
        imported?.source === 'pawl/compat' ||
        LIBRARY_CALLS.includes(imported?.name ?? '') ||
        PURE_CALLS.includes(method ?? '');
      if (!isHarmless) for (const argument of node.arguments) if (argument.type === 'Identifier') this.changed.add(argument.name);
    }
  }

  private change(target: AnyNode): void {
    let root = target;
    while (root.type === 'MemberExpression') root = root.object;
    if (root.type === 'Identifier') this.changed.add(root.name);
  }

  /** The expression behind a name, through constants that name each other. */
  follow(node: AnyNode): AnyNode {
    let at = node;
    for (let hops = 0; at.type === 'Identifier' && hops < 100; hops += 1) {
      const held = this.constants.get(at.name);
      if (held === undefined) return at;
      at = held;
    }
    return at;
  }

  /** What of the library, or of another module, a called name is: `defineWorkflow` also when it was imported as another name. */
  importedName(node: AnyNode): Imported | undefined {
    if (node.type === 'Identifier') return this.imports.get(node.name);
    if (node.type !== 'MemberExpression' || node.object.type !== 'Identifier' || node.property.type !== 'Identifier' || node.computed)
      return undefined;
    const space = this.imports.get(node.object.name);
    return space?.name === '*' ? { source: space.source, name: node.property.name } : undefined;
  }
}

/** The calls of the library that make workflows or steps, and so only read what they are given. */
const LIBRARY_CALLS: readonly string[] = ['defineWorkflow', 'workflow', 'Workflow', 'StepDef', 'arg', 'Dispatch', 'step'];

function nameOf(node: AnyNode): string {
  return node.type === 'Identifier' ? node.name : node.type === 'Literal' ? String(node.value) : '';
}

function boundNames(pattern: Pattern): string[] {
  return [...nodesIn(pattern)].flatMap((node) => (node.type === 'Identifier' ? [node.name] : []));
}
