// Shows an exported declaration to readers: its comment as prose, and its code without what only the
// implementation needs. Everything is read from the source, so that nothing has to be built first.

import { type Comment, parseSync } from 'oxc-parser';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** A module with its syntax. */
export interface Module {
  readonly path: string;
  readonly text: string;
  readonly body: readonly Node[];
  readonly comments: readonly Comment[];
}

/** An exported name as readers see it. */
export interface ShownDeclaration {
  readonly kind: 'function' | 'class' | 'constant' | 'type';
  /** The comment, without its marks. */
  readonly comment: string;
  readonly code: string;
}

/** Where a module has an exported name from. */
interface Origin {
  readonly from: string;
  readonly name: string;
}

/** Parses a module. */
export function parseModule(path: string, text: string): Module {
  const { program, comments, errors } = parseSync(path, text);
  if (errors[0] !== undefined) throw new Error(`${path}: ${errors[0].message}`);
  return { path, text, body: program.body as unknown as Node[], comments };
}

/** A name that a module passes on. */
interface Reexport {
  readonly name: string;
  readonly origin: Origin;
}

/** The names that a module exports from others. */
export function reexports({ body }: Module): Reexport[] {
  return body.flatMap((node): Reexport[] => {
    const from = (node.source as { value?: string } | null)?.value;
    if (from === undefined) return [];
    if (node.type !== 'ExportNamedDeclaration') return [];
    return (node.specifiers as Node[]).map((specifier) => ({
      name: nameOf(specifier.exported as Node),
      origin: { from, name: nameOf(specifier.local as Node) },
    }));
  });
}

/** The types that a module imports, and from where. */
export function importedTypes({ body }: Module): Origin[] {
  return body.flatMap((node) => {
    if (node.type !== 'ImportDeclaration') return [];
    const from = String((node.source as Node).value);
    return (node.specifiers as Node[]).map(({ imported }) => ({ from, name: nameOf(imported as Node) }));
  });
}

/** The type of a member of an exported interface, as it is written. */
export function typeMember({ body, text }: Module, name: string, member: string): string | undefined {
  const declarations = body.map((node) => node.declaration as Node | null | undefined);
  const found = declarations.find((node) => node?.type === 'TSInterfaceDeclaration' && nameOf(node.id as Node) === name);
  const members = ((found?.body as Node | undefined)?.body ?? []) as Node[];
  const typed = members.find(({ key }) => key !== undefined && nameOf(key as Node) === member)?.typeAnnotation as Node | undefined;
  const type = typed?.typeAnnotation as Node | undefined;
  return type === undefined ? undefined : text.slice(type.start, type.end);
}

/** The declaration of an exported name, or undefined if the module does not declare it. */
export function showDeclaration(module: Module, name: string): ShownDeclaration | undefined {
  const exported = module.body.filter((node) => declaredNames(node).includes(name));
  const overloads = exported.filter((node) => (node.declaration as Node).type === 'TSDeclareFunction');
  const nodes = overloads.length > 0 ? overloads : exported;
  const [first] = nodes;
  if (first === undefined) return undefined;
  const declarations = nodes.map((node) => codeOf(module, node.declaration as Node));
  const code = nodes.map((node, index) => {
    const comment = index === 0 ? undefined : commentBefore(module, node.start);
    return `${comment === undefined ? '' : `${module.text.slice(comment.start, comment.end)}\n`}${declarations[index]}`;
  });
  const kind = kindOf(first.declaration as Node);
  const unexported = kind === 'class' ? [] : localTypes(module, code.join('\n'));
  return { kind, comment: proseBefore(module, first.start), code: [...code, ...unexported].join('\n\n') };
}

/** The types that a declaration names and its module keeps to itself, those that they name included: without them it says little. */
function localTypes(module: Module, code: string): string[] {
  const found = new Map<string, string>();
  const look = (text: string): void => {
    const words = new Set(withoutComments(text).match(/\b[A-Z]\w*\b/g));
    for (const node of module.body) {
      if (node.type !== 'TSTypeAliasDeclaration' && node.type !== 'TSInterfaceDeclaration') continue;
      const name = nameOf(node.id as Node);
      if (!words.has(name) || found.has(name)) continue;
      found.set(name, codeOf(module, node));
      look(codeOf(module, node));
    }
  };
  look(code);
  return [...found.values()];
}

/** Code without its comments, for finding the names in it. */
export function withoutComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}

function declaredNames(node: Node): string[] {
  if (node.type !== 'ExportNamedDeclaration' || !node.declaration) return [];
  const declaration = node.declaration as Node;
  if (declaration.type !== 'VariableDeclaration') return [nameOf(declaration.id as Node)];
  return (declaration.declarations as Node[]).map(({ id }) => nameOf(id as Node));
}

function nameOf(node: Node): string {
  return String(node.name ?? node.value);
}

function kindOf({ type }: Node): ShownDeclaration['kind'] {
  if (type === 'FunctionDeclaration' || type === 'TSDeclareFunction') return 'function';
  if (type === 'ClassDeclaration') return 'class';
  return type === 'VariableDeclaration' ? 'constant' : 'type';
}

function codeOf(module: Module, node: Node): string {
  const text = (start: number, end: number): string => module.text.slice(start, end).trim();
  if (node.type === 'FunctionDeclaration') return `${text(node.start, (node.body as Node).start).replace(/^async /, '')};`;
  if (node.type === 'ClassDeclaration') return classCode(module, node);
  if (node.type !== 'VariableDeclaration') return text(node.start, node.end);
  const [{ id } = {}] = node.declarations as { id?: Node }[];
  const typed = (id?.typeAnnotation ?? undefined) as Node | undefined;
  return typed === undefined ? text(node.start, node.end) : `${text(node.start, typed.end)};`;
}

function classCode(module: Module, node: Node): string {
  const body = node.body as Node;
  const members = body.body as Node[];
  const overloaded = new Set(members.filter(isOverload).map((member) => nameOf(member.key as Node)));
  const shown = members.filter((member) => isPublic(member) && (isOverload(member) || !overloaded.has(nameOf(member.key as Node))));
  const lines = shown.map((member) => {
    const comment = commentBefore(module, member.start);
    const code = module.text
      .slice(member.start, memberEnd(member))
      .trim()
      .replace(/^async |\s*=$|;$/g, '');
    return `  ${comment === undefined ? '' : `${module.text.slice(comment.start, comment.end)}\n  `}${code};`;
  });
  return `${module.text.slice(node.start, body.start).trim()} {\n${lines.join('\n')}\n}`;
}

function isOverload({ value }: Node): boolean {
  return (value as Node | null | undefined)?.type === 'TSEmptyBodyFunctionExpression';
}

function isPublic({ key, accessibility, type }: Node): boolean {
  if (type === 'StaticBlock') return false;
  return (key as Node | undefined)?.type !== 'PrivateIdentifier' && accessibility !== 'private' && accessibility !== 'protected';
}

/** Where a member ends for a reader: before its body, or before its value. */
function memberEnd({ type, value, end }: Node): number {
  const inner = value as Node | null | undefined;
  if (type === 'MethodDefinition') return (inner?.body as Node | null | undefined)?.start ?? end;
  return inner?.start ?? end;
}

function commentBefore({ text, comments }: Module, start: number): Comment | undefined {
  return comments.findLast(
    ({ type, value, end }) => type === 'Block' && value.startsWith('*') && end <= start && /^\s*$/.test(text.slice(end, start)),
  );
}

function proseBefore(module: Module, start: number): string {
  const lines = (commentBefore(module, start)?.value ?? '').slice(1).split('\n');
  return lines
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    .join('\n')
    .trim();
}
