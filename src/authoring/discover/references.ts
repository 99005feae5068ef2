// Finds the code that a file loads, as far as its text shows: imports, all forms of `require`, and files named relative to
// the module, such as those of workers.
//
// A reference that is known only at run time is `computed`. One that bypasses Node's module loader, so that nothing could
// check what it loads, is a problem.

import type { AnyNode, CallExpression, NewExpression, Program, VariableDeclarator } from 'acorn';
import { ModuleNames, nameOf } from './names.ts';
import { nodesIn } from './syntax.ts';

/** One thing that a file loads or names. */
export type Reference =
  /** A specifier, resolved from `base`: a path relative to the file, or the file itself if absent. */
  | { readonly kind: 'module'; readonly specifier: string; readonly base?: string }
  /** A path relative to the file, empty for the file itself; `isApart` if it runs in a worker or another process. */
  | { readonly kind: 'path'; readonly path: string; readonly isApart: boolean }
  | { readonly kind: 'computed'; readonly at: number }
  | { readonly kind: 'problem'; readonly at: number; readonly message: string; readonly hint: string };

const RUNS_APART: Readonly<Record<string, string>> = { Worker: 'worker_threads', fork: 'child_process' };
const HINT_URL = "write the file as new URL('./file.js', import.meta.url)";
const HINT_IMPORT = 'import the files that it loads by their paths';

/** The references of a file, in the order of its text. */
export function referencesIn(tree: Program): Reference[] {
  const reader = new ReferenceReader(tree);
  return [...nodesIn(tree)].flatMap((node) => reader.read(node));
}

class ReferenceReader {
  private readonly names: ModuleNames;
  /** Names of `require` functions, with what they resolve from. */
  private readonly requires = new Map<string, string | undefined>([['require', undefined]]);
  /** `createRequire` calls whose result is called or assigned to a name, so that its uses are found. */
  private readonly followed = new Set<AnyNode>();

  constructor(tree: Program) {
    this.names = new ModuleNames(tree);
    for (const node of nodesIn(tree)) {
      if (node.type === 'VariableDeclarator') this.readDeclared(node);
      if (node.type !== 'CallExpression') continue;
      const direct = node.callee.type === 'MemberExpression' ? node.callee.object : node.callee;
      if (this.createsRequire(direct)) this.followed.add(direct);
    }
  }

  /** Records names for `require` functions and for Node modules that are not imported by a declaration. */
  private readDeclared({ id, init }: VariableDeclarator): void {
    if (!init) return;
    if (id.type === 'Identifier' && this.createsRequire(init)) {
      this.requires.set(id.name, this.baseOf(init)?.base);
      this.followed.add(init);
    }
    const source = this.names.text(loadedModule(init));
    if (source === undefined) return;
    if (id.type === 'Identifier') this.names.imports.set(id.name, { source, name: '*' });
    for (const property of id.type === 'ObjectPattern' ? id.properties : [])
      if (property.type === 'Property' && property.value.type === 'Identifier')
        this.names.imports.set(property.value.name, { source, name: nameOf(property.key) ?? '' });
  }

  read(node: AnyNode): Reference[] {
    switch (node.type) {
      case 'ImportDeclaration':
      case 'ExportAllDeclaration':
      case 'ImportExpression':
        return [this.specifier(node.source)];
      case 'ExportNamedDeclaration':
        return node.source ? [this.specifier(node.source)] : [];
      case 'NewExpression':
      case 'CallExpression':
        return [...this.readPath(node), ...this.readApart(node), ...(node.type === 'CallExpression' ? this.readCall(node) : [])];
      default:
        return [];
    }
  }

  private specifier(node: AnyNode | undefined, base?: string): Reference {
    const text = this.names.text(node);
    if (text === undefined) return { kind: 'computed', at: node?.start ?? 0 };
    return { kind: 'module', specifier: text, ...(base === undefined ? {} : { base }) };
  }

  /** Reads `require(…)`, `import.meta.resolve(…)`, and calls that replace the loader. */
  private readCall(call: CallExpression): Reference[] {
    const { callee, start: at } = call;
    const [first] = call.arguments;
    const member = callee.type === 'MemberExpression' ? memberName(callee) : undefined;
    const name = this.calledName(call);
    if (name === 'createRequire') return this.readCreateRequire(call);
    if ((name === 'register' || name === 'registerHooks') && this.comesFrom(callee, 'module'))
      return [
        { kind: 'problem', at, message: `${name} replaces the module loader, so Pawl cannot tell which code will run`, hint: HINT_IMPORT },
      ];
    if (name === 'dlopen' && member !== undefined)
      return [{ kind: 'problem', at, message: 'dlopen loads a file that is not checked', hint: 'load it with require' }];
    if (callee.type === 'MemberExpression' && member === 'resolve' && callee.object.type === 'MetaProperty') return [this.specifier(first)];
    if (member === 'require' && callee.type === 'MemberExpression') {
      if (callee.object.type === 'Identifier' && callee.object.name === 'module') return [this.specifier(first)];
      return [
        {
          kind: 'problem',
          at,
          message: 'the `require` of another module loads files relative to that module, which is not checked',
          hint: HINT_IMPORT,
        },
      ];
    }
    const required = callee.type === 'MemberExpression' && member === 'resolve' ? callee.object : callee;
    if (this.createsRequire(required)) return [this.specifier(first, this.baseOf(required)?.base)];
    if (required.type === 'Identifier' && this.requires.has(required.name))
      return [this.specifier(first, this.requires.get(required.name))];
    return [];
  }

  private createsRequire(node: AnyNode): node is CallExpression {
    return node.type === 'CallExpression' && this.calledName(node) === 'createRequire';
  }

  /** The name of the called function, also when it was imported under another one. */
  private calledName(call: CallExpression): string | undefined {
    return this.names.imported(call.callee)?.name ?? calleeName(call);
  }

  private readCreateRequire(call: CallExpression): Reference[] {
    if (this.baseOf(call) === undefined)
      return [
        {
          kind: 'problem',
          at: call.start,
          message: 'the path of createRequire is computed, so the files that it loads are not known',
          hint: 'write createRequire(import.meta.url)',
        },
      ];
    return this.followed.has(call) ? [] : [{ kind: 'computed', at: call.start }];
  }

  /** The path that a `createRequire` call starts from, relative to the file; undefined if it is computed. */
  private baseOf(call: CallExpression | NewExpression): { readonly base?: string } | undefined {
    const [first] = call.arguments;
    const path = first === undefined ? undefined : this.names.follow(first);
    if (path === undefined) return undefined;
    if (isOwnFile(path)) return {};
    const [base] = this.pathsIn(path);
    return base === undefined ? undefined : { base };
  }

  /** `new URL('./x', import.meta.url)` or `join(import.meta.dirname, 'x')`. */
  private pathOf(node: AnyNode): string | undefined {
    if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return undefined;
    const [first, ...rest] = node.arguments;
    const name = calleeName(node);
    if (node.type === 'NewExpression') return name === 'URL' && rest[0] && isOwnFile(rest[0]) ? this.names.text(first) : undefined;
    if ((name !== 'join' && name !== 'resolve') || first === undefined || !isOwnFolder(first)) return undefined;
    const texts = rest.map((part) => this.names.text(part));
    return texts.includes(undefined) ? undefined : ['.', ...texts].join('/');
  }

  /** Files that are named relative to the module. */
  private readPath(node: AnyNode): Reference[] {
    const path = this.pathOf(node);
    return path === undefined ? [] : [{ kind: 'path', path, isApart: false }];
  }

  private pathsIn(node: AnyNode): string[] {
    return [...nodesIn(node)].flatMap((inside) => this.pathOf(inside) ?? []);
  }

  /** Reads calls that run code in its own worker or process, where nothing checks what it loads. */
  private readApart(node: CallExpression | NewExpression): Reference[] {
    const { callee } = node;
    const name = callee.type === 'MemberExpression' ? memberName(callee) : this.names.imported(callee)?.name;
    const source = name === undefined || !Object.hasOwn(RUNS_APART, name) ? undefined : RUNS_APART[name];
    if (source === undefined || !this.comesFrom(callee, source)) return [];
    const [first] = node.arguments;
    const paths = first === undefined ? [] : this.pathsIn(this.names.follow(first));
    if (first !== undefined && isOwnFile(first)) return [{ kind: 'path', path: '', isApart: true }];
    if (paths.length > 0) return paths.map((path) => ({ kind: 'path', path, isApart: true }));
    return [{ kind: 'problem', at: node.start, message: `the path of the code that ${name} runs is computed`, hint: HINT_URL }];
  }

  /** Whether a function is from a module of Node. */
  private comesFrom(callee: AnyNode, module: string): boolean {
    if (callee.type === 'MemberExpression' && callee.object.type === 'Identifier') {
      const object = this.names.imports.get(callee.object.name);
      return object !== undefined && bare(object.source) === module;
    }
    return bare(this.names.imported(callee)?.source ?? '') === module;
  }
}

/** The node that names the module an expression loads: `require('x')`, `await import('x')`, `process.getBuiltinModule('x')`. */
function loadedModule(node: AnyNode): AnyNode | undefined {
  if (node.type === 'AwaitExpression') return node.argument.type === 'ImportExpression' ? node.argument.source : undefined;
  return isCallOf(node, 'require') || isCallOf(node, 'getBuiltinModule') ? node.arguments[0] : undefined;
}

function bare(source: string): string {
  return source.replace(/^node:/, '');
}

function isCallOf(node: AnyNode, name: string): node is CallExpression {
  return node.type === 'CallExpression' && calleeName(node) === name;
}

function calleeName({ callee }: CallExpression | NewExpression): string | undefined {
  return callee.type === 'MemberExpression' ? memberName(callee) : nameOf(callee);
}

function memberName(node: AnyNode): string | undefined {
  if (node.type !== 'MemberExpression') return undefined;
  return node.computed && node.property.type !== 'Literal' ? undefined : nameOf(node.property);
}

function isMeta(node: AnyNode, ...names: readonly string[]): boolean {
  return node.type === 'MemberExpression' && node.object.type === 'MetaProperty' && names.includes(memberName(node) ?? '');
}

/** `import.meta.url`, `import.meta.filename` or `__filename`. */
function isOwnFile(node: AnyNode): boolean {
  return isMeta(node, 'url', 'filename') || (node.type === 'Identifier' && node.name === '__filename');
}

/** `import.meta.dirname` or `__dirname`. */
function isOwnFolder(node: AnyNode): boolean {
  return isMeta(node, 'dirname') || (node.type === 'Identifier' && node.name === '__dirname');
}
